"""What the tests of npb share: the path to its modules, records, and a folder of stand-ins for the MPI libraries."""

import pathlib
import sys
import unittest

NPB = pathlib.Path(__file__).resolve().parent.parent / "npb"
sys.path[:0] = [str(NPB.parent), str(NPB.parent.parent / "bench")]
sys.dont_write_bytecode = True


def run_record(**fields):
    """A run that went well, but for the fields that are given."""
    record = {
        "kind": "run", "round": 1, "benchmark": "cg", "class": "S", "ranks": 2, "variant": "", "library": "detmpi",
        "mode": "logical", "status": "ok", "reason": None, "exit_code": 0, "seconds": 1.0, "wall_seconds": 1.5,
        "mops": 100.0, "verified": True, "output": "same", "digest": None, "user_seconds": 1.0, "system_seconds": 0.1,
        "page_faults": 1000, "context_switches": 10, "version": "0.1.0", "time": "2030-01-01T00:00:00+00:00",
    }
    return record | {name.replace("problem_class", "class"): value for name, value in fields.items()}


def session_record():
    return {
        "kind": "session", "version": "0.1.0", "tree": "abc", "command": "npb run --classes <S>",
        "machine": {"processor": "Some Processor", "cores": 2, "memory_mib": 4096, "virtual": True, "kernel": "6.1",
                    "system": "Debian", "compiler": "g++ 12", "python": "3.11", "load": 0.5},
        "libraries": {"detmpi": {"version": "0.1.0", "launcher": "detmpirun -n", "compiler": "detmpicxx"}},
        "flags": "-O3", "repeats": 3, "timeout": 300, "time": "2030-01-01T00:00:00+00:00",
    }


# A launcher: says its version; else waits and fails as $FAKE/behaviour says for the library, and prints a summary.
LAUNCHER = """#!/bin/sh
[ "$1" = --version ] && { echo "fake NAME, Version: 1.2.3"; exit 0; }
echo "NAME $*" >>"$FAKE/calls"
own=
[ -e "$FAKE/own" ] && own=$(cat "$FAKE/own")
[ -n "$NPB_COUNTERS" ] && echo '{"messages": 7, "bytes": 56, "wildcards": 0'"$own}" >"$NPB_COUNTERS"
[ -n "$NPB_TRACE" ] && [ -d "$FAKE/traces" ] && cp "$FAKE"/traces/* "$NPB_TRACE"
verification=SUCCESSFUL code=0
[ -e "$FAKE/NAME" ] && . "$FAKE/NAME"
echo " VERIFICATION $verification"
echo " Time in seconds = 0.250000
 Mop/s total     = 123.45
 Verification    = $verification" >&2
exit $code
"""

# A compiler: notes that it was called and makes an executable of its last -o.
COMPILER = """#!/bin/sh
echo "compile NAME $*" >>"$FAKE/calls"
[ -e "$FAKE/broken" ] && { echo "oh dear"; exit 1; }
while [ "$1" != -o ]; do shift; done
echo '#!/bin/sh' >"$2"
chmod +x "$2"
"""

# Programs over channels are launchers themselves. This one is asked for its version, too, as the machine's compiler.
CHANNELS_COMPILER = COMPILER.replace("#!/bin/sh\n", """#!/bin/sh
[ "$1" = --version ] && { echo "g++ 1.2.3"; exit 0; }
""", 1).replace("""echo '#!/bin/sh' >"$2"
""", """cp "$FAKE/over-channels" "$2"
""")


def make_stand_ins(folder):
    """DetMPI in folder/dist, the peers and g++ in folder/path."""
    places = {
        "dist/bin/detmpirun": LAUNCHER, "dist/bin/detmpicc": COMPILER, "dist/bin/detmpicxx": COMPILER,
        "path/mpirun.mpich": LAUNCHER, "path/mpicc.mpich": COMPILER, "path/mpicxx.mpich": COMPILER,
        "path/mpirun.openmpi": LAUNCHER, "path/mpicc.openmpi": COMPILER, "path/mpicxx.openmpi": COMPILER,
        "path/g++": CHANNELS_COMPILER, "over-channels": LAUNCHER, "dist/lib/libdlinux.so": "",
    }
    for name, text in places.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        library = next((each for each in ("detmpi", "mpich", "openmpi") if each in name), "channels")
        path.write_text(text.replace("NAME", library), encoding="utf-8")
        path.chmod(0o755)


def main():
    """Runs the tests of the program; the last line counts them for tools/tally.py."""
    done = unittest.main(exit=False).result
    failed = len(done.failures) + len(done.errors)
    skipped = len(done.skipped)
    print(f"tally: {done.testsRun - failed - skipped} passed, {failed} failed, {skipped} skipped")
    sys.exit(0 if done.wasSuccessful() else 1)
