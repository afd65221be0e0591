"""Executes the runs of a plan one by one, and writes down each as soon as it has ended."""

import datetime
import json
import os
import pathlib
import tempfile

import jobs
from libraries import note
from runner import critical_path, outputs, plan, turns
from runner.records import FAILED, OK, TIMEOUT, UNVERIFIED


class Tools:
    """What the runs need: everything that was built, the libraries by name, and their versions."""

    def __init__(self, libraries, programs, executables, counters, versions, own_time=False, switch_ns=None):
        self.libraries = {library.name: library for library in libraries}
        self.programs = programs
        self.executables = executables
        self.counters = counters
        self.versions = versions
        self.own_time = own_time
        self.switch_ns = switch_ns  # what a core takes to change from one process to another; None: not known

    def counts(self, run):
        """Are the counters preloaded in this run?"""
        return (run.number == 0 or self.own_time) and not run.case.given and bool(self.counters.get(run.contender.library))

    def executable(self, run):
        if run.case.given:
            return run.case.given.path
        return self.executables.get((run.case.benchmark, run.contender.build()))

    def command(self, run):
        """Launcher, its options, the program and its arguments. Some runs of ours have the counters preloaded; channels
        have them built in."""
        case, library = run.case, self.libraries[run.contender.library]
        options, program = run.contender.launcher_options(), [str(self.executable(run))]
        if not case.given:
            program += self.programs[case.benchmark].arguments(case.problem_class, case.variant)
        if library.name == plan.CHANNELS:
            return [program[0], "-n", str(case.ranks), *options, "--", *program[1:]]
        if run.number == 0 and library.name == "detmpi" and run.contender.mode != "arrival":
            options = [*options, "--digest"]
        if self.counts(run):
            program = ["env", f"LD_PRELOAD={self.counters[library.name]}", *program]
        return [*library.launcher, str(case.ranks), *options, *program]


def read_counters(path):
    """The line that counters.c has written, None if there is none."""
    try:
        return json.loads(path.read_text(encoding="utf-8").splitlines()[0])
    except (OSError, ValueError, IndexError):
        return None


def own_times(counters, folder, ranks, switch_ns=None):
    """The least times in which the program's own code, without MPI, can run on the cores of this machine: that of the
    rank with the most of it, or of all by the cores; that which its ranks need as they wait for each other; with one copy of
    each message. And about the time that they would take by turns, where equally many share each core."""
    times = dict.fromkeys(("own_seconds", "path_seconds", "copied_path_seconds", "turns_seconds"))
    if not counters or not counters.get("own_all_ns"):
        return times
    cores = len(os.sched_getaffinity(0))

    def least(path_ns, work_ns):
        return round(max(path_ns, work_ns / cores) * 1e-9, 6)

    own = counters["own_all_ns"]
    times["own_seconds"] = least(counters["own_most_ns"], own)
    try:
        traces = critical_path.read_traces(folder, ranks)
        if traces:
            rates = critical_path.Rates(counters.get("memory_bytes_per_s"), counters.get("cores_bytes_per_s"))
            times["path_seconds"] = least(critical_path.least_ns(traces), own)
            copied = critical_path.least_ns(traces, rates)
            times["copied_path_seconds"] = least(copied, own + critical_path.all_copies_ns(traces, rates))
            if switch_ns and ranks > cores and ranks % cores == 0:
                times["turns_seconds"] = round(turns.shortest_ns(traces, rates, cores, switch_ns) * 1e-9, 6)
    except (OSError, critical_path.TraceError) as error:
        note(f"npb: no critical path: {error}")
    return times


def judge(outcome, printed):
    """How it ended, and why if not well."""
    if outcome.code is None:
        return TIMEOUT, outcome.failure
    if outcome.code == 1 and printed["seconds"] is not None and not printed["verified"]:
        return UNVERIFIED, "the result did not verify"
    if outcome.failure:
        return FAILED, outcome.failure
    if printed["seconds"] is None:
        return FAILED, "printed no time"
    return (OK, None) if printed["verified"] else (UNVERIFIED, "the result did not verify")


def execute(run, tools, timeout):
    """Runs once; the record of it."""
    probe = run.number == 0
    traced = not probe and tools.counts(run)
    counted = probe or traced
    peak = jobs.PeakMemory() if probe else None
    with tempfile.TemporaryDirectory(prefix="npb-") as folder:
        file, traces = pathlib.Path(folder, "counters"), pathlib.Path(folder, "traces")
        variables = {"NPB_COUNTERS": str(file)} if counted else {}
        if traced:
            traces.mkdir()
            variables["NPB_TRACE"] = str(traces)
        outcome = jobs.run_command(tools.command(run), timeout, variables or None, peak)
        counters = read_counters(file) if counted else None
        times = own_times(counters, traces, run.case.ranks, tools.switch_ns) if traced else {}
    printed = outputs.parse(outcome.output, outcome.errors)
    status, reason = judge(outcome, printed)
    benchmark, problem_class, ranks, variant, library, mode = run.key()
    record = {
        "kind": "run", "round": run.number, "benchmark": benchmark, "class": problem_class, "ranks": ranks,
        "variant": variant, "library": library, "mode": mode, "status": status, "reason": reason,
        "exit_code": outcome.code, "wall_seconds": round(outcome.seconds, 6), **printed, **outcome.usage,
        "version": tools.versions.get(library),
        "time": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
    }
    if probe:
        record |= {"memory_kib": peak.kib or None, "counters": counters}
    return record | times


class Series:
    """All runs of a plan, without those that are done. A case whose run timed out or failed is given up."""

    def __init__(self, runs, tools, results, progress, timeout):
        self.runs = [run for run in runs if not results.is_done(run.key(), run.number)]
        self.tools = tools
        self.results = results
        self.progress = progress
        self.timeout = timeout

    def run_all(self):
        self.progress.begin(self.left(self.runs))
        try:
            for index, run in enumerate(self.runs):
                if not self.results.is_given_up(run.key()):
                    self.progress.start(run, self.left(self.runs[index:]))
                    self.run_one(run)
        finally:
            self.progress.clear()

    def run_one(self, run):
        record = execute(run, self.tools, self.timeout)
        self.results.write(record)
        self.progress.finish(run, record["wall_seconds"])
        if record["reason"]:
            self.progress.clear()
            note(f"npb: {plan.describe(*run.case.key())}, {plan.label(*run.contender.key())}: {record['reason']}")

    def left(self, runs):
        return [run for run in runs if not self.results.is_given_up(run.key())]
