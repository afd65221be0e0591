#!/usr/bin/env python3
"""Writes what is linked into a program of the tests so that each of its calls goes through the form for large counts of
the function, by way of the profiling interface: the program's checks are then checks of these forms. Made from the
function table, so that none is left out but those that take a function of the program's."""
import argparse
import sys
from pathlib import Path

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--api", required=True, help="folder of the table and its reader")
parser.add_argument("--out", required=True)
options = parser.parse_args()
sys.path.insert(0, options.api)
from table import read_table  # noqa: E402

HEAD = """// Generated from the function table; do not edit.
#include "large_forms.hpp"

extern "C" {
"""
EDGES = {"edges_in": "edges(comm).in", "edges_out": "edges(comm).out"}


def length(function, param):
    """How many elements an array has."""
    if param.kind_name == "own_counts":
        return "ranks(comm)"
    if param.kind_name in ("counts", "displs"):
        return f"root == rank_in(comm) || root == MPI_ROOT ? peers(comm) : 0" if param.at_root else "peers(comm)"
    return EDGES.get(param.argument, param.argument)


def converted(function, param):
    """(statements before the call, argument, statements after it)"""
    name, kind = param.name, param.kind
    if not kind.large or kind.large.split("%")[0] == kind.ctype.split("%")[0]:
        return [], name, []
    if kind.large.endswith("[]"):
        element = kind.large.split()[1]
        return [], f"widened<{element}>({name}, {length(function, param)})", []
    if "*" not in kind.large:
        return [], name, []
    element = kind.large.split()[0]
    before = f"{element} {name}_c = {f'{name} != nullptr ? *{name} : 0' if kind.direction == 'inout' else '0'};"
    after = f"if (code == MPI_SUCCESS) *{name} = narrowed<std::remove_pointer_t<decltype({name})>>({name}_c);"
    return [before], f"{name} != nullptr ? &{name}_c : nullptr", [after]


def wrapper(short, large):
    parts = [converted(short, p) for p in short.params]
    lines = [line for before, _, _ in parts for line in before]
    lines.append(f"const int code = PMPI_{large.name}({', '.join(call for _, call, _ in parts)});")
    lines += [line for _, _, after in parts for line in after]
    body = "".join(f"  {line}\n" for line in lines + ["return code;"])
    return f"{short.declaration('MPI_')} {{\n{body}}}\n"


functions = {f.name: f for f in read_table(Path(options.api) / "functions")}
pairs = [(functions[f.large_of], f) for f in functions.values() if f.shares and not f.unsupported]
text = "\n".join(wrapper(*pair) for pair in pairs if not any("_function" in p.ctype for p in pair[0].params))
Path(options.out).write_text(HEAD + text + '}  // extern "C"\n')
