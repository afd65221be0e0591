"""The programs: those of this folder, and executables that a user has built."""

import math
import pathlib
import re
import subprocess

FOLDER = pathlib.Path(__file__).resolve().parent.parent
CLASSES = "SWABC"
# MM has no classes; these orders take their place.
MM_ORDERS = {"S": 256, "W": 512, "A": 1024, "B": 2048, "C": 4096}
POWER_OF_TWO = ("is", "cg", "mg", "ft")
GIVEN = "given"  # the variant of an executable that the user has built
WILDCARD = "wildcard"
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
MAIN = re.compile(r"^int main\(", re.MULTILINE)
GIVEN_NAME = re.compile(r"^([a-z]{2})\.([SWABCDEF])\.(x|\d+)$")


class Benchmark:
    """A program of this tree. `sources` are compiled; a change in one of `depends` asks for compiling again."""

    def __init__(self, name, sources, depends, variants):
        self.name = name
        self.sources = sources
        self.depends = depends
        self.variants = variants

    def arguments(self, problem_class, variant):
        size = f"--n={MM_ORDERS[problem_class]}" if self.name == "mm" else f"--class={problem_class}"
        return [size] + (["--wildcard"] if variant == WILDCARD else [])


class Given:
    """An executable of --bin-dir. `ranks` is None if its name leaves them open; `abi`: the library it was built for."""

    def __init__(self, path, name, problem_class, ranks, abi):
        self.path = path
        self.name = name
        self.problem_class = problem_class
        self.ranks = ranks
        self.abi = abi

    def runs_under(self, library):
        """MPICH's library has several names of one binary interface, and DetMPI takes all of them."""
        return library in {"mpich": ("detmpi", "mpich"), "openmpi": ("openmpi",), "detmpi": ("detmpi",)}[self.abi]


def included_files(path, seen):
    """The files of this tree that a source includes, directly or not."""
    for name in INCLUDE.findall(path.read_text(encoding="utf-8")):
        found = (path.parent / name).resolve()
        if found.is_file() and found not in seen:
            seen.add(found)
            included_files(found, seen)
    return seen


def collect(name, folder):
    """A program is its own folder, common/, and the folders whose headers any of those sources include."""
    folders, headers, sources = [folder / name, folder / "common"], set(), []
    for one in folders:  # grows meanwhile
        for source in sorted(one.glob("*.cpp")):
            if one == folders[0] or not MAIN.search(source.read_text(encoding="utf-8")):
                sources.append(source)
                included_files(source, headers)
        folders += [new for new in sorted({header.parent for header in headers}) if new not in folders]
    return sources, headers


def find_benchmarks(folder=FOLDER):
    """By name. A folder is a benchmark if its source of the same name has the main function."""
    found = {}
    for main in sorted(folder.resolve().glob("*/*.cpp")):
        name, text = main.stem, main.read_text(encoding="utf-8")
        if main.parent.name == name and MAIN.search(text):
            sources, headers = collect(name, folder.resolve())
            has_wildcard = re.search(r"\.has_wildcard\s*=\s*true", text)
            found[name] = Benchmark(name, sources, [*sources, *sorted(headers)],
                                    ["", WILDCARD] if has_wildcard else [""])
    return found


def abi_of(path):
    """Which MPI library an executable was linked with: detmpi, mpich, openmpi; None if it cannot be seen."""
    done = subprocess.run(["readelf", "-d", str(path)], capture_output=True, text=True, errors="replace", check=False)
    needed = re.findall(r"\(NEEDED\).*\[(.+)\]", done.stdout)
    for library, pattern in (("detmpi", r"libdetmpi"), ("mpich", r"libmpi(ch)?(fort|cxx)?\.so\.12"),
                             ("openmpi", r"libmpi(_\w+)?\.so\.40")):
        if any(re.match(pattern, name) for name in needed):
            return library
    return None


def find_given(folder):
    """The executables of a folder that are named as NPB names them, and what is wrong with others so named."""
    found, complaints = [], []
    for path in sorted(folder.iterdir()):
        match = GIVEN_NAME.match(path.name)
        if not match or not path.is_file():
            continue
        name, problem_class, ranks = match.groups()
        if ranks != "x" and int(ranks) == 0:
            complaints.append(f"{path} left out: nothing runs on 0 ranks")
            continue
        abi = abi_of(path)
        if abi is None:
            complaints.append(f"{path} left out: it is not linked with a shared library of MPICH, Open MPI or DetMPI")
            continue
        found.append(Given(path.resolve(), name, problem_class, None if ranks == "x" else int(ranks), abi))
    return found, complaints


def lu_grid(ranks):
    """Whether there are px * py = ranks with py <= px <= 2 py."""
    return any(ranks % py == 0 and py <= ranks // py <= 2 * py for py in range(1, math.isqrt(ranks) + 1))


def runs_on(name, ranks):
    """Whether a benchmark takes so many ranks."""
    if name in POWER_OF_TWO:
        return ranks & (ranks - 1) == 0
    if name == "lu":
        return lu_grid(ranks)
    if name in ("sp", "bt"):
        return math.isqrt(ranks) ** 2 == ranks
    return True


def rank_rule(name):
    if name in POWER_OF_TWO:
        return "a power of two"
    return {"lu": "px * py with py <= px <= 2 py", "sp": "a square", "bt": "a square"}.get(name, "any")
