#!/usr/bin/env python3
"""Compares every constant of mpi.h with the header of an installed MPICH; exits with 77 if there is none."""
import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

# Constants that rightly differ, or that belong to functions of MPI-4 and of other libraries.
DIFFER = {"MPI_VERSION", "MPI_SUBVERSION"}
ABSENT = re.compile(r"MPI_(AINT_FMT_\w+|\w+_INVALID|\w+_FN_NULL_C"
                    r"|INCLUDED|FILE_DEFINED)$|MPI_T_PVAR_CLASS_(FIRST|LAST|NUMBER)$")
SIZES = ["MPI_Aint", "MPI_Count", "MPI_Offset", "MPI_Fint", "MPI_Status", "MPI_F08_status", "MPI_Comm",
         "MPI_File", "MPI_Datatype", "MPI_Request", "MPI_Op", "MPI_Group", "MPI_Info", "MPI_Errhandler",
         "MPI_Message", "MPI_Win"]
FIELDS = ["count_lo", "count_hi_and_cancelled", "MPI_SOURCE", "MPI_TAG", "MPI_ERROR"]


def find_peer():
    """Folder of the MPICH header, in the usual places."""
    folders = ["/usr/include/x86_64-linux-gnu/mpich", "/usr/include/mpich", "/usr/include/mpich-x86_64"]
    return next((f for f in folders if (Path(f) / "mpi.h").is_file()), None)


def names_in(cc, folder):
    """Object-like macros and enumerators whose names begin with MPI_."""
    source = "#include <mpi.h>\n"
    macros = subprocess.run(cc + ["-E", "-dM", "-x", "c", f"-I{folder}", "-"], input=source, check=True,
                            capture_output=True, text=True).stdout
    names = set(re.findall(r"^#define (MPI_\w+) \S", macros, re.M))
    text = subprocess.run(cc + ["-E", "-P", "-x", "c", f"-I{folder}", "-"], input=source, check=True,
                          capture_output=True, text=True).stdout
    for body in re.findall(r"\benum\b[^{};]*\{([^}]*)\}", text):
        # Names in _T number the functions.
        names |= {n for n in re.findall(r"\b(MPI_\w+)\b", body) if not n.endswith("_T")}
    return names


def values(cc, folder, names, scratch):
    """Value of each name as an integer, computed by a program that includes the header."""
    rows = "".join(f'  printf("{n} %lld\\n", (long long)({n}));\n' for n in sorted(names))
    rows += "".join(f'  printf("sizeof({t}) %lld\\n", (long long)sizeof({t}));\n' for t in SIZES)
    rows += "".join(f'  printf("{f} at %lld\\n", (long long)offsetof(MPI_Status, {f}));\n' for f in FIELDS)
    headers = "".join(f"#include <{h}>\n" for h in ("mpi.h", "stddef.h", "stdio.h"))
    source = f"{headers}int main(void) {{\n{rows}  return 0;\n}}\n"
    program = Path(scratch) / "values"
    subprocess.run(cc + ["-w", "-x", "c", f"-I{folder}", "-o", str(program), "-"], input=source, check=True,
                   text=True)
    out = subprocess.run([str(program)], check=True, capture_output=True, text=True).stdout
    return {line.rsplit(" ", 1)[0]: int(line.rsplit(" ", 1)[1]) for line in out.splitlines()}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cc", nargs="+", required=True, help="C compiler")
    parser.add_argument("--header", required=True, help="our mpi.h")
    options = parser.parse_args()
    peer = find_peer()
    if not peer:
        print("no MPICH header is installed: skipped")
        return 77
    ours = str(Path(options.header).parent)
    # What refers to a symbol of the library is left out: the programs are not linked with any.
    linked = re.compile(r"MPI_\w*DUP_FN$|MPI_STRUCT|MPI_UNWEIGHTED|MPI_WEIGHTS_EMPTY|MPI_T_PVAR_ALL_HANDLES|MPI_VERSION_STRING")
    peer_names = {n for n in names_in(options.cc, peer) if not linked.match(n)}
    our_names = {n for n in names_in(options.cc, ours) if not linked.match(n)}
    missing = {n for n in peer_names - our_names if not ABSENT.match(n)}
    common = peer_names & our_names
    with tempfile.TemporaryDirectory() as scratch:
        theirs = values(options.cc, peer, common, scratch)
        mine = values(options.cc, ours, common, scratch)
    wrong = {n for n in theirs if theirs[n] != mine[n] and n not in DIFFER}
    for name in sorted(missing):
        print(f"missing: {name}")
    for name in sorted(wrong):
        print(f"{name} is {mine[name]}, MPICH has {theirs[name]}")
    print(f"{len(common)} constants compared with {peer}/mpi.h, {len(missing)} missing, {len(wrong)} wrong")
    return 1 if missing or wrong or len(common) < 300 else 0


if __name__ == "__main__":
    sys.exit(main())
