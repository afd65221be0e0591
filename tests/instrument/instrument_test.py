"""Programs compiled with the plugin: the clock follows their work, and is the same in every run.

usage: instrument_test.py CC CXX PLUGIN INCLUDE LIBDIR DETMPIRUN [FORTRAN]
"""
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAMS = Path(__file__).parent / "programs"
TIME_LIMIT_S = 120
OPTIONS = [["-O0"], ["-O1"], ["-Og"], ["-O2"], ["-O3"], ["-O2", "-flto"], ["-O2", "-fPIC"], ["-O2", "-fsanitize=undefined"]]


class Bench:
    """Compiles and runs in a folder of its own."""

    def __init__(self, cc, cxx, plugin, include, libdir, detmpirun, fortran, folder):
        self.compilers = {".c": cc, ".cpp": cxx, ".f90": fortran}
        self.plugin = plugin
        self.flags = [f"-I{include}"]
        self.libs = [f"-L{libdir}", f"-Wl,-rpath,{libdir}", "-ldetmpi", "-lm"]
        self.detmpirun = detmpirun
        self.folder = Path(folder)
        self.built = 0

    def build(self, source, *options, instrument=True, objects=()):
        self.built += 1
        out = self.folder / f"program{self.built}"
        compiler = self.compilers[Path(source).suffix]
        plugin = [f"-fplugin={self.plugin}"] if instrument else []
        libs = [] if "-c" in options else self.libs
        subprocess.run([compiler, *self.flags, *plugin, *options, PROGRAMS / source, *objects, "-o", out, *libs],
                       check=True, timeout=TIME_LIMIT_S)
        return out

    def run(self, program, *options, ranks=1, arguments=(), around=()):
        command = [*around, self.detmpirun, "-n", str(ranks), "--wtime=logical", *options, program, *arguments]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=TIME_LIMIT_S)
        if done.returncode != 0 or done.stderr:
            raise AssertionError(f"{command} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
        return done.stdout


def times(output):
    """{what: ticks} of the lines that a program reports."""
    return {name: int(ticks) for name, ticks in re.findall(r"^([^:\n]*) (\d+)$", output, re.M)}


def expect(condition, what):
    if not condition:
        raise AssertionError(what)


# --- the tests: each takes the bench ---


def same_in_every_run(bench):
    for source in ("kinds.c", "kinds.cpp"):
        for options in OPTIONS:
            program = bench.build(source, *options)
            first = bench.run(program)
            for start in ("--start=fork", "--start=exec"):
                again = bench.run(program, start)
                expect(again == first, f"{source} {options}:\n{first}\nbut with {start}:\n{again}")


def every_kind_of_work_counts(bench):
    for source in ("kinds.c", "kinds.cpp"):
        for options in OPTIONS:
            for what, ticks in times(bench.run(bench.build(source, *options))).items():
                enough = ticks <= 1 if what == "nothing" else ticks >= 5
                expect(enough, f"{source} {options}: {what} takes {ticks}")


def in_proportion(bench):
    ticks = times(bench.run(bench.build("kinds.c", "-O2")))
    expect(90 <= ticks["nest"] / ticks["smaller nest"] <= 110, f"a hundredfold nest: {ticks}")
    expect(1.8 <= ticks["nest"] / ticks["triangle"] <= 2.2, f"half a nest: {ticks}")


def the_machine_makes_no_difference(bench):
    for source in ("kinds.c", "kinds.cpp"):
        plain = bench.run(bench.build(source, "-O3"))
        for more in ("-mavx2", "-g"):
            program = bench.build(source, "-O3", more)
            if more == "-mavx2" and "avx2" not in Path("/proc/cpuinfo").read_text():
                continue
            expect(bench.run(program) == plain, f"{source}: another clock with {more}")


def not_without_the_plugin(bench):
    for source in ("kinds.c", "kinds.cpp"):
        ticks = times(bench.run(bench.build(source, "-O2", instrument=False)))
        expect(set(ticks.values()) == {0}, f"{source}: {ticks}")


def pauses(bench):
    program = bench.build("pauses.c", "-O2", "-pthread", "-fopenmp")
    first = bench.run(program)
    ticks = times(first)
    expect(ticks["work"] >= 20, first)
    for what, least in {"usleep": 2000, "nanosleep": 3000, "clock_nanosleep": 1500, "system calls": 1000}.items():
        expect(least <= ticks[what] <= least + 20, f"{what}: {first}")
    for what, most in {"init": 1, "signal": 2, "sigaction": 2, "thread": 5, "process": 150, "team": 5}.items():
        expect(ticks[what] <= most, f"{what}: {first}")
    expect("handlers as the program set them" in first, first)
    for _ in range(3):
        again = bench.run(program)
        expect(again == first, f"{first}\n{again}")


def handlers_under_every_name(bench):
    for mode, kind in {"-std=gnu11": "BSD", "-std=c11": "System V"}.items():
        # Without _DEFAULT_SOURCE `signal` is System V's (feature_test_macros(7)).
        more = ["-D_POSIX_C_SOURCE=200809L"] if kind == "System V" else []
        out = bench.run(bench.build("handlers.c", "-O2", mode, *more))
        ticks = times(out)
        kinds = {"signal": kind, "bsd_signal": "BSD", "ssignal": "BSD", "sysv_signal": "System V"}
        for name, expected in kinds.items():
            expect(ticks[name] <= 2, f"{mode}: a handler of {name} counts: {out}")
            expect(f"{name}: {expected}\n" in out, f"{mode}: {name} is not {expected}: {out}")
        expect(out.count("what was before\nwhich is right") == len(kinds), f"{mode}: {out}")
        expect("the default ends the process" in out, f"{mode}: {out}")


def a_handler_that_is_left(bench):
    for options in (["-O0"], ["-O3"]):
        out = bench.run(bench.build("handlers.c", *options))
        ticks = times(out)
        for what in [name for name in ticks if name.startswith("work")]:
            expect(0 <= ticks[what] - ticks["work"] <= 2, f"{options}: {what}: {out}")
        expect(ticks["handler after a jump"] <= 2, f"{options}: {out}")


def functions_that_headers_rename(bench):
    plain = bench.run(bench.build("names.c", "-O2", "-D_FORTIFY_SOURCE=0"))
    for what, least in {"sscanf": 146, "snprintf": 146, "memcpy": 6000, "strcpy": 10, "files": 500, "putc": 7,
                        "numbers": 29, "own signal": 1}.items():
        expect(least <= times(plain)[what] <= least * 1.2 + 2, f"{what}: {plain}")
    expect("result: 9573755\n" in plain, plain)
    for options in (["-std=c11", "-D_POSIX_C_SOURCE=200809L"], ["-D_FORTIFY_SOURCE=2"],
                    ["-D_FILE_OFFSET_BITS=64"], ["-D_FILE_OFFSET_BITS=64", "-D_FORTIFY_SOURCE=2"]):
        out = bench.run(bench.build("names.c", "-O2", *options))
        expect(out == plain, f"{options}:\n{out}\nbut\n{plain}")


def what_is_not_instrumented(bench):
    for options in (["-O0"], ["-O2"], ["-O2", "-flto"]):
        out = bench.run(bench.build("apart.cpp", *options))
        for what, number in times(out).items():
            counts = what in ("work", "always inlined")
            expect(number >= 20 if counts else number <= 1, f"{options}: {what}: {out}")


def outside_a_job(bench):
    program = bench.build("alone.c", "-O2")
    for arguments in ([], ["with MPI"]):
        done = subprocess.run([program, *arguments], capture_output=True, text=True, timeout=TIME_LIMIT_S)
        expect(done.returncode == 0 and done.stdout == "2\n", f"{done}")
    expect(bench.run(program, ranks=3, arguments=["with MPI"]) == "2\n" * 3, "in a job")


def fortran(bench):
    if bench.compilers[".f90"] is None:
        return
    for options in (["-O0"], ["-O2"], ["-O3"]):
        solver = bench.build("solver.f90", *options, "-c")
        os.rename(solver, f"{solver}.o")
        program = bench.build("calls_fortran.c", *options, objects=[f"{solver}.o", "-lgfortran"])
        first = bench.run(program)
        ticks = times(first)
        expect(ticks["fortran"] >= 20 and ticks["more fortran"] >= 2 * ticks["fortran"], first)
        expect(bench.run(program) == first, "another clock in the second run")


def tasks(bench):
    """The order in which a master takes results follows the work, whatever disturbs the ranks."""
    program = bench.build("tasks.c", "-O2")
    first = bench.run(program, ranks=5)
    one_core = ["taskset", "-c", str(min(os.sched_getaffinity(0)))]
    load = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2)]
    try:
        for around in ([], one_core, ["nice", "-n", "10"], one_core):
            for start in ("--start=fork", "--start=exec"):
                again = bench.run(program, start, ranks=5, around=around)
                expect(again == first, f"{around} {start}:\n{first}\n{again}")
    finally:
        for process in load:
            process.kill()
            process.wait()
    # Without the plugin a task takes no time, only messages do, here little: the workers take turns.
    soon = "--lookahead=16"
    worked = bench.run(program, soon, ranks=5)
    plain = bench.run(bench.build("tasks.c", "-O2", instrument=False), soon, ranks=5)
    expect(plain != worked, "the work makes no difference")
    makespan = float(re.search(r"time (\S+)", worked)[1])
    expect(makespan > 2 * float(re.search(r"time (\S+)", plain)[1]), f"{plain}\n{worked}")


def the_lookahead_makes_no_difference_to_work(bench):
    program = bench.build("kinds.c", "-O2")
    expect(bench.run(program, "--lookahead=1") == bench.run(program, "--lookahead=10000"), "lookahead")


def the_library_calls_no_copies_of_the_program(bench):
    """They would be counted as the program's work, and how often it calls some depends on timing."""
    log = bench.folder / "bindings"
    bindings = {"LD_BIND_NOW": "1", "LD_DEBUG": "bindings", "LD_DEBUG_OUTPUT": str(log)}
    program = bench.build("vectors.cpp", "-O0")
    bench.run(program, "--start=exec", ranks=2, around=["env", *(f"{name}={value}" for name, value in bindings.items())])
    lines = [line for file in bench.folder.glob("bindings.*") for line in file.read_text().splitlines()
             if f" to {program} " in line]
    own = re.compile(r"/lib(detmpi|dlinux)\.so.* symbol `_Z(NK?(St|9__gnu_cxx)|St)")
    expect(lines, "nothing is bound to the program")
    taken = [line for line in lines if own.search(line)]
    expect(not taken, "\n".join(taken))


TESTS = [same_in_every_run, every_kind_of_work_counts, in_proportion, the_machine_makes_no_difference,
         not_without_the_plugin, pauses, handlers_under_every_name, a_handler_that_is_left,
         functions_that_headers_rename, what_is_not_instrumented, outside_a_job, fortran, tasks, the_lookahead_makes_no_difference_to_work,
         the_library_calls_no_copies_of_the_program]


def main():
    if len(sys.argv) not in (7, 8):
        sys.exit(__doc__)
    fortran_compiler = sys.argv[7] if len(sys.argv) == 8 else None
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(*sys.argv[1:7], fortran_compiler, folder)
        for test in TESTS:
            try:
                test(bench)
            except (AssertionError, OSError, subprocess.SubprocessError) as error:
                failed += 1
                print(f"FAILED: {test.__name__}: {error}")
    print(f"tally: {len(TESTS) - failed} passed, {failed} failed, 0 skipped")
    sys.exit(failed != 0)


if __name__ == "__main__":
    main()
