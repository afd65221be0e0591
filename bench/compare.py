#!/usr/bin/env python3
"""Compare DetMPI with the other MPI libraries of this machine.

Builds the benchmark programs once per library, runs them interleaved (round robin, so that a change in the
machine's load meets all libraries alike), takes the median over the rounds, and prints a Markdown table.
Each figure is followed by its ratio to the better peer: below 1.00x it is faster than both.
"""

import argparse
import json
import os
import pathlib
import statistics
import sys

import jobs
from arguments import name_list, positive, rank_list, time_limit
from formats import format_size, format_time
from libraries import LIBRARIES, NO_CXX_BINDINGS, PEERS, ROOT, compile_program, find_libraries, note, shorten

HERE = ROOT / "bench"
SUITES = ("pt2pt", "polls", "exchange", "coll", "pack", "startup", "apps")
OPERATIONS = ("barrier", "bcast", "reduce", "allreduce", "scan", "reduce_scatter", "gather", "scatter", "allgather",
              "alltoall", "alltoallv")
STARTUP_RANKS = (8, 64, 1024)
PEER_RANK_LIMIT = 64
LOOP = "loop"  # stands for a library: what the first one's program did by hand
APPS = (("cg", "S"), ("cg", "W"), ("mm", "512"))


# --- building --------------------------------------------------------------------------------------------


def sources_of(program):
    """The sources and compiler flags of a program, and whether it is C++."""
    if program in ("cg", "mm"):
        folders = (ROOT / "npb-runs" / "common", ROOT / "npb-runs" / program)
        return [str(path) for folder in folders for path in sorted(folder.glob("*.cpp"))], True
    return [str(HERE / f"{program}.c")], False


def build(library, programs, folder):
    """Builds what it can; a program that does not build is reported and left out for this library."""
    for program in programs:
        sources, is_cxx = sources_of(program)
        compiler = library.cxx if is_cxx else library.cc
        if not compiler:
            note(f"compare: {library.name}: no C++ compiler wrapper, {program} left out")
            continue
        target = folder / f"{program}.{library.name}"
        flags = ["-std=c++20", "-O3", *NO_CXX_BINDINGS] if is_cxx else ["-std=c11", "-O3"]
        complaint = compile_program(compiler, flags, target, sources)
        if complaint is None:
            library.programs[program] = str(target)
        else:
            note(f"compare: {library.name}: {program} does not build: {shorten(complaint)}")


# --- running ---------------------------------------------------------------------------------------------


class Case:
    """One command line, the same for every library."""

    def __init__(self, suite, program, ranks, arguments, label=""):
        self.suite = suite
        self.program = program
        self.ranks = ranks
        self.arguments = arguments
        self.label = label

    def name(self):
        return " ".join([self.program, *self.arguments, f"on {self.ranks} ranks"])

    def suits(self, library):
        within = library.name not in PEERS or self.suite != "startup" or self.ranks <= PEER_RANK_LIMIT
        return within and self.program in library.programs


def plan_cases(options):
    quick = ["--quick"] if options.quick else []
    cases = []
    if "pt2pt" in options.suites:
        cases.append(Case("pt2pt", "mpi_pt2pt", 2, quick))
    if "polls" in options.suites:
        cases.append(Case("polls", "mpi_polls", 2, quick))
    if "exchange" in options.suites:
        cases.append(Case("exchange", "mpi_exchange", 2, quick))
    if "coll" in options.suites:
        only = [f"--only={','.join(options.ops)}"] if options.ops else []
        cases += [Case("coll", "mpi_coll", ranks, quick + only) for ranks in options.coll_ranks]
    if "pack" in options.suites:
        cases.append(Case("pack", "mpi_pack", 1, quick))
    if "startup" in options.suites:
        cases += [Case("startup", "mpi_empty", ranks, []) for ranks in options.startup_ranks]
    if "apps" in options.suites:
        for program, size in APPS:
            argument = f"--class={size}" if program == "cg" else f"--n={size}"
            cases += [Case("apps", program, ranks, [argument], size) for ranks in options.app_ranks]
    return cases


def measurements(case, outcome):
    """What a successful run measured: pairs of a row key and a time in us."""
    if case.suite == "startup":
        return [(("startup", "init + finalize", case.ranks, 0), outcome.seconds * 1e6)]
    if case.suite == "apps":
        key = ("apps", f"{case.program} {case.label}", case.ranks, 0)
        lines = [line for line in outcome.errors.splitlines() if line.strip().startswith("Time in seconds")]
        return [(key, float(line.split("=")[1]) * 1e6) for line in lines]
    return [(row_key(case, row), row["us"]) for row in printed_rows(outcome)]


def printed_rows(outcome):
    return [json.loads(line) for line in outcome.output.splitlines() if line.startswith("{")]


def row_key(case, row):
    return case.suite, row.get("op", "one-way"), case.ranks, row["bytes"]


def loop_measurements(case, outcome):
    """The same for the loops that a program measures beside MPI."""
    return [(row_key(case, row), row["loop_us"]) for row in printed_rows(outcome) if "loop_us" in row]


class Session:
    """All rounds of a comparison. `samples[key][library]` holds one time per round, in us."""

    def __init__(self, libraries, options, out):
        self.libraries = libraries
        self.options = options
        self.out = out
        self.samples = {}
        self.failures = {}  # (library, case name) -> reason
        self.outputs = {}  # (library, case name) -> standard output of the first round

    def record(self, **fields):
        if self.out:
            self.out.write(json.dumps(fields) + "\n")
            self.out.flush()

    def run_round(self, number, cases):
        turn = number % len(self.libraries)  # nobody always goes first
        for case in cases:
            for library in self.libraries[turn:] + self.libraries[:turn]:
                given_up = (library.name, case.name()) in self.failures
                if case.suits(library) and not given_up:
                    self.run_one(number, case, library)

    def run_one(self, number, case, library):
        outcome = jobs.run_command(library.command(case.program, case.ranks, case.arguments), self.options.timeout)
        if outcome.failure is None:
            self.check_repeats(case, library, outcome)
            rows = measurements(case, outcome)
            if not rows:
                outcome.failure = "printed no measurement"
        if outcome.failure is not None:
            note(f"compare: {library.name}: {case.name()}: {outcome.failure}")
            self.failures[library.name, case.name()] = outcome.failure
            self.record(kind="failure", round=number, mpi=library.name, case=case.name(),
                        reason=outcome.failure)
            return
        self.take(number, library.name, rows)
        if library is self.libraries[0]:
            self.take(number, LOOP, loop_measurements(case, outcome))

    def take(self, number, name, rows):
        for key, us in rows:
            self.samples.setdefault(key, {}).setdefault(name, []).append(us)
            suite, op, ranks, size = key
            self.record(kind="sample", round=number, mpi=name, suite=suite, op=op, ranks=ranks, bytes=size, us=us)

    def check_repeats(self, case, library, outcome):
        if case.suite != "apps":
            return
        first = self.outputs.setdefault((library.name, case.name()), outcome.output_bytes)
        if first != outcome.output_bytes:
            note(f"compare: {library.name}: {case.name()}: standard output differs from the first round")
            self.record(kind="differs", mpi=library.name, case=case.name())


# --- reporting -------------------------------------------------------------------------------------------


def format_cell(us, best_peer, size, suite):
    if us is None:
        return "-"
    text = format_time(us)
    if suite == "pt2pt" and size >= 16384:
        text += f", {size / us * 1e-3:.2f} GB/s"
    return f"{text} ({us / best_peer:.2f}x)" if best_peer else text


def print_table(session):
    names = [library.name for library in session.libraries]
    names += [LOOP] if any(LOOP in by_library for by_library in session.samples.values()) else []
    print("| case | ranks | size | " + " | ".join(names) + " |")
    print("|---|---:|---:|" + "---:|" * len(names))
    for (suite, op, ranks, size), by_library in session.samples.items():
        medians = {name: statistics.median(values) for name, values in by_library.items()}
        best_peer = min((medians[name] for name in PEERS if name in medians), default=None)
        cells = [format_cell(medians.get(name), None if name == LOOP else best_peer, size, suite) for name in names]
        shown = format_size(size) if size or suite == "pt2pt" else ""
        print(f"| {suite} {op} | {ranks} | {shown} | " + " | ".join(cells) + " |")
        session.record(kind="median", suite=suite, op=op, ranks=ranks, bytes=size, us=medians,
                       best_peer_us=best_peer)
    for (name, case), reason in session.failures.items():
        print(f"\nNot complete: {name}, {case}: {reason}")


# --- command line ----------------------------------------------------------------------------------------


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--suites", type=name_list(SUITES), default=list(SUITES[:-1]), metavar="NAME,...",
        help="of pt2pt (latency, bandwidth), polls (that find nothing), exchange (patterns), coll, pack (derived datatypes), "
        "startup, apps (cg and mm); default: all but apps")
    add("--mpi", type=name_list(LIBRARIES), default=list(LIBRARIES), metavar="NAME,...",
        help="of detmpi, mpich, openmpi; default: all that are there")
    add("--rounds", type=positive(int), help="runs of every case per library (default 5, with --quick 2)")
    add("--quick", action="store_true", help="shorter samples, fewer rounds, start-up of 1024 ranks left out")
    add("--ops", type=name_list(OPERATIONS), default=[], metavar="OP,...",
        help=f"collectives: of {', '.join(OPERATIONS)}; default: all")
    add("--coll-ranks", type=rank_list, default=[2, 8], metavar="N,...", help="default 2,8")
    add("--startup-ranks", type=rank_list, metavar="N,...",
        help=f"default 8,64,1024; the peers only up to {PEER_RANK_LIMIT}")
    add("--app-ranks", type=rank_list, default=[2, 8], metavar="N,...", help="default 2,8")
    add("--timeout", type=time_limit, default=120.0, metavar="S", help="seconds per run (default 120)")
    add("--dist", type=pathlib.Path, default=ROOT / "dist", help="where DetMPI is installed (default: dist)")
    add("--out", metavar="FILE", help="write every sample and median as a JSON line to FILE")
    options = parser.parse_args()
    options.rounds = options.rounds or (2 if options.quick else 5)
    if not options.startup_ranks:
        options.startup_ranks = list(STARTUP_RANKS[:2] if options.quick else STARTUP_RANKS)
    return options


def compare(options, folder, out):
    libraries = find_libraries(options.mpi, options.dist)
    cases = plan_cases(options)
    if not cases:
        note("compare: nothing to run: no suite was asked for")
        return 2
    programs = list(dict.fromkeys(case.program for case in cases))
    for library in libraries:
        build(library, programs, folder)
    libraries = [library for library in libraries if library.programs]
    if not libraries:
        note("compare: no usable MPI library")
        return 1
    session = Session(libraries, options, out)
    session.record(kind="host", cores=os.cpu_count(), load=os.getloadavg(), rounds=options.rounds)
    for number in range(options.rounds):
        note(f"compare: round {number + 1} of {options.rounds}")
        session.run_round(number, cases)
    print_table(session)
    return 1 if session.failures else 0


def main():
    options = parse_options()
    return jobs.in_folder(options, compare)


if __name__ == "__main__":
    sys.exit(main())
