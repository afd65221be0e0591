#!/usr/bin/env python3
"""usage: counters_test.py DETMPIRUN COUNTERS CG

What counters.c counts in CG, class S, on 4 ranks, in several runs; that the program's own time is a part of the time that
passed; and that the traces of the ranks can be replayed, in a time between the two.
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import time

import runner_support  # it finds the runner

from runner import critical_path

RANKS = 4
# 16 solutions (one to warm up), each of 25 iterations with 4 messages of each rank (sum of the product, transpose
# exchange, two scalar products); 1 for the first residual, 3 for the last, 1 for the norm.
SOLUTION = RANKS * (25 * 4 + 1 + 3 + 1)
MESSAGES = 16 * SOLUTION


def count(launcher, counters, program, traced):
    """What was counted, the traces, None if there are none, and the seconds that the whole job took."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "counters")
        command = [launcher, "-n", str(RANKS), "env", f"LD_PRELOAD={counters}", f"NPB_COUNTERS={file}",
                   *([f"NPB_TRACE={folder}"] if traced else []), program]
        begin = time.monotonic()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, timeout=100)
        seconds = time.monotonic() - begin
        return json.loads(file.read_text(encoding="utf-8")), critical_path.read_traces(pathlib.Path(folder), RANKS), seconds


def main():
    (first, traces, seconds), (second, _, _) = (count(*sys.argv[1:4], traced=True) for _ in range(2))
    plain, no_traces, _ = count(*sys.argv[1:4], traced=False)
    if no_traces is not None or "memory_bytes_per_s" in plain or plain["bytes"] != first["bytes"]:
        sys.exit("counted differently, or traced, without being asked to trace")
    for name, expected in (("messages", MESSAGES), ("receives", MESSAGES), ("wildcards", 0), ("tests", 0)):
        if first[name] != expected:
            sys.exit(f"{name}: {first[name]}, not {expected}")
    for name in ("bytes", "collectives", "collective_bytes", "clock"):
        if first[name] == 0 or first[name] != second[name]:
            sys.exit(f"{name}: {first[name]} and {second[name]}")
    most, total = first["own_most_ns"], first["own_all_ns"]
    if not 0 < most <= seconds * 1e9 or not most <= total <= RANKS * most:
        sys.exit(f"own time: {most} ns at most and {total} ns in all, of {seconds} s")
    sends = sum(event.kind == critical_path.SEND for trace in traces for event in critical_path.timed_part(trace))
    if sends != 15 * SOLUTION:
        sys.exit(f"{sends} messages in the timed part, not {15 * SOLUTION}")
    path = critical_path.least_ns(traces)
    if not most <= path <= seconds * 1e9 or not first["memory_bytes_per_s"] > 0:
        sys.exit(f"{path} ns at least, of {most} ns of the rank with the most and {seconds} s; {first['memory_bytes_per_s']} B/s")


if __name__ == "__main__":
    main()
