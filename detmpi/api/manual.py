#!/usr/bin/env python3
"""Writes a manual page (section 3) for every function of the table; a form for large counts shares the other's."""
import argparse
from pathlib import Path

from generate import checks
from table import forms, read_table

DIRECTIONS = {"in": "in", "out": "out", "inout": "in and out"}
ALWAYS = "MPI_ERR_OTHER"


def escape(text):
    return text.replace("\\", "\\e").replace("-", "\\-")


def signature(function):
    params = [p.declaration for p in function.params] or ["void"]
    head = f"{function.returns} MPI_{function.name}("
    line = head + ", ".join(params) + ");"
    if len(line) <= 78:
        return [escape(line)]
    return [escape(head)] + [escape("    " + p + (");" if i == len(params) - 1 else ",")) for i, p in enumerate(params)]


def synopsis(function, functions):
    lines = [".SH SYNOPSIS", ".nf", "#include <mpi.h>"]
    for form in forms(function, functions):
        lines += ["", *signature(form)]
    return lines + [".fi"]


def parameters(function):
    lines = []
    for p in function.params:
        if not p.kind.text:
            continue
        text = p.kind.text
        if p.at_root:
            text += "; significant at the root alone"
        if p.after_first:
            text += "; not significant at rank 0 unless the other is MPI_IN_PLACE"
        if p.guards:
            text += f"; ignored where {' and '.join(p.guards)} is MPI_IN_PLACE"
        if any(p.argument == other.name for other in function.params):
            text += f"; {p.argument} of them"
        lines += [".TP", f".I {escape(p.name)}", escape(f"({DIRECTIONS[p.kind.direction]}) {text}")]
    return [".SH PARAMETERS"] + lines if lines else []


def errors(function):
    if function.returns != "int":
        return ["None is returned."]
    if function.unsupported:
        return [escape("MPI_ERR_UNSUPPORTED_OPERATION, always.")]
    if function.tool:
        lines = [escape("The function returns MPI_SUCCESS or an error code; no error handler is called:")]
        texts = function.errors | {"MPI_T_ERR_NOT_INITIALIZED": "called before MPI_T_init_thread"}
        return lines + [line for cls in sorted(texts) for line in (".TP", f".B {escape(cls)}", escape(texts[cls]))]
    classes = {}
    for *_, cls, name in checks(function):
        names = classes.setdefault(cls, [])
        if name not in names:
            names.append(name)
    lines = [escape("The function returns MPI_SUCCESS, or raises an error on the error handler of the "
                    "communicator (of MPI_COMM_WORLD where there is none), which by default ends the job:")]
    texts = {cls: " or ".join(names) + " is not valid" for cls, names in classes.items()}
    for cls, text in function.errors.items():
        texts[cls] = f"{texts[cls]}; {text}" if cls in texts else text
    for cls in sorted(texts):
        lines += [".TP", f".B {escape(cls)}", escape(texts[cls])]
    if not function.outside and not function.anytime:
        lines += [".TP", f".B {escape(ALWAYS)}", escape("called before MPI_Init or after MPI_Finalize")]
    return lines


def see_also(function, functions):
    """Neighbours in the chapter that share the most parameters' kinds or the first word of the name."""
    word = function.name.split("_")[0]
    near = [f for f in functions if f is not function and not f.shares and f.chapter == function.chapter]
    near.sort(key=lambda f: f.name.split("_")[0] != word)
    return [escape(", ".join(f"MPI_{f.name}(3)" for f in near[:6]))]


def page(function, functions):
    if function.shares:
        return f".so man3/MPI_{function.large_of}.3\n"
    names = [f"MPI_{f.name}" for f in forms(function, functions)]
    name = names[0]
    lines = [f'.TH {escape(name)} 3 "" "DetMPI" "DetMPI reference"', ".SH NAME",
             escape(f"{', '.join(names)} - {function.text.rstrip('.')}")]
    lines += synopsis(function, functions) + parameters(function)
    lines += [".SH DESCRIPTION", escape(function.text), ".PP",
              escape(f"P{name} is the same function under its profiling name.")]
    lines += [escape(f"{large} is the same for large counts.") for large in names[1:]]
    lines += [".SH DETERMINISM", escape(function.determinism)]
    lines += [".SH ERRORS"] + errors(function)
    lines += [".SH SEE ALSO"] + see_also(function, functions)
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--functions", required=True, help="folder of the table")
    parser.add_argument("--list", action="store_true", help="print the names of the pages, and write nothing")
    parser.add_argument("--out", help="folder to write to")
    options = parser.parse_args()
    functions = read_table(options.functions)
    for function in functions:
        name = f"MPI_{function.name}.3"
        if options.list:
            print(name)
        else:
            (Path(options.out) / name).write_text(page(function, functions))


if __name__ == "__main__":
    main()
