#!/usr/bin/env python3
"""Compare the jobs of the command dmr with the same jobs on threads, written by hand for each.

Makes the inputs, runs all contenders in turns, and prints a Markdown table of medians: time, and the most memory of
their own that they held. That is anonymous and shared memory, pages that several processes share counted once; pages of
files are not in it, because dmr lets go of its input as it reads and the others keep all of it mapped (with them: `kib`
in the file of --out). Behind each figure of a peer stands what dmr takes in relation to it: below 1.00x dmr is faster.
Memory is measured in a separate run, in which outputs are compared, too: those of dmr must be the same bytes for every
number of workers, and those on threads the same but for the last digits of numbers. The outputs of sort and of
Phoenix++, which have other forms, are not looked at.
"""

import argparse
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys

import jobs
from arguments import name_list, positive, rank_list, time_limit
from formats import format_time
from libraries import ROOT, note

DMR, THREADS, SORT, PHOENIX = "dmr", "threads", "sort | uniq -c", "Phoenix++"
KEYS = ("xgzjen", "wuaw", "absent", "nowhere")  # the first two are among the words of mapreduce_input
PRECISION = 1e-6  # of numbers whose sums were made in another order
MOST_WORKERS = 64  # kMostWorkers in dmr/include/dmr/options.hpp


# --- the cases -------------------------------------------------------------------------------------------


class Case:
    """One job: its inputs as {file name: arguments of mapreduce_input}, and what follows the names of the programs.

    `threads` follows the number of threads. `phoenix` is the name of the program and its arguments; `own_input` if it
    makes up what it works on, so that only the size is the same.
    """

    def __init__(self, name, inputs, dmr, threads, phoenix=None, own_input=False, phoenix_setup=None):
        self.name = name
        self.inputs = inputs
        self.dmr = dmr
        self.threads = threads
        self.phoenix = phoenix
        self.own_input = own_input
        self.phoenix_setup = phoenix_setup


def plan_cases(scale, names):
    """The inputs of scale 1 have about 200 MB. Names of files are relative to the folder of the inputs."""
    size = lambda number: max(1, round(number * scale))
    side = max(8, round(1000 * scale ** (1 / 3)))
    width = max(8, round(8000 * math.sqrt(scale)))
    pages = [f"page{number:03}.html" for number in range(max(2, round(100 * scale)))]
    page_bytes = min(1_000_000, size(100_000_000))
    cases = [
        Case("wordcount", {"text": ["text", size(200_000_000), size(200_000)]}, ["wordcount", "text"],
             ["wordcount", "text"], ["word_count", "text"]),
        Case("histogram", {"image.bmp": ["bmp", width, width]}, ["histogram", "image.bmp"], ["histogram", "image.bmp"],
             ["histogram", "image.bmp"]),
        Case("regression", {"bytes": ["bytes", size(100_000_000)]}, ["regression", "bytes"], ["regression", "bytes"],
             ["linear_regression", "bytes"]),
        Case("stringmatch", {"lines": ["lines", size(200_000_000), size(200_000)]},
             ["stringmatch", *[f"--key={key}" for key in KEYS], "lines"], ["stringmatch", "lines", *KEYS],
             ["string_match", "lines"]),
        Case("kmeans", {"points": ["points", size(1_000_000), 3, 100]},
             ["kmeans", "--format=f64", "--dimensions=3", "--means=100", "--iterations=10", "points"],
             ["kmeans", "points", "3", "100", "10"],
             ["kmeans", "-d", "3", "-c", "100", "-p", size(1_000_000), "-s", "1000"], own_input=True),
        Case("matmul", {"left": ["matrix", side, side, 1], "right": ["matrix", side, side, 2]},
             ["matmul", "--format=f64", f"--inner={side}", "left", "right"], ["matmul", "left", "right", side],
             ["matrix_multiply", side, "1"], own_input=True, phoenix_setup=["matrix_multiply", side, "1", "1"]),
        Case("pca", {"left": ["matrix", side, side, 1]}, ["pca", "--format=f64", f"--columns={side}", "left"],
             ["pca", "left", side], ["pca", "-r", side, "-c", side, "-s", "100"], own_input=True),
        Case("index", {page: ["html", page_bytes, 10_000, number] for number, page in enumerate(pages)},
             ["index", *pages], ["index", *pages]),
    ]
    return [case for case in cases if case.name in names]


JOBS = ("wordcount", "histogram", "regression", "stringmatch", "kmeans", "matmul", "pca", "index")


def make_inputs(cases, generator, folder):
    """Those that are not there yet. A file beside each tells what it was made of."""
    for case in cases:
        for name, arguments in case.inputs.items():
            arguments = [str(argument) for argument in arguments]
            made_of = folder / f"{name}.made-of"
            if made_of.exists() and made_of.read_text(encoding="utf-8") == " ".join(arguments):
                continue
            made_of.unlink(missing_ok=True)  # so that a file of which only a part is made is made again
            with open(folder / name, "wb") as file:
                subprocess.run([generator, *arguments], stdout=file, check=True)
            made_of.write_text(" ".join(arguments), encoding="utf-8")


# --- running ---------------------------------------------------------------------------------------------


class Tools:
    def __init__(self, build, phoenix, inputs):
        self.dmr = str(build / "dmr" / "dmr")
        self.threads = str(build / "bench" / "mapreduce" / "mapreduce_threads")
        self.generator = str(build / "bench" / "mapreduce" / "mapreduce_input")
        self.phoenix = phoenix
        self.inputs = inputs

    def phoenix_program(self, name):
        return self.phoenix / "tests" / name / name

    def contenders(self, case):
        found = [DMR, THREADS]
        if case.name == "wordcount":
            found.append(SORT)
        if self.phoenix and case.phoenix and self.phoenix_program(case.phoenix[0]).exists():
            found.append(PHOENIX)
        return found

    def command(self, case, contender, workers):
        inside = ["env", "-C", str(self.inputs)]
        if contender == DMR:
            command = [*inside, self.dmr, case.dmr[0], f"--workers={workers}", *case.dmr[1:]]
        elif contender == THREADS:
            command = [*inside, self.threads, case.threads[0], workers, *case.threads[1:]]
        elif contender == SORT:
            pipe = f"tr -s ' ' '\\n' < text | sort --parallel={workers} | uniq -c"
            command = [*inside, "LC_ALL=C", "sh", "-c", pipe]
        else:
            command = self.phoenix_command(case.phoenix, workers)
        return [str(part) for part in command]

    def phoenix_command(self, program, workers):
        return [str(part) for part in ["env", "-C", self.inputs, f"MR_NUMTHREADS={workers}",
                                       self.phoenix_program(program[0]), *program[1:]]]


class PeakMemory:
    """The most of each kind, in KiB; not necessarily at the same moment."""

    def __init__(self):
        self.whole = self.own = 0

    def __call__(self, pid):
        held = jobs.memory_of(pid)
        self.whole, self.own = max(self.whole, held.whole), max(self.own, held.own)


def is_number(text):
    try:
        float(text)
        return True
    except ValueError:
        return False


def same_output(ours, theirs):
    """Whether these bytes are equal, but for the last digits of numbers that are written as text."""
    if ours == theirs:
        return True
    a, b = ours.split(), theirs.split()
    if len(a) != len(b):
        return False
    return all(x == y or (is_number(x) and is_number(y) and math.isclose(float(x), float(y), rel_tol=PRECISION))
               for x, y in zip(a, b))


class Session:
    """All rounds. `samples[case, workers][contender]` holds one time per round, in us."""

    def __init__(self, cases, tools, options, out):
        self.cases = cases
        self.tools = tools
        self.options = options
        self.out = out
        self.samples = {}
        self.memory = {}  # (case, workers, contender) -> KiB of its own
        self.failures = {}  # the same -> reason

    def record(self, **fields):
        if self.out:
            self.out.write(json.dumps(fields) + "\n")
            self.out.flush()

    def runs(self, number=0):
        """Nobody always goes first."""
        for case in self.cases:
            contenders = self.tools.contenders(case)
            turn = number % len(contenders)
            for workers in self.options.workers:
                for contender in contenders[turn:] + contenders[:turn]:
                    if (case.name, workers, contender) not in self.failures:
                        yield case, workers, contender

    def run_one(self, case, workers, contender, watch=None):
        outcome = jobs.run_command(self.tools.command(case, contender, workers), self.options.timeout, watch=watch)
        if outcome.failure:
            self.fail(case, workers, contender, outcome.failure)
        return outcome

    def fail(self, case, workers, contender, reason):
        note(f"mapreduce: {case.name} on {workers}, {contender}: {reason}")
        self.failures[case.name, workers, contender] = reason
        self.record(kind="failure", job=case.name, workers=workers, contender=contender, reason=reason)

    def probe(self):
        """Measures memory, and compares outputs."""
        first = {}
        for case, workers, contender in self.runs():
            peak = PeakMemory()
            outcome = self.run_one(case, workers, contender, peak)
            if outcome.failure:
                continue
            self.memory[case.name, workers, contender] = peak.own
            self.record(kind="memory", job=case.name, workers=workers, contender=contender, kib=peak.whole,
                        own_kib=peak.own)
            output = outcome.output_bytes
            if contender == DMR and first.setdefault(case.name, output) != output:
                self.fail(case, workers, contender, "the output is not the same for every number of workers")
            if contender == THREADS and case.name in first and not same_output(first[case.name], output):
                self.fail(case, workers, contender, f"the output is not that of {DMR}")

    def run_round(self, number):
        for case, workers, contender in self.runs(number):
            outcome = self.run_one(case, workers, contender)
            if not outcome.failure:
                us = outcome.seconds * 1e6
                self.samples.setdefault((case, workers), {}).setdefault(contender, []).append(us)
                self.record(kind="sample", round=number, job=case.name, workers=workers, contender=contender, us=us)


# --- reporting -------------------------------------------------------------------------------------------


def format_memory(kib):
    return f"{kib / 1024:.0f} MiB" if kib >= 10 << 10 else f"{kib / 1024:.1f} MiB"


def format_cell(session, case, workers, contender, medians):
    if contender not in medians:
        return "-"
    text = format_time(medians[contender])
    kib = session.memory.get((case.name, workers, contender))
    text += f", {format_memory(kib)}" if kib else ""
    if contender != DMR and DMR in medians:
        text += f" ({medians[DMR] / medians[contender]:.2f}x)"
    return text + (" *" if contender == PHOENIX and case.own_input else "")


def print_table(session):
    shown = [name for name in (DMR, THREADS, SORT, PHOENIX)
             if any(name in by_contender for by_contender in session.samples.values())]
    print("| job | workers | " + " | ".join(name.replace("|", "\\|") for name in shown) + " |")
    print("|---|---:|" + "---:|" * len(shown))
    for (case, workers), by_contender in session.samples.items():
        medians = {name: statistics.median(values) for name, values in by_contender.items()}
        cells = [format_cell(session, case, workers, name, medians) for name in shown]
        print(f"| {case.name} | {workers} | " + " | ".join(cells) + " |")
        session.record(kind="median", job=case.name, workers=workers, us=medians)
    if PHOENIX in shown:
        print("\n\\* It makes up an input of the same size; its k-means ends when no mean moves,\n"
              "unless it is changed as docs/howto/benchmark.md says.")
    for (case, workers, contender), reason in session.failures.items():
        print(f"\nNot complete: {contender}, {case} on {workers}: {reason}")


# --- command line ----------------------------------------------------------------------------------------


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--build", type=pathlib.Path, default=ROOT / "build", help="build folder with benchmarks (default: build)")
    add("--jobs", type=name_list(JOBS), default=list(JOBS), metavar="NAME,...", help=f"of {', '.join(JOBS)}; default: all")
    add("--workers", type=rank_list, default=sorted({1, min(os.cpu_count(), MOST_WORKERS)}), metavar="N,...",
        help=f"worker processes or threads (default: 1 and the number of cores, {MOST_WORKERS} at most)")
    add("--rounds", type=positive(int), default=5, help="timed runs of each (default 5)")
    add("--scale", type=positive(float), default=1.0, metavar="X",
        help="size of the inputs; 1 (the default): 27 million words, 200 MB of most others")
    add("--phoenix", type=pathlib.Path, metavar="DIR", help="a built tree of Phoenix++, whose programs are run as well")
    add("--inputs", type=pathlib.Path, metavar="DIR", help="keep the inputs there (default: a temporary folder)")
    add("--timeout", type=time_limit, default=300.0, metavar="S", help="seconds per run (default 300)")
    add("--out", metavar="FILE", help="write every sample and median as a JSON line to FILE")
    return parser.parse_args()


def compare(options, folder, out):
    tools = Tools(options.build.resolve(), options.phoenix and options.phoenix.resolve(), folder)
    for program in (tools.dmr, tools.threads, tools.generator):
        if not os.path.exists(program):
            note(f"mapreduce: {program} is not built")
            return 1
    cases = plan_cases(options.scale, options.jobs)
    if not cases:
        note("mapreduce: nothing to run: no job was asked for")
        return 2
    note("mapreduce: making inputs")
    make_inputs(cases, tools.generator, folder)
    for case in cases:
        if PHOENIX in tools.contenders(case) and case.phoenix_setup:
            jobs.run_command(tools.phoenix_command(case.phoenix_setup, 1), options.timeout)
    session = Session(cases, tools, options, out)
    session.record(kind="host", cores=os.cpu_count(), load=os.getloadavg(), rounds=options.rounds, scale=options.scale)
    note("mapreduce: memory and outputs")
    session.probe()
    for number in range(options.rounds):
        note(f"mapreduce: round {number + 1} of {options.rounds}")
        session.run_round(number)
    print_table(session)
    return 1 if session.failures else 0


def main():
    options = parse_options()
    return jobs.in_folder(options, compare, options.inputs)


if __name__ == "__main__":
    sys.exit(main())
