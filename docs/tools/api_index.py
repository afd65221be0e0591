#!/usr/bin/env python3
"""Writes docs/API.md, the list of all public functions, or checks that it is as it would be written.

usage: api_index.py ROOT           writes ROOT/docs/API.md
       api_index.py ROOT --check   exit code 1 if it differs
"""
import re
import sys
from pathlib import Path

from c_header import first_sentence, read_header
from header_pages import TITLES, short

HEADERS = ["spmc/include/spmc/spmc.h", "space/include/space/space.h", "chan/include/chan/chan.h",
           "chan/include/chan/stream.h"]
TABLE = "detmpi/api/functions"
INTRO = """# All public functions

One line each. After the installation every function has a manual page: `man -M dist/share/man chan_send`. The C++
interfaces are described in their headers: [spmc/region.hpp](../spmc/include/spmc/region.hpp),
[space/space.hpp](../space/include/space/space.hpp), [chan/channel.hpp](../chan/include/chan/channel.hpp),
[chan/stream.hpp](../chan/include/chan/stream.hpp), [dmr/map_reduce.hpp](../dmr/include/dmr/map_reduce.hpp),
[dmr/pipeline.hpp](../dmr/include/dmr/pipeline.hpp).

This page is made from the headers and from the table of MPI functions by `docs/tools/api_index.py`; a test compares.
"""


def table(rows):
    return ["", "| function | what it does |", "|---|---|"] + [f"| `{name}` | {text} |" for name, text in rows]


def cell(text):
    return text.replace("|", "\\|").rstrip(".")


def header_section(root, path):
    include = re.sub(r".*include/", "", path)
    header = read_header((root / path).read_text(), include)
    layer = Path(include).stem
    rows = [(f.name, cell(short(group.text_of(f)))) for group, f in header.functions()]
    title = TITLES[layer]
    return [f"## `{include}`: {title}", "", f"[The header](../{path}) says everything."] + table(rows)


def mpi_sections(root):
    sys.path.insert(0, str(root / "detmpi/api"))
    from table import forms, read_table  # only there once the path is set
    chapters = {}
    everything = read_table(root / TABLE)
    for function in everything:
        if not function.shares:
            chapters.setdefault(function.chapter, []).append(function)
    lines = ["## `mpi.h`: DetMPI", "", "Each also exists under its profiling name, `PMPI_...`. What "
             "ends in `_c` is for large counts, of type `MPI_Count`."]
    for chapter, functions in chapters.items():
        title = re.sub(r"^\d+-", "", chapter).replace("-", " ")
        lines += ["", f"### {title[:1].upper()}{title[1:]}"]
        lines += table(("`, `".join(f"MPI_{form.name}" for form in forms(f, everything)), cell(first_sentence(f.text)))
                       for f in functions)
    return lines


def index(root):
    lines = [INTRO.rstrip("\n")]
    for path in HEADERS:
        lines += [""] + header_section(root, path)
    lines += [""] + mpi_sections(root)
    return "\n".join(lines) + "\n"


def main():
    if len(sys.argv) not in (2, 3) or sys.argv[2:] not in ([], ["--check"]):
        sys.exit(__doc__)
    root = Path(sys.argv[1])
    page = root / "docs/API.md"
    text = index(root)
    if len(sys.argv) == 2:
        page.write_text(text)
        return
    if not page.exists() or page.read_text() != text:
        sys.exit("docs/API.md is not what the headers and the function table say: run docs/tools/api_index.py .")


if __name__ == "__main__":
    main()
