"""What many runs say together: medians, spread, ratios."""

import statistics

from libraries import PEERS
from runner import plan
from runner.results import latest_runs

MODE_ORDER = ("logical", "arrival", "seed", "instrumented", *plan.REGION_MODES)
LIBRARY_ORDER = ("detmpi", *PEERS, plan.CHANNELS)
BENCHMARK_ORDER = ("ep", "is", "cg", "mg", "ft", "lu", "sp", "bt", "mm")
CLASS_ORDER = "SWABCDEF"


def place(known, name):
    return (known.index(name), "") if name in known else (len(known), name)


def case_order(case):
    benchmark, problem_class, ranks, variant = case
    return (CLASS_ORDER.find(problem_class), place(BENCHMARK_ORDER, benchmark), variant, ranks)


def contender_order(contender):
    library, mode = contender
    if mode in MODE_ORDER:
        return place(LIBRARY_ORDER, library), place(MODE_ORDER, mode), 0
    kind = mode.rstrip("0123456789")
    return place(LIBRARY_ORDER, library), place(MODE_ORDER, kind), int(mode[len(kind):] or 0)


class Samples:
    """All runs of one contender in one case."""

    def __init__(self):
        self.runs = []
        self.probes = []

    def add(self, record):
        (self.probes if record["round"] == 0 else self.runs).append(record)

    def values(self, name):
        return [run[name] for run in self.runs if run["status"] == "ok" and run.get(name) is not None]

    def median(self, name="seconds"):
        values = self.values(name)
        return statistics.median(values) if values else None

    def values_of_rest(self, name, of="seconds"):
        """What another figure of the same run leaves of one."""
        return [run[of] - run[name] for run in self.runs if run["status"] == "ok" and run.get(name) and run.get(of)]

    def median_part(self, name, by="seconds"):
        """Of the ratios of two figures of the same run."""
        ratios = [run[name] / run[by] for run in self.runs if run["status"] == "ok" and run.get(name) and run.get(by)]
        return statistics.median(ratios) if ratios else None

    def spread(self):
        """Half of what lies between the fastest and the slowest run, as a part of the median."""
        values = self.values("seconds")
        middle = self.median()
        return (max(values) - min(values)) / 2 / middle if len(values) > 1 and middle else None

    def probed(self, name):
        """The greatest figure of the probes."""
        return max((probe[name] for probe in self.probes if probe.get(name) is not None), default=None)

    def counters(self):
        return next((probe["counters"] for probe in self.probes if probe.get("counters")), None)

    def failures(self):
        return [run for run in self.probes + self.runs if run["status"] != "ok"]

    def outputs(self):
        """The different outputs that it printed."""
        return {run["output"] for run in self.probes + self.runs if run["status"] in ("ok", "unverified")}


class Summary:
    """`samples[case][contender]`, both in the order in which they are shown; and the sessions."""

    def __init__(self, files):
        """`files`: the records of each."""
        self.sessions = [record for records in files for record in records if record["kind"] == "session"]
        found = {}
        for records in files:
            for record in latest_runs(records):
                key = plan.key_of(record)
                found.setdefault(key[:4], {}).setdefault(key[4:], Samples()).add(record)
        self.samples = {case: dict(sorted(found[case].items(), key=lambda item: contender_order(item[0])))
                        for case in sorted(found, key=case_order)}
        contenders = {contender for by_contender in found.values() for contender in by_contender}
        self.contenders = sorted(contenders, key=contender_order)

    def get(self, case, contender):
        return self.samples.get(case, {}).get(contender)

    def median(self, case, contender, name="seconds"):
        samples = self.get(case, contender)
        return samples.median(name) if samples else None

    def rest(self, case, contender):
        """Of the run time, what is not the program's own; None if that was not measured."""
        samples = self.get(case, contender)
        values = samples.values_of_rest("own_seconds") if samples else None
        return statistics.median(values) if values else None

    def own(self, case):
        """The program's own time, whichever library it had; None if that was not measured."""
        values = [own for samples in self.samples[case].values() for own in samples.values("own_seconds")]
        return statistics.median(values) if values else None

    def memory(self, case, contender):
        samples = self.get(case, contender)
        return samples.probed("memory_kib") if samples else None

    def best_peer(self, case, figure):
        """The least `figure(case, contender)` of the peers, None without any."""
        values = [figure(case, contender) for contender in self.contenders if contender[0] in PEERS]
        return min((value for value in values if value), default=None)

    def fastest_peer(self, case):
        """The one with the least median of run time, None without any."""
        peers = [contender for contender in self.contenders if contender[0] in PEERS and self.median(case, contender)]
        return min(peers, key=lambda contender: self.median(case, contender), default=None)

    def ratio(self, case, contender, base, figure):
        value, by = figure(case, contender), figure(case, base)
        return value / by if value and by else None

    def modes(self):
        return [contender for contender in self.contenders if contender[0] == "detmpi"]

    def region_modes(self):
        return [contender for contender in self.contenders if contender[0] == plan.CHANNELS]

    def base_region_mode(self):
        """What modes of channels are compared with: that of paper 004, else the first."""
        modes = self.region_modes()
        first = (plan.CHANNELS, plan.REGION_MODES[0])
        return first if first in modes else (modes[0] if modes else None)

    def base_mode(self):
        """What modes of DetMPI are compared with: arrival order, else the first."""
        modes = self.modes()
        return ("detmpi", "arrival") if ("detmpi", "arrival") in modes else (modes[0] if modes else None)

    def failures(self):
        return [run for by_contender in self.samples.values() for samples in by_contender.values()
                for run in samples.failures()]

    def unsteady(self):
        """Cases of programs of this tree that must be repeated byte for byte, and were not: with DetMPI and over
        channels."""
        return [(case, contender) for case, by_contender in self.samples.items() if case[3] != "given"
                for contender, samples in by_contender.items()
                if contender[0] not in PEERS and contender[1] != "arrival" and len(samples.outputs()) > 1]
