#!/usr/bin/env python3
"""Runs programs that Debian ships, built for MPICH, as they are, with DetMPI: each twice, by its own criterion.

Prints a line for each program, and at last "N passed, N failed". A program passes if both runs meet its criterion
(programs.py) and their outputs are the same, apart from times (masks.py). Packages that are missing are named; their
programs are left out. The exit code is 0 if all passed, 1 if one failed, 77 if there is no program at all.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

import programs

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SKIPPED = 77


def find_detmpirun(given):
    built = [ROOT / "build/detmpi/detmpirun", ROOT / "dist/bin/detmpirun"]
    for place in [given] if given else [os.environ.get("DETMPIRUN"), *built, shutil.which("detmpirun")]:
        if place and os.access(place, os.X_OK):
            return str(pathlib.Path(place).resolve())
    sys.exit("binaries.py: there is no detmpirun; build, or name it with --detmpirun")


def run_once(program, launcher, folder, limit):
    folder.mkdir(parents=True)
    if program.inputs:
        for file in program.inputs.glob("*.dat"):
            shutil.copy(file, folder)
    environment = {**os.environ, **program.prepare(folder)}
    command = [*launcher, str(program.ranks), str(program.path), *program.arguments]
    # In files, to be looked at.
    (folder / "stdin").touch()
    with open(folder / "stdin") as typed, open(folder / "stdout", "w") as out, open(folder / "stderr", "w") as err:
        try:
            code = subprocess.run(
                command, cwd=folder, env=environment, stdin=typed, stdout=out, stderr=err, timeout=limit
            ).returncode
        except subprocess.TimeoutExpired:
            code = 124
    files = {
        str(path.relative_to(folder)): path.read_text(errors="replace")
        for pattern in program.written
        for path in sorted(folder.glob(pattern))
    }
    read = lambda name: (folder / name).read_text(errors="replace")
    return programs.Run(code, read("stdout"), read("stderr"), files)


def masked(program, run):
    parts = {"exit code": str(run.code), "standard output": program.mask(run.out)}
    if program.compare_errors:
        parts["standard error"] = program.mask(run.err)
    parts.update({name: program.mask(text) for name, text in run.files.items()})
    return parts


def first_difference(program, first, second):
    """What differs between two runs, "" if nothing."""
    a, b = masked(program, first), masked(program, second)
    for name in sorted(a.keys() | b.keys()):
        if a.get(name) == b.get(name):
            continue
        lines = zip(a.get(name, "").splitlines(), b.get(name, "").splitlines())
        at = next((f": '{x.strip()}' and '{y.strip()}'" for x, y in lines if x != y), "")
        return f"the runs differ in {name}{at}"
    return ""


def judge(program, launcher, folder, limit):
    """What is wrong, "" if nothing; what the criterion says; seconds of a run."""
    runs, wrong = [], []
    began = time.monotonic()
    for number in (1, 2):
        runs.append(run_once(program, launcher, folder / str(number), limit))
        seconds = (time.monotonic() - began) / number
        fault, says = program.criterion(runs[-1])
        if fault:
            wrong.append("; ".join([f"run {number}: {fault}", *runs[-1].err.strip().splitlines()[-1:]]))
    wrong.append(first_difference(program, *runs))
    return "\n       ".join(filter(None, wrong)), says, seconds


def chosen(arguments):
    wanted = [re.compile(pattern) for pattern in arguments.names]
    for program in programs.all_programs():
        if wanted:
            if any(pattern.fullmatch(program.name) for pattern in wanted):
                yield program
        elif arguments.short:
            if program.group == "short":
                yield program
        elif arguments.all or program.group != "long":
            yield program


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="run these alone; regular expressions")
    parser.add_argument("--all", action="store_true", help="also those that take more than a minute")
    parser.add_argument("--short", action="store_true", help="a few that take seconds")
    parser.add_argument("--list", action="store_true", help="print the names, run nothing")
    parser.add_argument("--detmpirun", help="the one to use (default: of build/, of dist/, of PATH)")
    parser.add_argument("--keep", metavar="FOLDER", type=pathlib.Path, help="leave inputs and outputs there")
    parser.add_argument("--limit", type=float, default=600, metavar="SEC", help="for one run (default 600)")
    return parser.parse_args()


def report(program, wrong, says, seconds):
    text = wrong or says
    if wrong and program.known:
        text = f"{wrong}\n       known: {program.known}"
    verdict = "ok" if not wrong else "known" if program.known else "FAILED"
    print(f"{verdict:6} {program.name:20} {seconds:6.1f} s  {text}", flush=True)
    return verdict


def main():
    arguments = parse_arguments()
    launcher = None if arguments.list else [find_detmpirun(arguments.detmpirun), "-n"]
    verdicts, missing = [], set()
    with tempfile.TemporaryDirectory(prefix="binaries.") as scratch:
        for program in chosen(arguments):
            if not program.path.exists():
                missing.add(program.package)
            elif arguments.list:
                print(program.name)
            else:
                folder = (arguments.keep or pathlib.Path(scratch)).resolve() / program.name.replace(" ", "-")
                shutil.rmtree(folder, ignore_errors=True)
                verdicts.append(report(program, *judge(program, launcher, folder, arguments.limit)))
    if arguments.list:
        return 0
    if not programs.SCALAPACK.is_dir():
        missing.add("scalapack-mpi-test")
    if missing:
        print("not installed: " + " ".join(sorted(missing)))
    if not verdicts:
        print("skipped: there is nothing to run")
        return SKIPPED
    if "known" in verdicts:
        print(f"{verdicts.count('known')} with a known defect of the program itself")
    print(f"{verdicts.count('ok')} passed, {verdicts.count('FAILED')} failed")
    return 1 if "FAILED" in verdicts else 0


if __name__ == "__main__":
    sys.exit(main())
