"""Which runs there are, and in which order."""

from libraries import PEERS
from runner import benchmarks

# A mode: the arguments of detmpirun, and of detmpicxx where the program must be compiled for it.
ORDERS = ("logical", "arrival")
INSTRUMENTED = "instrumented"
# The library of runner/channels.py, and its modes: blocking or not, and how pages are read and written.
CHANNELS = "channels"
REGION_MODES = ("b.nwr", "b.wr", "b.wr2", "nb.nwr", "nb.wr", "nb.wr2")
TITLES = {"detmpi": "DetMPI", "mpich": "MPICH", "openmpi": "Open MPI", CHANNELS: "channels"}


class Case:
    """What is computed: one row of a table. `given` is the user's executable, None for a program of this tree."""

    def __init__(self, benchmark, problem_class, ranks, variant="", given=None):
        self.benchmark = benchmark
        self.problem_class = problem_class
        self.ranks = ranks
        self.variant = variant
        self.given = given

    def key(self):
        return self.benchmark, self.problem_class, self.ranks, self.variant


class Contender:
    """Who computes it: a library and, for DetMPI and channels, a mode."""

    def __init__(self, library, mode=""):
        self.library = library
        self.mode = mode

    def key(self):
        return self.library, self.mode

    def launcher_options(self):
        if self.mode in ORDERS:
            return [f"--order={self.mode}"]
        if self.mode in REGION_MODES:
            return [f"--mode={self.mode}"]
        return [f"--seed={self.mode.removeprefix('seed')}"] if self.mode.startswith("seed") else []

    def build(self):
        """The name of the build that it needs."""
        return f"{self.library}-{INSTRUMENTED}" if self.mode == INSTRUMENTED else self.library

    def takes(self, case, peer_ranks):
        if self.library in PEERS and peer_ranks is not None and case.ranks > peer_ranks:
            return False
        if self.library == CHANNELS and case.variant == benchmarks.WILDCARD:
            return False
        if case.given:
            return case.given.runs_under(self.library) and self.mode != INSTRUMENTED
        return True


class Run:
    """Round 0 is the probe: memory and counters, and a warm-up; its time counts for nothing."""

    def __init__(self, case, contender, number):
        self.case = case
        self.contender = contender
        self.number = number

    def key(self):
        return self.case.key() + self.contender.key()


def key_of(record):
    return tuple(record[name] for name in ("benchmark", "class", "ranks", "variant", "library", "mode"))


def label(library, mode):
    words = mode.replace("seed", "seed ")
    return f"{TITLES.get(library, library)} {words}".strip()


def describe(benchmark, problem_class, ranks, variant):
    name = f"{benchmark} {variant}".strip()
    return f"{name}, class {problem_class}, {ranks} rank{'s' if ranks != 1 else ''}"


def contenders_of(libraries, orders, seeds, instrumented, regions=()):
    modes = {"detmpi": [*orders, *(f"seed{seed}" for seed in seeds), *([INSTRUMENTED] if instrumented else [])],
             CHANNELS: regions}
    return [Contender(library, mode) for library in libraries for mode in modes.get(library, [""])]


def plan_cases(programs, classes, rank_counts, variants):
    """Cases of programs of this tree, and lines about what is left out."""
    cases, left_out = [], []
    for program in programs:
        unfit = [ranks for ranks in rank_counts if not benchmarks.runs_on(program.name, ranks)]
        if unfit:
            counts = ", ".join(map(str, unfit))
            left_out.append(f"{program.name} not on {counts} ranks: takes {benchmarks.rank_rule(program.name)}")
        cases += [Case(program.name, problem_class, ranks, variant)
                  for problem_class in classes for ranks in rank_counts if ranks not in unfit
                  for variant in program.variants if variant in variants]
    return cases, left_out


def plan_given(executables, names, classes, rank_counts):
    """Cases of executables of the user, of those with these names, None: of all. One with a rank count in its name runs
    on that alone, and goes first."""
    cases = {}
    for given in sorted(executables, key=lambda given: given.ranks is None):
        fit = [ranks for ranks in rank_counts if benchmarks.runs_on(given.name, ranks)]
        for ranks in fit if given.ranks is None else [given.ranks]:
            if given.problem_class in classes and (names is None or given.name in names):
                case = Case(given.name, given.problem_class, ranks, benchmarks.GIVEN, given)
                cases.setdefault((case.key(), given.abi), case)
    return list(cases.values())


def plan_runs(cases, contenders, repeats, probe, peer_ranks=None):
    """Round by round through all cases; in each, the contenders run one after another and take turns to be first. So a
    change in the machine's load meets all alike."""
    runs = []
    for number in range(0 if probe else 1, repeats + 1):
        for index, case in enumerate(cases):
            able = [contender for contender in contenders if contender.takes(case, peer_ranks)]
            turn = (number + index) % len(able) if able else 0
            runs += [Run(case, contender, number) for contender in able[turn:] + able[:turn]]
    return runs
