"""Enforces what no compiler checks: the order of the layers, who makes system calls, what files may contain.

usage: layout_test.py ROOT          checks the tree; exit code 1 if a rule is broken
       layout_test.py --self-test   checks the checks, on small trees that break each rule
"""

import os
import re
import subprocess
import sys
import tempfile

# Folder of each layer, and the layers it may use besides itself. The longest folder that matches decides.
LAYERS = {
    "spmc/base": ("base", []),
    "spmc": ("spmc", ["base"]),
    "space": ("space", ["spmc", "base"]),
    "chan": ("chan", ["space", "spmc", "base"]),
    "detmpi": ("detmpi", ["chan", "space", "spmc", "base"]),
    "dmr": ("dmr", ["chan", "space", "spmc", "base"]),
    "npb-runs": ("npb-runs", ["detmpi"]),
    "npb-runs/channels": ("npb-runs", ["detmpi", "chan", "space", "spmc", "base"]),
    "bench": ("bench", ["detmpi", "chan", "space", "spmc", "base"]),
    "bench/pipelines": ("bench", ["dmr", "chan", "space", "spmc", "base"]),
}
PUBLIC_PREFIXES = {"base", "spmc", "space", "chan", "detmpi", "dmr"}
SOURCE = re.compile(r"\.(c|h|cpp|hpp|inc)(\.in)?$")
MAX_LINES = 700

# Only spmc/base may call these. A call through a namespace or an object is another function of that name.
SYSTEM_CALLS = """syscall mmap munmap mprotect mremap madvise memfd_create shm_open ftruncate fallocate fork vfork
clone kill tgkill waitid waitpid wait3 wait4 prctl personality membarrier sched_yield sched_setaffinity
sched_getaffinity ptrace""".split()
CALL = re.compile(r"(?<![\w.>:~])(?:::\s*)?(%s)\s*\(" % "|".join(SYSTEM_CALLS))
FUTEX = re.compile(r"\b(SYS|__NR)_\w+\b")
# `int kill(` declares; `return kill(` calls.
BEFORE_A_CALL = {"return", "co_return", "else", "do", "throw", "case", "and", "or", "not"}

# Paths of one machine. Written in pieces so that this file passes.
MACHINE_PATHS = re.compile(r"(?<![\w.}@*/-])/(?:wo" r"rk|ro" r"ot|ho" r"me)/\w|/tmp/h" r"\d")


def tracked_files(root):
    """Files of the repository, also those that are about to be added; every file where there is no git."""
    command = ["git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        names = subprocess.run(command, capture_output=True, check=True).stdout.decode().split("\0")
        return sorted({name for name in names if name and os.path.isfile(os.path.join(root, name))})
    except (OSError, subprocess.CalledProcessError):
        pass
    found = []
    for folder, folders, names in os.walk(root):
        folders[:] = [f for f in folders if f not in (".git", "dist", "__pycache__") and not f.startswith("build")]
        found += [os.path.relpath(os.path.join(folder, name), root) for name in names]
    return sorted(found)


def layer_of(path):
    for folder in sorted(LAYERS, key=len, reverse=True):
        if path.startswith(folder + "/"):
            return LAYERS[folder]
    return None, None


def included_layer(path, quote, name):
    """The layer that an include names, and whether it reaches a private header of that layer."""
    if name == "mpi.h":
        return "detmpi", False
    if quote == '"':
        target = os.path.normpath(os.path.join(os.path.dirname(path), name))
        layer, _ = layer_of(target)
        if name.startswith(".") and layer:
            return layer, True
    first = name.split("/")[0]
    return (first, False) if "/" in name and first in PUBLIC_PREFIXES else (None, False)


def check_includes(path, text):
    layer, allowed = layer_of(path)
    if layer is None:
        return
    for number, line in enumerate(text.splitlines(), 1):
        match = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line)
        if not match:
            continue
        target, private = included_layer(path, match[1], match[2])
        if target is None or target == layer:
            continue
        if target not in allowed:
            yield f"{path}:{number}: {layer} must not include {match[2]} of {target}"
        elif private:
            yield f"{path}:{number}: {match[2]} is private to {target}"


def without_comments_and_strings(text):
    """The code alone; every line stays where it was."""
    pattern = re.compile(
        r"//[^\n]*|/\*.*?\*/|R\"(?P<d>[^(\s]*)\(.*?\)(?P=d)\"|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])+'", re.DOTALL)
    return pattern.sub(lambda match: "\n" * match[0].count("\n") or " ", text)


def check_system_calls(path, text):
    layer, _ = layer_of(path)
    if layer in (None, "base", "npb-runs", "bench") or not SOURCE.search(path):
        return
    for number, line in enumerate(without_comments_and_strings(text).splitlines(), 1):
        for match in CALL.finditer(line):
            before = re.search(r"([\w>&*]+)\s+[&*]*$", line[: match.start()])
            declares = before and re.match(r"[A-Za-z_]\w*$|.*[>&*]$", before[1]) and before[1] not in BEFORE_A_CALL
            if not declares or "::" in match[0]:
                yield f"{path}:{number}: {match[1]}() is a system call; they belong to spmc/base"
        for match in FUTEX.finditer(line):
            yield f"{path}:{number}: {match[0]}: raw system calls belong to spmc/base"


def check_content(path, text):
    for number, line in enumerate(text.splitlines(), 1):
        match = MACHINE_PATHS.search(line)
        if match:
            yield f"{path}:{number}: path of one machine: {line[match.start():match.start() + 30]}"
    lines = text.count("\n")
    if lines > MAX_LINES:
        yield f"{path}: {lines} lines, more than {MAX_LINES}: split it"


def check_tree(root):
    problems = []
    for path in tracked_files(root):
        with open(os.path.join(root, path), "rb") as file:
            data = file.read()
        if b"\0" in data:
            continue
        text = data.decode(errors="replace")
        problems += check_content(path, text)
        if SOURCE.search(path):
            problems += check_includes(path, text)
            problems += check_system_calls(path, text)
    return problems


# Path, content, and what the one problem must mention (None: no problem).
CASES = [
    ("space/src/a.cpp", "#include <spmc/region.hpp>\n#include <base/sys.hpp>\n", None),
    ("spmc/src/a.cpp", "#include <space/space.hpp>\n", "spmc must not include"),
    ("spmc/base/src/a.cpp", "#include <spmc/region.hpp>\n", "base must not include"),
    ("chan/src/a.cpp", '#include "../../space/src/private.hpp"\n', "is private to space"),
    ("chan/src/a.cpp", '#include "ring.hpp"\n#include "../match/engine.hpp"\n', None),
    ("dmr/a.cpp", "#include <mpi.h>\n", "dmr must not include"),
    ("detmpi/a.cpp", "#  include <dmr/dmr.hpp>\n", "detmpi must not include"),
    ("chan/a.cpp", "#include <dmr/pipeline.hpp>\n", "chan must not include"),
    ("bench/pipelines/a.cpp", "#include <dmr/pipeline.hpp>\n", None),
    ("bench/a.cpp", "#include <dmr/pipeline.hpp>\n", "bench must not include"),
    ("npb-runs/a.cpp", "#include <chan/chan.h>\n", "npb-runs must not include"),
    ("space/a.cpp", "void f() { mmap(0, 1); }\n", "mmap() is a system call"),
    ("space/a.cpp", "int f() { return ::kill(1, 2); }\n", "kill() is a system call"),
    ("space/a.cpp", "int f() { return kill(1, 2); }\n", "kill() is a system call"),
    ("space/a.cpp", "auto p = fork();\n", "fork() is a system call"),
    ("space/a.cpp", "long n = SYS_futex;\n", "SYS_futex"),
    ("space/a.cpp", "// fork() here\nconst char* s = \"kill(1)\"; /* mmap(\n */ x.kill(1); base::kill(2);\n", None),
    ("space/a.hpp", "Status kill(SpaceId id);\nResult<int> fork(int);\n", None),
    ("spmc/base/a.cpp", "void f() { mmap(0, 1); }\n", None),
    ("tools/a.sh", "cd /wo" "rk/x\n", "path of one machine"),
    ("docs/a.md", "see https://a.b/ho" "me/x and ./wo" "rk/y\n", None),
    ("docs/b.md", "x\n" * (MAX_LINES + 1), "split it"),
    ("docs/b.md", "x\n" * MAX_LINES, None),
]


def self_test():
    failed = 0
    for path, content, expected in CASES:
        with tempfile.TemporaryDirectory() as root:
            os.makedirs(os.path.join(root, os.path.dirname(path)))
            with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                file.write(content)
            problems = check_tree(root)
        good = not problems if expected is None else len(problems) == 1 and expected in problems[0]
        if not good:
            failed += 1
            print(f"{path}: {content[:60]!r}\n  expected {expected!r}, got {problems}")
    print(f"tally: {len(CASES) - failed} passed, {failed} failed, 0 skipped")
    return failed


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    if sys.argv[1] == "--self-test":
        sys.exit(1 if self_test() else 0)
    problems = check_tree(sys.argv[1])
    print("\n".join(problems) if problems else "no rule is broken")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
