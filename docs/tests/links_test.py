#!/usr/bin/env python3
"""Checks the documents: relative links lead somewhere, headings that are linked to exist, names in `code` that look like
paths of the tree exist.

usage: links_test.py ROOT | --self-test
"""
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

LINK = re.compile(r"(?<!!)\[[^\]\n]*\]\(([^)\s]+)\)|!\[[^\]\n]*\]\(([^)\s]+)\)")
CODE_BLOCK = re.compile(r"^```.*?^```$", re.M | re.S)
HEADING = re.compile(r"^#+\s+(.*)$", re.M)
FOLDERS = ("spmc", "space", "chan", "detmpi", "npb-runs", "bench", "tests", "docs", "tools", "examples")
PATH = re.compile(r"`((?:%s)/[\w./-]*\w)(?::\d+)?`" % "|".join(FOLDERS))


def markdown_files(root):
    done = subprocess.run(["git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "*.md"],
                          capture_output=True)
    if done.returncode == 0:
        names = {name for name in done.stdout.decode().split("\0") if name}
    else:
        names = {str(path.relative_to(root)) for path in Path(root).rglob("*.md")
                 if not re.match(r"(build|dist)", path.relative_to(root).parts[0])}
    return sorted(name for name in names if os.path.isfile(os.path.join(root, name)))


def anchor(heading):
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
    return re.sub(r"\s", "-", re.sub(r"[^\w\s-]", "", text))


def anchors(text):
    return {anchor(match[1]) for match in HEADING.finditer(CODE_BLOCK.sub("", text))}


def check_page(root, name):
    text = (root / name).read_text()
    prose = CODE_BLOCK.sub("", text)
    for match in LINK.finditer(prose):
        target = match[1] or match[2]
        if re.match(r"[a-z]+:", target):
            continue
        path, _, part = target.partition("#")
        to = (root / name).parent / path if path else root / name
        if not to.exists():
            yield f"{name}: the link {target} leads nowhere"
        elif part and part not in anchors(to.read_text()):
            yield f"{name}: no heading for the link {target}"
    for match in PATH.finditer(prose):
        layer = match[1].split("/")[0]  # the name may be that of an #include
        if not (root / match[1]).exists() and not (root / layer / "include" / match[1]).exists():
            yield f"{name}: there is no {match[1]}"


def check_tree(root):
    return [problem for name in markdown_files(root) for problem in check_page(Path(root), name)]


CASES = [
    ("[a](docs/b.md) [b](docs/b.md#two-words-c) [c](#one) `docs/b.md`\n# One", 0),
    ("[a](docs/c.md)", 1),
    ("[a](docs/b.md#three)", 1),
    ("[a](#two)\n# One", 1),
    ("`docs/c.md`", 1),
    ("```\n[a](docs/c.md) `docs/c.md`\n```", 0),
    ("[a](https://example.org/docs/c.md)", 0),
]


def self_test():
    failed = 0
    for text, problems in CASES:
        with tempfile.TemporaryDirectory() as scratch:
            root = Path(scratch)
            (root / "docs").mkdir()
            (root / "a.md").write_text(text)
            (root / "docs/b.md").write_text("# Two words, `C`\n")
            found = check_tree(scratch)
        if len(found) != problems:
            failed += 1
            print(f"FAILED: expected {problems} problems, found {found}, in:\n{text}")
    return failed == 0


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    if sys.argv[1] == "--self-test":
        sys.exit(not self_test())
    problems = check_tree(sys.argv[1])
    print("\n".join(problems))
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
