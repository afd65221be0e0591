"""The MPI libraries of this machine: how to find them, to compile for them and to start their jobs."""

import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PEERS = ("mpich", "openmpi")
LIBRARIES = ("detmpi", *PEERS)
# The peers' C++ bindings are not used, and their headers give warnings.
NO_CXX_BINDINGS = ["-DMPICH_SKIP_MPICXX", "-DOMPI_SKIP_MPICXX"]


def note(text):
    print(text, file=sys.stderr, flush=True)


def shorten(text, limit=300):
    text = " ".join(text.split())
    return text if len(text) <= limit else text[: limit - 3] + "..."


class Library:
    """One MPI library: its compiler wrappers and how it starts a job."""

    def __init__(self, name, cc, cxx, launcher):
        self.name = name
        self.cc = cc
        self.cxx = cxx
        self.launcher = launcher  # without the rank count
        self.programs = {}  # program name -> path, filled by who builds

    def command(self, program, ranks, arguments):
        return [*self.launcher, str(ranks), self.programs[program], *arguments]


def find_program(*candidates):
    for candidate in candidates:
        path = shutil.which(str(candidate))
        if path:
            return path
    return None


def describe_library(name, dist):
    """The library's commands, None where one is not there: compilers for C and C++, launcher."""
    if name == "detmpi":
        tools = dist / "bin"
        launcher = find_program(tools / "detmpirun", "detmpirun")
        return (find_program(tools / "detmpicc", "detmpicc"), find_program(tools / "detmpicxx", "detmpicxx"),
                launcher and [launcher, "-n"])
    cc, cxx = find_program(f"mpicc.{name}"), find_program(f"mpicxx.{name}")
    if name == "mpich":
        launcher = find_program("mpirun.mpich", "mpiexec.hydra")
        return cc, cxx, launcher and [launcher, "-n"]
    launcher = find_program("mpirun.openmpi")
    root = ["--allow-run-as-root"] if os.geteuid() == 0 else []
    return cc, cxx, launcher and [launcher, *root, "--oversubscribe", "-np"]


def find_libraries(names, dist, tool="compare"):
    """Those of the names that are there; `tool` says on standard error what is left out."""
    found = []
    for name in names:
        cc, cxx, launcher = describe_library(name, dist)
        if cc and launcher:
            found.append(Library(name, cc, cxx, launcher))
        else:
            missing = "launcher" if cc else "compiler wrapper"
            note(f"{tool}: {name} left out: its {missing} was not found")
    return found


def compile_program(compiler, flags, target, sources):
    """None, or what the compiler said."""
    done = subprocess.run([compiler, *flags, "-o", str(target), *map(str, sources)], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
    return None if done.returncode == 0 else done.stdout
