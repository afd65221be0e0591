"""The programs: where they lie, how they are run, and by what each tells that it has succeeded.

A criterion gets what a run left behind, and returns what is wrong ("" if nothing) and what to print beside the name.
"""

import dataclasses
import gzip
import pathlib
import re
import shutil
import subprocess
from collections.abc import Callable

import masks

SCALAPACK = pathlib.Path("/usr/lib/x86_64-linux-gnu/scalapack/mpich-tests")
MOCASSIN = pathlib.Path("/usr/share/mocassin/benchmarks/gas/HII40")
HERE = pathlib.Path(__file__).resolve().parent


@dataclasses.dataclass
class Run:
    code: int
    out: str
    err: str
    files: dict  # name: text, of what the program wrote beside that


@dataclasses.dataclass
class Program:
    name: str
    path: pathlib.Path
    package: str
    criterion: Callable
    mask: Callable = masks.nothing
    ranks: int = 4
    arguments: tuple = ()
    inputs: pathlib.Path | None = None  # a folder whose *.dat files the program reads
    prepare: Callable = lambda folder: {}  # more of that, "stdin" for one; returns environment variables
    written: tuple = ()  # patterns of the files to compare
    compare_errors: bool = False  # standard error is the same too
    group: str = ""  # "short": a few seconds; "long": more than a minute for two runs
    known: str = ""  # a defect of the program itself


def number_before(text, words):
    return sum(int(n) for n in re.findall(r"(\d+) tests " + words, text))


def scalapack(run):
    """The summary of the test programs: some passed, none failed, none skipped for lack of memory."""
    passed = number_before(run.out, "completed and passed")
    failed = number_before(run.out, "completed and failed")
    no_memory = number_before(run.out, "skipped for lack of memory")
    illegal = number_before(run.out, "skipped because of illegal")
    wrong = []
    if run.code != 0:
        wrong.append(f"exit code {run.code}")
    if not re.search("end of tests", run.out, re.I):
        wrong.append("no end of tests")
    if passed == 0 or failed > 0 or no_memory > 0 or "FAILED" in run.out:
        wrong.append(f"{passed} passed, {failed} failed, {no_memory} skipped for memory")
    return ", ".join(wrong), f"{passed} passed" + (f", {illegal} shipped with values it refuses" if illegal else "")


def words(run):
    """Programs without a summary: each result is a word."""
    passed = len(re.findall(r"^Passed |PASSED", run.out, re.M))
    failed = len(re.findall(r"^Failed|FAILED", run.out, re.M))
    good = run.code == 0 and passed > 0 and failed == 0
    return "" if good else f"exit code {run.code}, {passed} passed, {failed} failed", f"{passed} passed"


def blas_tests(run):
    """The table at the end: routine, tests, passed, failed, skipped."""
    rows = re.findall(r"^  \|  (\w+) +(\d+) +(\d+) +(\d+) +(\d+)", run.out, re.M)
    total, passed = (sum(int(row[i]) for row in rows) for i in (1, 2))
    good = run.code == 0 and "End of Tests." in run.out and 0 < total == passed
    return "" if good else f"exit code {run.code}, {passed} of {total} passed", f"{passed} passed"


def blas_timings(run):
    rows = len(re.findall(r"^  \|  \w+ ", run.out, re.M))
    good = run.code == 0 and "End of Tests." in run.out and rows > 0
    return "" if good else f"exit code {run.code}, {rows} timings", f"{rows} timings"


def blacs(run):
    """Every line of results says 0 FAILED; at last the tester has itself ended by blacs_abort, with -1."""
    results = re.findall(r"(\d+) TESTS; *(\d+) PASSED, *(\d+) SKIPPED, *(\d+) FAILED", run.out)
    passed, skipped, failed = (sum(int(row[i]) for row in results) for i in (1, 2, 3))
    to_the_end = run.code == 255 and "The final auxiliary test is for BLACS_ABORT" in run.out
    good = to_the_end and passed > 0 and failed == 0 and not re.search(r"^ *FAILED ", run.out, re.M)
    return (
        "" if good else f"exit code {run.code}, {passed} passed, {failed} failed",
        f"{passed} passed, {skipped} for more ranks skipped",
    )


def netpipe(last):
    def criterion(run):
        sizes = [int(n) for n in re.findall(r": +(\d+) bytes +\d+ times", run.err)]
        good = run.code == 0 and sizes and sizes[-1] >= last and "fail" not in run.err.lower()
        return "" if good else f"exit code {run.code}, {len(sizes)} sizes", f"{len(sizes)} sizes up to {sizes[-1:]}"

    return criterion


def prepare_mocassin(folder):
    """A shipped example with fewer packets of energy and iterations. The date and the system's random numbers, from
    which the program seeds its own, are fixed: with them it would compute something else in every run."""
    shutil.copytree(MOCASSIN, folder / "input")
    (folder / "output").mkdir()
    settings = folder / "input" / "input.in"
    text = re.sub("^autoPackets.*\n", "", settings.read_text(), flags=re.M)
    text = re.sub("^nPhotons.*", "nPhotons 20000", text, flags=re.M)
    settings.write_text(re.sub("^maxIterateMC.*", "maxIterateMC 2 95.", text, flags=re.M))
    library = folder / "outside.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, HERE / "outside.c"], check=True)
    return {"LD_PRELOAD": str(library)}


def mocassin(run):
    """It ends with its last iteration's summary and the model's files."""
    summary = run.files.get("output/summary.out", "")
    good = run.code == 0 and "Iteration            2 ; finished" in summary and len(run.files) >= 10
    temperatures = re.findall(r"T\(H\+\) +([\d.]+)", summary)
    return "" if good else f"exit code {run.code}, {len(run.files)} files", f"T(H+) {temperatures[-1:]}"


YORICK_TESTS = pathlib.Path("/usr/share/doc/yorick-mpy-common/examples/testmp.i.gz")


def prepare_yorick(folder):
    """Its example testmp.i, and what a user would type."""
    (folder / "testmp.i").write_bytes(gzip.decompress(YORICK_TESTS.read_bytes()))
    commands = ["testmp1,2", "testmp2", "testmp3", 'mp_require,"mpool.i"', "testmpool", "quit"]
    (folder / "stdin").write_text("\n".join(commands) + "\n")
    return {}


def yorick(run):
    """Messages between two ranks, trees of messages, large ones, and a pool of workers that asks who is ready."""
    good = len(re.findall(r"passed on all 4 ranks|finished \(\w+\) nerrors=0", run.out)) == 5
    good = good and run.code == 0 and "failed" not in run.out
    return "" if good else f"exit code {run.code}", "5 passed"


LONG = {"xcheevr", "xzheevr", "xssyevr", "xdsyevr", "xFbtest", "xCbtest"}
SHORT = {"xdlu", "xzqr", "xdpbllt", "dpb2tst", "spb3tst", "dpb3tim"}
# Defects of the programs, which read variables that were never set (valgrind finds them, with MPICH too): whether they
# do harm depends on what the calls before, the library's among them, have left on the stack.
PARTS_WAYS = "psporfs decides by an estimate that was never set, and the ranks part ways"
ALTERED = "the test takes a bound of its that was never set, and is not a number, for altered"
KNOWN = {"xsllt": PARTS_WAYS, "xssyevr": ALTERED, "xdsyevr": ALTERED}


def group_of(name):
    return "long" if name in LONG else "short" if name in SHORT else ""


def scalapack_programs():
    for path in sorted(SCALAPACK.glob("x*")):
        name, criterion, mask, inputs = path.name, scalapack, masks.tables, SCALAPACK
        if name.endswith("btest"):
            criterion, mask, inputs = blacs, masks.nothing, SCALAPACK / "BLACS"
        elif name.endswith("svd"):
            criterion, mask = words, masks.singular_values
        elif name.endswith("hseqr"):
            criterion = words
        yield Program(
            name, path, "scalapack-mpi-test", criterion, mask, inputs=inputs, group=group_of(name),
            known=KNOWN.get(name, ""),
        )  # fmt: skip
    for folder, pattern, criterion, mask in (
        (SCALAPACK / "PBLAS", "*tst", blas_tests, masks.nothing),
        (SCALAPACK / "PBLAS" / "TIMING", "*tim", blas_timings, masks.blas_timings),
    ):
        for path in sorted(folder.glob(pattern)):
            yield Program(
                path.name, path, "scalapack-mpi-test", criterion, mask, inputs=folder, group=group_of(path.name)
            )


def netpipe_programs():
    path = pathlib.Path("/usr/bin/NPmpich2")
    # So many repetitions: by itself it chooses them by time.
    for name, arguments, last in (
        ("netpipe", ("-n", "20", "-u", "1048576"), 1048576),
        ("netpipe integrity", ("-i", "-n", "20", "-u", "65536"), 49152),
        ("netpipe both ways", ("-2", "-a", "-n", "20", "-u", "65536"), 65536),
        ("netpipe synchronous", ("-S", "-n", "20", "-u", "65536"), 65536),
    ):
        yield Program(
            name, path, "netpipe-mpich2", netpipe(last), masks.netpipe, ranks=2, arguments=arguments,
            written=("np.out",), compare_errors=True, group="" if name == "netpipe" else "short",
        )  # fmt: skip


def all_programs():
    yield from netpipe_programs()
    if SCALAPACK.is_dir():
        yield from scalapack_programs()
    yield Program(
        "yorick", pathlib.Path("/usr/bin/mpy.mpich2"), "yorick-mpy-mpich2", yorick, prepare=prepare_yorick,
        arguments=("-j", "testmp.i"),
    )  # fmt: skip
    yield Program(
        "mocassin", pathlib.Path("/usr/bin/mocassin"), "mocassin mocassin-data mocassin-benchmarks", mocassin,
        masks.mocassin, prepare=prepare_mocassin, written=("output/*",), group="long",
    )  # fmt: skip
