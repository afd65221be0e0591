#!/usr/bin/env python3
"""Builds and runs the programs in the documents, as their readers would, and compares the output with the documents.

usage: examples_test.py BUILD PREFIX PAGE...   PREFIX: where the build folder would install to
       examples_test.py --self-test            checks the checks

In a page, a block marked `c` or `cpp` whose first line is a comment that begins with a file name is that file. A block
marked `console` is a session in one folder that holds these files and `dist`: lines with `$ ` are run by the shell, what
follows each is what it prints. Other blocks are only for reading.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

BLOCK = re.compile(r"^```(\S*)[^\n]*\n(.*?)^```$", re.M | re.S)
NAMED = re.compile(r"(?:/\*|//|#)\s*([\w.-]+\.\w+)\b")
TIME_LIMIT_S = 120


def blocks(text):
    """(language, content) of every fenced block."""
    return [(match[1], match[2]) for match in BLOCK.finditer(text)]


def session(content):
    """(command, expected output) in order."""
    steps = []
    for line in content.splitlines():
        if line.startswith("$ "):
            steps.append([line[2:], ""])
        elif steps and steps[-1][0].endswith("\\"):
            steps[-1][0] = steps[-1][0] + "\n" + line
        elif not steps:
            raise ValueError(f"a console block begins without a command: {line}")
        else:
            steps[-1][1] += line + "\n"
    return steps


def run_page(text, folder):
    """Problems found; and how many commands ran."""
    problems = []
    ran = 0
    for language, content in blocks(text):
        name = NAMED.match(content)
        if language in ("c", "cpp", "sh") and name:
            (folder / name[1]).write_text(content)
        if language != "console":
            continue
        for command, expected in session(content):
            done = subprocess.run(["sh", "-c", command], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, timeout=TIME_LIMIT_S, text=True, errors="replace")
            ran += 1
            if done.stdout != expected:
                problems.append(f"$ {command}\n  should print {expected!r}\n  but printed  {done.stdout!r}")
            if done.returncode != 0:
                problems.append(f"$ {command}\n  ended with {done.returncode}")
    return problems, ran


def staged(build, prefix, scratch):
    """Installs into the scratch folder; the tree that holds bin/."""
    done = subprocess.run(["meson", "install", "-C", build, "--no-rebuild"], env={**os.environ, "DESTDIR": str(scratch)},
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        sys.exit(done.stdout)
    return scratch / prefix.lstrip("/")


def test_pages(build, prefix, pages):
    passed = failed = 0
    with tempfile.TemporaryDirectory() as scratch:
        dist = staged(build, prefix, Path(scratch) / "stage")
        for page in pages:
            folder = Path(scratch) / "user"
            folder.mkdir()
            (folder / "dist").symlink_to(dist)
            problems, ran = run_page(Path(page).read_text(), folder)
            if ran == 0:
                problems.append("no command to run")
            for problem in problems:
                print(f"FAILED: {page}: {problem}")
            passed += ran - len(problems) if ran > len(problems) else 0
            failed += len(problems)
            shutil.rmtree(folder)
    print(f"tally: {passed} passed, {failed} failed, 0 skipped")
    return failed == 0


GOOD = "```c\n/* a.c: text */\n```\n\n```console\n$ cat a.c\n/* a.c: text */\n$ echo one \\\n  two\none two\n```\n"
CASES = [
    (GOOD, 0, 2),
    (GOOD.replace("one two\n", "one\n"), 1, 2),
    (GOOD.replace("echo one", "false; echo one"), 0, 2),
    (GOOD.replace("$ cat a.c", "$ cat b.c"), 2, 2),
    (GOOD.replace("```console", "```sh"), 0, 0),
]


def self_test():
    failed = 0
    for text, problems, ran in CASES:
        with tempfile.TemporaryDirectory() as scratch:
            found = run_page(text, Path(scratch))
        if (len(found[0]), found[1]) != (problems, ran):
            failed += 1
            print(f"FAILED: expected {problems} problems in {ran} commands, found {found}, in:\n{text}")
    return failed == 0


def main():
    if sys.argv[1:] == ["--self-test"]:
        sys.exit(not self_test())
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    sys.exit(not test_pages(sys.argv[1], sys.argv[2], sys.argv[3:]))


if __name__ == "__main__":
    main()
