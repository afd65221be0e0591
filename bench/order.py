#!/usr/bin/env python3
"""What the logical order of messages costs: programs with --order=logical and with --order=arrival, in turns.

Takes the programs from a build folder. A row's time is the median over the rounds, of the program's own figures where it
prints them and of the whole job otherwise; where it prints several, the ratio is the median of theirs. Lines of output are
merged in both orders, which detmpirun does by itself only in the logical one: see --default-output. With --memory the
rows show the most memory that all processes of the job held at once (sum of their PSS, sampled) instead.
"""

import argparse
import json
import pathlib
import re
import statistics
import sys

from arguments import positive, rank_list, time_limit
from jobs import PeakMemory, run_command
from libraries import ROOT, note

ORDERS = ("logical", "arrival")
RACING = "tests/determinism/racing/"
# Suite: command lines below the build folder, and whether they receive from anybody.
SUITES = {
    "named": [["bench/mpi_pt2pt", "--quick"], ["bench/mpi_exchange", "--quick"], ["bench/mpi_coll", "--quick"]],
    "kernels": [["bench/work_kernels", kernel, *size, *how] for kernel, size in (("mg", ["128", "40"]), ("lu", ["64", "16"]))
                for how in ([], ["any"])],
    "racing": [[RACING + name] for name in (
        "all_pairs", "cancel_race", "irecv_test_storm", "late_receive", "lu_wavefront", "master_wild", "mg_halo",
        "persistent_race", "racing_comms", "ssend_tests", "waitany_server", "waitsome_server", "work_stealing")],
}
ONLY_RANKS = {"bench/mpi_pt2pt": [2], "bench/mpi_exchange": [2], "bench/mpi_coll": [2, 8]}


def figures(output, seconds):
    """What the program measured, by name: its rows of JSON, its time, or else the whole job's."""
    rows = [json.loads(line) for line in output.splitlines() if line.startswith("{")]
    if rows:
        return {f"{row.get('op', '')} {row['bytes']}": row["us"] * 1e-6 for row in rows}
    own = re.search(r", ([0-9.]+) s$", output, re.MULTILINE)
    return {"": float(own.group(1)) if own else seconds}


def run(options, order, ranks, arguments):
    """The figures of one run; with --memory the greatest sum of PSS in MiB. None if it failed."""
    output_order = [] if options.default_output else ["--ordered-output"]
    command = [options.build / "detmpi" / "detmpirun", "-n", str(ranks), "--order=" + order, *output_order,
               options.build / arguments[0], *arguments[1:]]
    peak = PeakMemory()
    outcome = run_command([str(part) for part in command], options.timeout, watch=peak if options.memory else None)
    if outcome.failure:
        note(f"order: {' '.join(arguments)} on {ranks} ranks, {order}: {outcome.failure}")
        return None
    return {"": peak.kib / 1024} if options.memory else figures(outcome.output, outcome.seconds)


def lengthened(arguments, length):
    if length == 1 or not arguments[0].startswith(RACING):
        return arguments
    return [*arguments, str(length * 32768 if arguments[0].endswith("irecv_test_storm") else length)]


def shown(value, options):
    if options.memory:
        return f"{value:.1f} MiB"
    return f"{value * 1e3:.3g} ms" if value >= 1e-3 else f"{value * 1e6:.3g} us"


def print_row(options, label, ranks, samples):
    medians = {order: {key: statistics.median(run[key] for run in runs) for key in runs[0]}
               for order, runs in samples.items()}
    ratio = statistics.median(medians["logical"][key] / medians["arrival"][key] for key in medians["logical"])
    values = [shown(medians[order][""], options) if "" in medians[order] else "" for order in ORDERS]
    print(f"| {label} | {ranks} | {values[0]} | {values[1]} | {ratio:.2f} |", flush=True)


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--build", type=pathlib.Path, default=ROOT / "build", help="build folder with tests enabled (default: build)")
    add("--suites", type=lambda text: text.split(","), default=list(SUITES), metavar="NAME,...",
        help="of named (no wildcards), kernels (work_kernels, receives named and from anybody), racing; default: all")
    add("--only", default="", metavar="TEXT", help="programs whose command line contains it")
    add("--ranks", type=rank_list, default=[2, 8, 16, 32, 64], metavar="N,...", help="default 2,8,16,32,64")
    add("--rounds", type=positive(int), default=5, help="runs of each program in each order (default 5)")
    add("--length", type=positive(int), default=1, metavar="N", help="let the racing programs do N times what they do in the tests")
    add("--default-output", action="store_true", help="merge lines of output in the logical order alone")
    add("--memory", action="store_true", help="measure memory instead of time")
    add("--timeout", type=time_limit, default=120.0, metavar="S", help="seconds per run (default 120)")
    options = parser.parse_args()
    for suite in options.suites:
        if suite not in SUITES:
            parser.error(f"unknown suite '{suite}', one of {', '.join(SUITES)}")
    return options


def main():
    options = parse_options()
    launcher = options.build / "detmpi" / "detmpirun"
    if not launcher.exists():
        note(f"order: {launcher} is not built")
        return 1
    cases = [(lengthened(arguments, options.length), ranks) for suite in options.suites for arguments in SUITES[suite]
             for ranks in ONLY_RANKS.get(arguments[0], options.ranks) if options.only in " ".join(arguments)]
    samples, failed = {}, False
    for number in range(options.rounds):
        for index, (arguments, ranks) in enumerate(cases):
            for order in ORDERS if number % 2 == 0 else ORDERS[::-1]:
                result = run(options, order, ranks, arguments)
                failed = failed or not result
                if result:
                    samples.setdefault(index, {}).setdefault(order, []).append(result)
    print("| program | ranks | logical | arrival | ratio |")
    print("|---|---:|---:|---:|---:|")
    for index, (arguments, ranks) in enumerate(cases):
        if len(samples.get(index, {})) == len(ORDERS):
            print_row(options, " ".join([arguments[0].split("/")[-1], *arguments[1:]]), ranks, samples[index])
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
