"""How far it is and how long it will take: one line that changes on a terminal, else a line now and then."""

import statistics
import sys
import time

from runner import plan

SPARSE_SECONDS = 30


def duration(seconds):
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 90 * 60:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"


class Progress:
    def __init__(self, stream=None, clock=time.monotonic):
        self.stream = stream or sys.stderr
        self.clock = clock
        self.on_terminal = self.stream.isatty()
        self.walls = {}  # key of a run -> its wall times so far
        self.total = 0
        self.shown = None  # when

    def estimate(self, runs):
        """Seconds that the runs will take: each as long as before, those never run as long as others on average."""
        if not self.walls:
            return None
        known = {key: statistics.median(walls) for key, walls in self.walls.items()}
        average = statistics.fmean(known.values())
        return sum(known.get(run.key(), average) for run in runs)

    def begin(self, runs):
        self.total = len(runs)

    def start(self, run, left):
        seconds = self.estimate(left)
        text = f"{self.total - len(left)} of {self.total} runs done"
        text += f", about {duration(seconds)} left" if seconds is not None else ""
        if self.on_terminal:
            now = f"{plan.describe(*run.case.key())}, {plan.label(*run.contender.key())}, round {run.number}"
            self.stream.write(f"\r\033[K{text}: {now}")
            self.stream.flush()
        elif self.shown is None or self.clock() - self.shown >= SPARSE_SECONDS:
            self.shown = self.clock()
            self.stream.write(f"npb: {text}\n")
            self.stream.flush()

    def finish(self, run, wall_seconds):
        self.walls.setdefault(run.key(), []).append(wall_seconds)

    def clear(self):
        """Before something else is written."""
        if self.on_terminal:
            self.stream.write("\r\033[K")
            self.stream.flush()
