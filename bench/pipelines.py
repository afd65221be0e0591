#!/usr/bin/env python3
"""Compares whole pipelines on spaces, on POSIX threads and on oneTBB.

Runs the programs of bench/pipelines in turns, each engine once per round, and prints the medians of the seconds that
the pipelines took and of the processor time of the programs, with their ratios to the better of the others. Every
output must be the same, on every engine, for 1 and for 3 replicas and for as many as the rounds have; exit code 1 if
one is not.
"""
import argparse
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from arguments import positive

ENGINES = ["spaces", "threads", "tbb"]
NO_SUCH_ENGINE = 2  # exit code of the programs
OTHER_REPLICAS = (1, 3)  # with which each engine must give the same output
MOST_REPLICAS = 50  # kMostReplicas in pipelines/arguments.hpp


def make_tree(folder, megabytes):
    """Files of words and numbers, parts of which are in several of them: the same tree every time."""
    chance = random.Random(4)
    words = ["".join(chance.choices("etaoinshrdlu", k=chance.randint(2, 9))) for _ in range(3000)]
    blocks = []
    written = number = 0
    while written < megabytes << 20:
        parts = []
        for _ in range(chance.randint(1, 24)):
            if blocks and chance.random() < 0.35:
                parts.append(chance.choice(blocks))
            else:
                text = " ".join(chance.choices(words, k=8000)).encode()
                parts.append(text if chance.random() < 0.8 else chance.randbytes(40000))
                blocks.append(parts[-1])
        path = Path(folder) / f"part{number % 10}" / f"file{number}"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"".join(parts))
        written += path.stat().st_size
        number += 1


def run_once(command):
    """Standard output, seconds of the pipeline, processor seconds of the program."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} ended with code {done.returncode}\n{done.stderr}")
    seconds = [float(line.split()[1]) for line in done.stderr.splitlines() if line.startswith("seconds ")]
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return done.stdout, seconds[-1], used


def compare(name, command, engines, options):
    """Runs all engines in turns, prints a table. False: an output differed."""
    seconds = {engine: [] for engine in engines}
    used = {engine: [] for engine in engines}
    outputs = set()
    for round_number in range(options.rounds):
        turn = round_number % len(engines)
        for engine in engines[turn:] + engines[:turn]:
            out, took, cpu = run_once([*command, f"--engine={engine}", f"--replicas={options.replicas}"])
            outputs.add(out)
            seconds[engine].append(took)
            used[engine].append(cpu)
    for engine in engines:
        for replicas in OTHER_REPLICAS:
            outputs.add(run_once([*command, f"--engine={engine}", f"--replicas={replicas}"])[0])
    print(f"{name}, {options.replicas} replicas, median of {options.rounds} rounds")
    middle = {engine: statistics.median(times) for engine, times in seconds.items()}
    cpu = {engine: statistics.median(times) for engine, times in used.items()}
    peers = [engine for engine in engines if engine != "spaces"]
    for engine in engines:
        print(f"  {engine:8} {middle[engine]:8.3f} s  least {min(seconds[engine]):8.3f} s  "
              f"processor {cpu[engine]:8.3f} s")
    print(f"  spaces to the better other: {middle['spaces'] / min(middle[p] for p in peers):.2f}, "
          f"of the least {min(seconds['spaces']) / min(min(seconds[p]) for p in peers):.2f}, "
          f"of the processor time {cpu['spaces'] / min(cpu[p] for p in peers):.2f}")
    print(f"  {'the same output in every run' if len(outputs) == 1 else 'OUTPUTS DIFFER'}", flush=True)
    return len(outputs) == 1


def check_restored(program, tree, scratch):
    archive, again = scratch / "archive", scratch / "again"
    run_once([program, "pack", str(tree), str(archive)])
    subprocess.run([program, "restore", str(archive), str(again)], check=True)
    same = subprocess.run(["diff", "-r", str(tree), str(again)], check=False).returncode == 0
    mebibytes = archive.stat().st_size >> 20
    print(f"  the tree is {'restored' if same else 'NOT RESTORED'} from its archive of {mebibytes} MiB")
    return same


def engines_of(similar):
    """The engines that the programs were built with."""
    done = subprocess.run([similar, "--engine=tbb", "--images=0", "--vectors=1"], capture_output=True, text=True,
                          check=False)
    if done.returncode == NO_SUCH_ENGINE:
        return ENGINES[:2]
    if done.returncode != 0:
        sys.exit(f"{similar} --engine=tbb ended with code {done.returncode}\n{done.stderr}")
    return ENGINES


def check_similar(programs, engines, options):
    command = [str(programs / "similar"), f"--images={options.images}", f"--vectors={options.vectors}"]
    return compare("similarity search", command, engines, options)


def check_dedup(programs, engines, options):
    with tempfile.TemporaryDirectory() as scratch:
        tree = Path(options.tree or Path(scratch) / "tree")
        if not options.tree:
            tree.mkdir()
            make_tree(tree, options.megabytes)
        well = compare("deduplication", [str(programs / "dedup"), "pack", str(tree)], engines, options)
        return check_restored(str(programs / "dedup"), tree, Path(scratch)) and well


def folder(text):
    path = Path(text)
    if not path.is_dir():
        raise argparse.ArgumentTypeError(f"there is no folder '{text}'")
    return path


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", help="build folder")
    parser.add_argument("--rounds", type=positive(int), default=9)
    parser.add_argument("--replicas", type=positive(int, most=MOST_REPLICAS), metavar="N",
                        default=min(os.cpu_count(), MOST_REPLICAS),
                        help=f"of each stage that may have several, up to {MOST_REPLICAS}; as many as there are cores")
    parser.add_argument("--megabytes", type=positive(int), default=96, help="size of the tree that is made for dedup")
    parser.add_argument("--images", type=positive(int), default=8000)
    parser.add_argument("--vectors", type=positive(int), default=100000, help="size of the collection that is searched")
    parser.add_argument("--tree", type=folder, help="folder for dedup, instead of one that is made")
    parser.add_argument("--check", action="store_true", help="a small round for the outputs alone")
    options = parser.parse_args()
    if options.check:
        options.rounds, options.megabytes, options.images, options.vectors = 1, 3, 300, 3000
    programs = Path(options.build) / "bench/pipelines"
    if not (programs / "similar").exists():
        sys.exit(f"{programs / 'similar'} is not built")
    engines = engines_of(programs / "similar")
    well = check_similar(programs, engines, options)
    ran = ["similar"]
    if (programs / "dedup").exists():
        well &= check_dedup(programs, engines, options)
        ran.append("dedup")
    else:
        print("dedup was not built: it needs libzstd-dev and libxxhash-dev")
    print(f"ran {' and '.join(ran)} on {', '.join(engines)}")
    sys.exit(not well)


if __name__ == "__main__":
    main()
