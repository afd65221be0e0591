#!/usr/bin/env python3
"""Writes calls of every MPI function with one bad argument and good ones else, for each parameter that can be bad."""
import argparse
import sys
from pathlib import Path

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--api", required=True, help="folder of the table and its reader")
parser.add_argument("--out", required=True)
options = parser.parse_args()
sys.path.insert(0, options.api)
from generate import checks, counts_with_type  # noqa: E402
from kinds import BUFFERS, COUNTS  # noqa: E402
from same_memory import same_memory_checks  # noqa: E402
from table import read_table  # noqa: E402

# By kind: an argument that is good. What begins with g_ stands in bad_calls_test.cpp.
GOOD = {
    "sbuf": "g_buffer", "sbufi": "g_buffer", "rbuf": "g_other", "rbufi": "g_other", "iobuf": "g_buffer",
    "memory": "g_buffer", "cmemory": "g_buffer", "packed": "g_buffer", "address": "g_buffer", "address_out": "g_buffer",
    "count": "1", "number": "1", "bigcount": "1", "int": "1", "room": "1", "ndims": "1", "step": "1", "aint": "0",
    "distance": "0", "partitions": "1", "part_count": "1",
    "ints": "g_ints", "ints_out": "g_ints", "ints_io": "g_ints", "int_list": "g_ints", "old_ints": "g_ints",
    "counts": "g_ints", "own_counts": "g_ints", "edge_counts": "g_ints", "displs": "g_ints", "edge_displs": "g_ints",
    "lengths": "g_ints", "coordinates": "g_ints", "distances": "g_ints", "aints": "g_ints", "aints_out": "g_ints",
    "old_aints": "g_ints", "edge_aints": "g_ints", "counts_out": "g_ints", "ranges": "g_ranges",
    "weights": "MPI_UNWEIGHTED", "weights_out": "MPI_UNWEIGHTED",
    "dest": "2", "source": "2", "part_source": "2", "root": "1", "tag": "3", "rtag": "3",
    "comm": "MPI_COMM_WORLD", "topo_comm": "MPI_COMM_WORLD", "peer_comm": "MPI_COMM_WORLD",
    "group": "MPI_GROUP_EMPTY", "peer_group": "MPI_GROUP_EMPTY", "op": "MPI_SUM", "session": "g_session",
    "datatype": "MPI_INT", "anytype": "MPI_INT", "datatypes": "g_types", "anytypes": "g_types", "edge_types": "g_types",
    "old_anytypes": "g_types", "anytypes_out": "g_types", "errhandler": "MPI_ERRORS_RETURN",
    "initial_errhandler": "g_errhandler", "info": "g_info", "info_opt": "MPI_INFO_NULL",
    "env_argv": "nullptr", "comm_io": "at(MPI_COMM_WORLD)", "group_io": "at(MPI_GROUP_EMPTY)", "op_io": "at(MPI_SUM)",
    "datatype_io": "at(MPI_INT)", "errhandler_io": "at(g_errhandler)", "info_io": "at(g_info)", "session_io": "at(g_session)",
    "key": '"key"', "string": '"text"', "string_out": "g_text", "cstring_out": "g_text",
    "request": "MPI_REQUEST_NULL", "requests": "g_requests", "status": "MPI_STATUS_IGNORE",
    "statuses": "MPI_STATUSES_IGNORE",
}
# By kind: what is bad, each with its class.
NULL_ARG = [("nullptr", "MPI_ERR_ARG")]
NEGATIVE = [("-1", "MPI_ERR_COUNT")]
NULL_BUFFER = [("nullptr", "MPI_ERR_BUFFER")]
NO_BUFFER = NULL_BUFFER + [("MPI_IN_PLACE", "MPI_ERR_BUFFER")]
BAD_COUNTS = NULL_ARG + [("g_negative", "MPI_ERR_COUNT")]
BAD_TYPES = NULL_ARG + [("g_bad_types", "MPI_ERR_TYPE")]
BAD_TYPE_LIST = NULL_ARG + [("g_bad_types + 2", "MPI_ERR_TYPE")]  # of length 1
BAD_COMMS = [("MPI_COMM_NULL", "MPI_ERR_COMM"), ("MPI_INT", "MPI_ERR_COMM"), ("g_freed_comm", "MPI_ERR_COMM")]
BAD = {
    "count": NEGATIVE, "number": NEGATIVE, "bigcount": NEGATIVE, "part_count": NEGATIVE,
    "partitions": [("-1", "MPI_ERR_ARG")], "room": [("-1", "MPI_ERR_ARG")], "ndims": [("-1", "MPI_ERR_DIMS")],
    "counts": BAD_COUNTS, "own_counts": BAD_COUNTS, "edge_counts": BAD_COUNTS,
    "datatypes": BAD_TYPES, "edge_types": BAD_TYPES, "anytypes": BAD_TYPE_LIST, "old_anytypes": BAD_TYPE_LIST,
    "dest": [("4", "MPI_ERR_RANK"), ("-7", "MPI_ERR_RANK"), ("MPI_ANY_SOURCE", "MPI_ERR_RANK")],
    "source": [("4", "MPI_ERR_RANK"), ("-7", "MPI_ERR_RANK")],
    "part_source": [("4", "MPI_ERR_RANK"), ("MPI_ANY_SOURCE", "MPI_ERR_RANK")],
    "root": [("4", "MPI_ERR_ROOT"), ("-1", "MPI_ERR_ROOT")],
    "tag": [("-1", "MPI_ERR_TAG")], "rtag": [("-2", "MPI_ERR_TAG")],
    "comm": BAD_COMMS, "topo_comm": BAD_COMMS + [("MPI_COMM_SELF", "MPI_ERR_TOPOLOGY")],
    "group": [("MPI_GROUP_NULL", "MPI_ERR_GROUP"), ("MPI_INT", "MPI_ERR_GROUP")],
    "datatype": [("MPI_DATATYPE_NULL", "MPI_ERR_TYPE"), ("MPI_COMM_WORLD", "MPI_ERR_TYPE"),
                 ("g_uncommitted", "MPI_ERR_TYPE"), ("g_freed_type", "MPI_ERR_TYPE")],
    "anytype": [("MPI_DATATYPE_NULL", "MPI_ERR_TYPE"), ("g_freed_type", "MPI_ERR_TYPE")],
    "op": [("MPI_OP_NULL", "MPI_ERR_OP"), ("MPI_INT", "MPI_ERR_OP")],
    "errhandler": [("MPI_ERRHANDLER_NULL", "MPI_ERR_ARG")], "initial_errhandler": [("MPI_ERRHANDLER_NULL", "MPI_ERR_ARG")],
    "info": [("MPI_INFO_NULL", "MPI_ERR_INFO")], "info_opt": [("MPI_INT", "MPI_ERR_INFO")],
    "session": [("MPI_SESSION_NULL", "MPI_ERR_SESSION"), ("MPI_INT", "MPI_ERR_SESSION")],
    "comm_io": NULL_ARG + [("at(MPI_COMM_NULL)", "MPI_ERR_COMM")],
    "group_io": NULL_ARG + [("at(MPI_GROUP_NULL)", "MPI_ERR_GROUP")],
    "op_io": NULL_ARG + [("at(MPI_OP_NULL)", "MPI_ERR_OP")],
    "datatype_io": NULL_ARG + [("at(MPI_DATATYPE_NULL)", "MPI_ERR_TYPE")],
    "errhandler_io": NULL_ARG + [("at(MPI_ERRHANDLER_NULL)", "MPI_ERR_ARG")],
    "info_io": NULL_ARG + [("at(MPI_INFO_NULL)", "MPI_ERR_INFO")],
    "session_io": NULL_ARG + [("at(MPI_SESSION_NULL)", "MPI_ERR_SESSION")],
    "key": [("nullptr", "MPI_ERR_INFO_KEY"), ('""', "MPI_ERR_INFO_KEY")],
    "requests": [("nullptr", "MPI_ERR_REQUEST")], "request_io": [("nullptr", "MPI_ERR_REQUEST")],
    "request_ref": [("nullptr", "MPI_ERR_REQUEST")],
    "sbuf": NO_BUFFER, "sbufi": NULL_BUFFER, "rbuf": NO_BUFFER, "rbufi": NULL_BUFFER, "iobuf": NO_BUFFER,
}
# Pointers that may be null.
OPTIONAL = {
    "memory", "cmemory", "packed", "address", "coordinates", "int_list", "weights", "weights_out", "cstring_out",
    "comm_copy_attr_fn", "comm_delete_attr_fn", "type_copy_attr_fn", "type_delete_attr_fn", "env_argv",
}
# What the arguments are of cannot be called here.
APART = {"Init", "Init_thread", "Pcontrol"}


def fitting(value, param):
    """The same array of the type of the parameter."""
    for ctype, suffix in (("MPI_Count", "_large"), ("MPI_Aint", "_distances")):
        if ctype in param.ctype and value in ("g_ints", "g_negative"):
            return value + suffix
    return value


def good(param):
    if param.kind_name in GOOD:
        return fitting(GOOD[param.kind_name], param)
    pointed = param.ctype.removeprefix("const ").removesuffix(" *%s")
    if param.kind_name.endswith(("_fn", "_function")):
        return f"any_function<{pointed}>()"
    return f"room_for<{pointed}>()"


def is_pointer(param):
    return "*" in param.ctype or "[]" in param.ctype


def bad(function, param):
    """What is bad for the parameter, with its class."""
    if param.kind_name in BUFFERS:
        if function.after(param, (*COUNTS, "part_count", "edge_counts")) is None:
            return []  # there is no telling whether there are data
    if param.kind_name in BAD:
        found = [(fitting(value, param), cls) for value, cls in BAD[param.kind_name]]
    else:
        found = NULL_ARG if is_pointer(param) and param.kind_name not in OPTIONAL else []
    if param in counts_with_type(function) and "MPI_Count" in param.ctype:
        found = found + [("MPI_Count{1} << 61", "MPI_ERR_COUNT")]
    if param.kind_name in ("counts", "own_counts", "edge_counts") and "MPI_Count" in param.ctype:
        found = found + [("g_too_long_large", "MPI_ERR_COUNT")]
    if param.kind_name == "op" and any(p.kind_name == "datatype" for p in function.params):
        found = found + [("MPI_MINLOC", "MPI_ERR_OP")]
    return found


def check_table(function):
    """The table checks what is bad, and nothing else."""
    same_memory = same_memory_checks(function)  # tested by wrong_buffers.cpp
    checked = {(row[-1], row[-2]) for row in checks(function) if row not in same_memory}
    wanted = {(p.name, cls) for p in function.params for _, cls in bad(function, p)}
    if checked != wanted:
        sys.exit(f"MPI_{function.name}: not checked: {sorted(wanted - checked)}; without a bad call: "
                 f"{sorted(checked - wanted)}")


rows = []
for function in read_table(Path(options.api) / "functions"):
    if function.unsupported or function.tool or function.returns != "int" or function.name in APART:
        continue
    check_table(function)
    # Rank 1 calls, and is the root: every argument counts.
    arguments = [good(p) for p in function.params]
    for at, param in enumerate(function.params):
        for value, cls in bad(function, param):
            words = [*arguments[:at], value, *arguments[at + 1:]]
            rows.append(f'    {{"MPI_{function.name}({param.name} = {value.replace(chr(34), chr(39))})", {cls}, '
                        f'[] {{ return MPI_{function.name}({", ".join(words)}); }}}},')
Path(options.out).write_text("\n".join(rows) + "\n")
