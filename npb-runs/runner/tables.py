"""Tables of a summary, as lists of cells; as Markdown."""

from formats import format_time
from runner import plan

DEADLOCK_STATUS = 122  # of detmpirun
TIME_NOTE = """Medians of the seconds that the programs report; ± half of what lies between the fastest and the slowest
run; in brackets the ratio to the better peer, below 1.00x is faster."""
MEMORY_NOTE = """The most that all processes of a job held at once, launcher included: the sum of their PSS, sampled
in a run that is not timed; in brackets the ratio to the better peer."""
OWN_TIME_NOTE = """Medians of the least time in which the programs' own code, all between MPI calls, could have run on the
cores of the machine: processor time of the rank with the most, or of all ranks by the number of cores; in brackets the median of
its part of the run time."""
BOUND_NOTE = """Parts of the better peer's run time, medians, which no library can save, by the traces of that peer's runs and of those with
the first of DetMPI's modes: the programs' own time; the time in which that can run as ranks wait for messages and in collective
operations for each other; and that with one copy of each message of 4 KiB and more, of those below 1 MiB only where each rank has a core.
By turns is no bound, but an estimate, where equally many ranks share each core: all that replayed on these cores, in the best of four
orders, with what a core takes to change from one process to another. Reached: the run time with DetMPI by that of the peer."""
GROWTH_NOTE = """Run time with the first of DetMPI's modes by that with the fewest ranks that the program ran with, if these are no more than
the cores; and what the programs' own time, which no library can save, makes of that, with waiting and one copy of each message, and by
turns on the cores."""
REST_NOTE = """Medians of what is not the programs' own of the run time: calls of MPI, and waiting for ranks that are behind; in
brackets the ratio to the better peer. It comes from within single runs, so that the noise of the programs' code is not in it. The
whole: what follows for the run time with the first of DetMPI's modes by that of the better peer if the own time is the same with each, its
median."""
COUNTER_NOTE = """Sums over all ranks, of the program's own calls: messages from point to point and their bytes;
receives, and those from anybody (wildcards); tests, whose outcome the order of messages decides; collective operations
and the bytes that ranks hand in. Of DetMPI: control messages, by which ranks tell others what they wait for and what they
have received; waits in which the first look was in vain, and those that slept; runs that ended in a deadlock; the digest of
the run."""
TEXT_COLUMNS = ("program", "class", "library", "mode", "end", "reason")
STATUS_TEXT = {"timeout": "timed out", "failed": "failed", "unverified": "not verified"}


class Table:
    """`note` explains what is not obvious."""

    def __init__(self, title, header, rows, note=""):
        self.title = title
        self.header = header
        self.rows = rows
        self.note = " ".join(note.split())

    def is_text(self, column):
        """Whether it holds words, not figures."""
        return self.header[column] in TEXT_COLUMNS

    def markdown(self):
        ruler = ["---" if self.is_text(column) else "---:" for column in range(len(self.header))]
        lines = [self.header, ruler, *self.rows]
        text = "\n".join("| " + " | ".join(str(cell).replace("|", "\\|") for cell in line) + " |" for line in lines)
        return f"### {self.title}\n\n" + (f"{self.note}\n\n" if self.note else "") + text + "\n"


def case_cells(case):
    benchmark, problem_class, ranks, variant = case
    return [f"{benchmark} {variant}".strip(), problem_class, ranks]


CASE_HEADER = ["program", "class", "ranks"]


def labels(contenders):
    return [plan.label(*contender) for contender in contenders]


def status_cell(samples):
    """What stands where there is no figure."""
    failures = samples.failures() if samples else []
    return STATUS_TEXT[failures[-1]["status"]] if failures else "-"


def time_cell(samples, base):
    median = samples.median() if samples else None
    if median is None:
        return status_cell(samples)
    spread = samples.spread()
    text = format_time(median * 1e6) + (f" ±{100 * spread:.0f} %" if spread is not None else "")
    return text + (f" ({median / base:.2f}x)" if base else "")


def time_table(summary):
    rows = []
    for case in summary.samples:
        base = summary.best_peer(case, summary.median)
        rows.append(case_cells(case) + [time_cell(summary.get(case, contender), base)
                                        for contender in summary.contenders])
    return Table("Run time", CASE_HEADER + labels(summary.contenders), rows, TIME_NOTE)


def rate_table(summary):
    rows = []
    for case in summary.samples:
        medians = [summary.median(case, contender, "mops") for contender in summary.contenders]
        if any(medians):
            rows.append(case_cells(case) + [f"{median:.0f}" if median else "-" for median in medians])
    return Table("Rate", CASE_HEADER + labels(summary.contenders), rows, "Medians, million operations per second.")


def overhead_table(summary):
    """Each mode of DetMPI against the base mode, a column per rank count."""
    base = summary.base_mode()
    others = [mode for mode in summary.modes() if mode != base]
    counts = sorted({case[2] for case in summary.samples})
    rows = []
    for name in dict.fromkeys((case[0], case[1], case[3]) for case in summary.samples):
        for mode in others:
            ratios = [summary.ratio((name[0], name[1], ranks, name[2]), mode, base, summary.median) for ranks in counts]
            if any(ratios):
                cells = [f"{100 * (ratio - 1):+.1f} %" if ratio else "-" for ratio in ratios]
                rows.append([f"{name[0]} {name[2]}".strip(), name[1], plan.label(*mode), *cells])
    note = f"By how much the median is longer than with {plan.label(*base)}, by the number of ranks." if base else ""
    return Table("What determinism costs", ["program", "class", "mode", *map(str, counts)], rows, note)


def region_table(summary):
    """Each mode of channels against the oldest one."""
    base, rows = summary.base_region_mode(), []
    for case in summary.samples:
        times = [summary.median(case, mode) for mode in summary.region_modes()]
        first = summary.median(case, base) if base else None
        if any(times):
            rows.append(case_cells(case) + [
                (format_time(time * 1e6) + (f" ({first / time:.2f}x)" if first else "")) if time else "-" for time in times])
    return Table("Modes of SPMC memory", CASE_HEADER + labels(summary.region_modes()), rows, f"""Medians of the run time
        over channels; in brackets how many times as fast as {plan.label(*base)}.""" if base else "")


REGION_COUNTERS = ("data_pages", "system_pages", "faults", "sends")


def page_table(summary):
    """Paper 004, table II and figure 4."""
    rows = []
    for case in summary.samples:
        for mode in summary.region_modes():
            samples = summary.get(case, mode)
            counters = samples.counters() if samples else None
            if not counters or not counters.keys() >= {*REGION_COUNTERS, "suspended_ns"}:
                continue
            per_send = counters["data_pages"] / counters["sends"] if counters["sends"] else 0
            spent = case[2] * (samples.probed("seconds") or 0) * 1e9
            suspended = f"{100 * counters['suspended_ns'] / spent:.0f} %" if spent else "-"
            rows.append(case_cells(case) + [mode[1], *(f"{counters[name]:,}" for name in REGION_COUNTERS),
                                            f"{per_send:.1f}", suspended])
    header = [*CASE_HEADER, "mode", *(name.replace("_", " ") for name in REGION_COUNTERS), "pages per send", "suspended"]
    return Table("Pages of SPMC memory", header, rows, """Sums over all ranks of the probe: frames taken for data, and for page
        tables and extension pages; page faults of SPMC memory; calls of chan_send. Suspended: the part of the ranks'
        run time, from the program's start to its end, in which they slept.""")


def own_time_table(summary):
    rows = []
    for case in summary.samples:
        values = [summary.median(case, contender, "own_seconds") for contender in summary.contenders]
        if not any(values):
            continue
        parts = [f"{format_time(value * 1e6)} ({100 * summary.get(case, contender).median_part('own_seconds'):.0f} %)"
                 if value else "-" for contender, value in zip(summary.contenders, values)]
        rows.append(case_cells(case) + parts)
    return Table("The programs' own time", [*CASE_HEADER, *labels(summary.contenders)], rows, OWN_TIME_NOTE)


BOUNDS = ("own_seconds", "path_seconds", "copied_path_seconds", "turns_seconds")


def format_ratio(value):
    return f"{value:.2f}x" if value else "-"


def bounds_of(summary, case, contender, by):
    """What no library could save of a median of run time, if the programs' code took as long as it did with this one."""
    samples = summary.get(case, contender)
    time = samples.median() if samples else None
    parts = [samples.median_part(name) if time and by else None for name in BOUNDS]
    return [part * time / by if part else None for part in parts]


def bound_table(summary):
    """What a library could reach that took no time, and one that does nothing but wait, copy, and give cores on."""
    rows = []
    ours = next(iter(summary.modes()), None)
    for case in summary.samples:
        peer = summary.fastest_peer(case)
        by = summary.median(case, peer) if peer else None
        theirs, own = (bounds_of(summary, case, each, by) for each in (peer, ours))
        if any([*theirs, *own]):
            reached = summary.ratio(case, ours, peer, summary.median) if ours else None
            rows.append(case_cells(case) + [plan.label(*peer), *map(format_ratio, [*theirs, own[0], *own[2:], reached])])
    header = [*CASE_HEADER, "library", "own time", "and waiting", "and one copy", "by turns", "DetMPI's own time", "and one copy", "by turns",
              "reached"]
    return Table("What no library can save", header, rows, BOUND_NOTE)


def growth_table(summary):
    """Of more ranks on the same cores."""
    rows = []
    ours = next(iter(summary.modes()), None)
    cores = max((session["machine"]["cores"] for session in summary.sessions), default=0)
    fewest = {}
    for case in sorted(summary.samples, key=lambda case: case[2]):
        base = fewest.setdefault((case[0], case[1], case[3]), case)
        by = summary.median(base, ours) if base[2] <= cores < case[2] else None
        bounds = bounds_of(summary, case, ours, by)
        if any(bounds):
            ratios = [bounds[0], *bounds[2:], summary.median(case, ours) / by]
            rows.append(case_cells(case) + [base[2], *map(format_ratio, ratios)])
    header = [*CASE_HEADER, "by that with", "own time", "and one copy", "by turns", "reached"]
    return Table("More ranks than cores", header, rows, GROWTH_NOTE)


def rest_table(summary):
    """What is left to libraries, without the noise of the programs' own time."""
    rows = []
    for case in summary.samples:
        rests = [summary.rest(case, contender) for contender in summary.contenders]
        if not any(rests):
            continue
        best = summary.best_peer(case, summary.rest)
        cells = [format_time(rest * 1e6) + (f" ({rest / best:.2f}x)" if best else "") if rest else "-" for rest in rests]
        ours = next((summary.rest(case, contender) for contender in summary.modes()), None)
        own = summary.own(case)
        rows.append(case_cells(case) + [*cells, f"{(own + ours) / (own + best):.2f}x" if ours and best else "-"])
    return Table("What is not the programs' own", [*CASE_HEADER, *labels(summary.contenders), "the whole"], rows, REST_NOTE)


def memory_table(summary):
    rows = []
    for case in summary.samples:
        base = summary.best_peer(case, summary.memory)
        values = [summary.memory(case, contender) for contender in summary.contenders]
        if any(values):
            rows.append(case_cells(case) + [
                (f"{value / 1024:.1f} MiB" + (f" ({value / base:.2f}x)" if base else "")) if value else "-"
                for value in values])
    return Table("Memory", CASE_HEADER + labels(summary.contenders), rows, MEMORY_NOTE)


COUNTERS = ("messages", "bytes", "receives", "wildcards", "tests", "collectives", "collective_bytes", "control_messages",
            "waits", "sleeps")


def deadlocks_in(samples):
    return sum(run["exit_code"] == DEADLOCK_STATUS for run in samples.probes + samples.runs)


def counter_table(summary):
    rows = []
    for case, by_contender in summary.samples.items():
        found = [(contender, samples) for contender, samples in by_contender.items()
                 if samples.counters() and contender[0] != plan.CHANNELS]
        if found:
            contender, samples = found[0]
            counters = samples.counters()
            cells = [f"{counters[name]:,}" if name in counters else "-" for name in COUNTERS]
            deadlocks = deadlocks_in(samples) if contender[0] == "detmpi" else "-"
            rows.append(case_cells(case) + [*cells, deadlocks, samples.probed("digest") or "-"])
    header = [*CASE_HEADER, *(name.replace("_", " ") for name in COUNTERS), "deadlocks", "digest"]
    return Table("Counters", header, rows, COUNTER_NOTE)


def system_cells(samples):
    times = [samples.median(name) for name in ("wall_seconds", "user_seconds", "system_seconds")]
    counts = [samples.median(name) for name in ("page_faults", "context_switches")]
    return [format_time(1e6 * each) for each in times] + [f"{each:,.0f}" for each in counts]


def system_table(summary):
    """What the jobs asked of the system, per contender."""
    rows = [case_cells(case) + [plan.label(*contender), *system_cells(samples)]
            for case, by_contender in summary.samples.items() for contender, samples in by_contender.items()
            if samples.median() is not None]
    return Table("What the system did", [*CASE_HEADER, "library", "whole job", "user", "system", "page faults",
                                         "context switches"], rows,
                 "Medians, of all processes of a job from its start to its end.")


def failure_table(summary):
    rows = [[*case_cells((run["benchmark"], run["class"], run["ranks"], run["variant"])),
             plan.label(run["library"], run["mode"]), run["round"], STATUS_TEXT[run["status"]], run["reason"]]
            for run in summary.failures()]
    rows += [[*case_cells(case), plan.label(*contender), "-", "differs", "did not print the same in every run"]
             for case, contender in summary.unsteady()]
    return Table("What failed", [*CASE_HEADER, "library", "round", "end", "reason"], rows)


def all_tables(summary):
    """Those that have rows."""
    makers = (time_table, own_time_table, bound_table, growth_table, rest_table, rate_table, overhead_table, region_table, page_table, memory_table, counter_table,
              system_table, failure_table)
    return [table for table in (make(summary) for make in makers) if table.rows]


def markdown(summary):
    return "\n".join(table.markdown() for table in all_tables(summary))
