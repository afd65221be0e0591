#!/usr/bin/env python3
"""Writes a call of every MPI function with one bad argument and good ones else, for each parameter that is checked."""
import argparse
import sys
from pathlib import Path

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--api", required=True, help="folder of the table and its reader")
parser.add_argument("--out", required=True)
options = parser.parse_args()
sys.path.insert(0, options.api)
from generate import checks  # noqa: E402
from same_memory import same_memory_checks  # noqa: E402
from table import read_table  # noqa: E402

# By kind: an argument that is good. What begins with g_ stands in bad_calls_test.cpp. A kind that is not here, and is no
# pointer to something that the call writes, is out of reach, and its functions with it.
GOOD = {
    "sbuf": "g_buffer", "sbufi": "g_buffer", "rbuf": "g_other", "rbufi": "g_other", "iobuf": "g_buffer",
    "memory": "g_buffer", "cmemory": "g_buffer", "address": "g_buffer", "count": "1", "bigcount": "1", "int": "1", "aint": "0",
    "ints": "g_ints", "ints_out": "g_ints", "ints_io": "g_ints", "int_list": "g_ints", "counts": "g_ints", "displs": "g_ints",
    "aints": "g_aints", "aints_out": "g_aints", "ndims": "1", "room": "1", "dest": "2", "source": "2", "root": "1", "tag": "3",
    "rtag": "3", "comm": "MPI_COMM_WORLD", "group": "MPI_GROUP_EMPTY", "datatype": "MPI_INT", "anytype": "MPI_INT",
    "datatypes": "g_types", "anytypes": "g_types", "op": "MPI_SUM", "errhandler": "MPI_ERRORS_RETURN",
    "info_opt": "MPI_INFO_NULL", "key": '"key"', "string": '"text"', "request": "MPI_REQUEST_NULL", "requests": "g_requests",
    "status": "MPI_STATUS_IGNORE", "status_in": "&g_status", "status_io": "&g_status", "statuses": "MPI_STATUSES_IGNORE",
    "message_io": "&g_message", "string_out": "g_text", "address_out": "g_buffer",
}
# By kind: what is bad, each with its class.
NULL_ARG = [("nullptr", "MPI_ERR_ARG")]
BAD = {
    "count": [("-1", "MPI_ERR_COUNT")], "bigcount": [("-1", "MPI_ERR_COUNT")],
    "counts": [("nullptr", "MPI_ERR_ARG"), ("g_negative", "MPI_ERR_COUNT")], "displs": NULL_ARG,
    "dest": [("4", "MPI_ERR_RANK"), ("-7", "MPI_ERR_RANK"), ("MPI_ANY_SOURCE", "MPI_ERR_RANK")],
    "source": [("4", "MPI_ERR_RANK"), ("-7", "MPI_ERR_RANK")],
    "root": [("4", "MPI_ERR_ROOT"), ("-1", "MPI_ERR_ROOT")], "tag": [("-1", "MPI_ERR_TAG")],
    "rtag": [("-2", "MPI_ERR_TAG")], "ndims": [("-1", "MPI_ERR_DIMS")], "room": [("-1", "MPI_ERR_ARG")],
    "comm": [("MPI_COMM_NULL", "MPI_ERR_COMM"), ("MPI_INT", "MPI_ERR_COMM"), ("g_freed_comm", "MPI_ERR_COMM")],
    "group": [("MPI_GROUP_NULL", "MPI_ERR_GROUP"), ("MPI_INT", "MPI_ERR_GROUP")],
    "datatype": [("MPI_DATATYPE_NULL", "MPI_ERR_TYPE"), ("MPI_COMM_WORLD", "MPI_ERR_TYPE"),
                 ("g_uncommitted", "MPI_ERR_TYPE"), ("g_freed_type", "MPI_ERR_TYPE")],
    "anytype": [("MPI_DATATYPE_NULL", "MPI_ERR_TYPE"), ("g_freed_type", "MPI_ERR_TYPE")],
    "datatypes": [("nullptr", "MPI_ERR_ARG"), ("g_bad_types", "MPI_ERR_TYPE")],
    "op": [("MPI_OP_NULL", "MPI_ERR_OP"), ("MPI_INT", "MPI_ERR_OP"), ("MPI_MINLOC", "MPI_ERR_OP")],
    "errhandler": [("MPI_ERRHANDLER_NULL", "MPI_ERR_ARG")], "info_opt": [("MPI_INT", "MPI_ERR_INFO")],
    "key": [("nullptr", "MPI_ERR_INFO_KEY"), ('""', "MPI_ERR_INFO_KEY")], "string": NULL_ARG, "status": NULL_ARG,
    "status_in": NULL_ARG, "status_io": NULL_ARG, "requests": [("nullptr", "MPI_ERR_REQUEST")],
    "request_io": [("nullptr", "MPI_ERR_REQUEST")], "message_io": NULL_ARG, "string_out": NULL_ARG,
    "sbuf": [("nullptr", "MPI_ERR_BUFFER")], "sbufi": [("nullptr", "MPI_ERR_BUFFER")],
    "rbuf": [("nullptr", "MPI_ERR_BUFFER")], "rbufi": [("nullptr", "MPI_ERR_BUFFER")],
    "iobuf": [("nullptr", "MPI_ERR_BUFFER")],
}


def fitting(value, param):
    """The same array for the type of the parameter, which that of a form for large counts differs in."""
    if "MPI_Count" in param.ctype:
        return {"g_ints": "g_large", "g_negative": "g_negative_large"}.get(value, value)
    return {"g_ints": "g_aints"}.get(value, value) if "MPI_Aint" in param.ctype else value


def good(param):
    """A good argument, null if there is none."""
    if param.kind_name in GOOD:
        return fitting(GOOD[param.kind_name], param)
    if param.kind_name.endswith("_out") and param.ctype.endswith(" *%s"):
        return f"room_for<{param.ctype[:-4]}>()"
    return None


def bad(param):
    if param.kind_name.endswith("_out") and param.kind.check:
        return NULL_ARG
    return [(fitting(value, param), cls) for value, cls in BAD.get(param.kind_name, [])]


rows = []
for function in read_table(Path(options.api) / "functions"):
    arguments = [good(p) for p in function.params]
    if function.unsupported or function.tool or function.anytime or function.returns != "int" or None in arguments:
        continue
    # Rank 1 calls, and is the root: every argument counts.
    own = [row for row in checks(function) if row not in same_memory_checks(function)]
    checked = {(row[-1], row[-2]) for row in own}
    for at, param in enumerate(function.params):
        for value, cls in bad(param):
            if (param.name, cls) not in checked:
                continue
            if value == "MPI_MINLOC" and all(p.kind_name != "datatype" for p in function.params):
                continue
            words = [*arguments[:at], value, *arguments[at + 1:]]
            rows.append(f'    {{"MPI_{function.name}({param.name} = {value.replace(chr(34), chr(39))})", {cls}, '
                        f'[] {{ return MPI_{function.name}({", ".join(words)}); }}}},')
Path(options.out).write_text("\n".join(rows) + "\n")
