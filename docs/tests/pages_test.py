#!/usr/bin/env python3
"""Checks the manual pages and what makes them.

usage: pages_test.py FOLDER...     pages (*.1, *.3, *.7) in these folders and below: no warning of groff, the sections that
                                   a page must have, a page for every name. Exit code 77 (skipped) where groff is missing
       pages_test.py --self-test   the reader of headers: what it must refuse and how it divides a header
"""
import re
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tools"))
from c_header import HeaderError, read_header  # noqa: E402
from header_pages import overview, page, split_text  # noqa: E402

SKIPPED = 77


def refers_to(path):
    """Where a page is nothing but a reference to another (.so man3/NAME.3), that page's path, else None."""
    line = path.read_text().split("\n", 1)[0]
    return path.parent / Path(line.split()[1]).name if line.startswith(".so ") else None


def missing_sections(path):
    text = path.read_text()
    for section in ["NAME", "SYNOPSIS", "DESCRIPTION", "SEE ALSO"]:
        if section == "SYNOPSIS" and path.suffix == ".7":
            continue
        if not re.search(rf'^\.SH "?{section}"?$', text, re.M):
            yield f"{path}: no section {section}"


def names_without_page(path):
    """man finds a page by the name of its file alone."""
    named = re.search(r"^\.SH NAME\n(.*?) \\-", path.read_text(), re.M)
    for name in named[1].split(", ") if named else []:
        if not path.with_name(name + path.suffix).exists():
            yield f"{path}: {name} has no page"


def check_pages(folders):
    found = sorted(path for folder in folders for path in Path(folder).rglob("*.[137]"))
    pages = [path for path in found if not refers_to(path)]
    done = subprocess.run(["groff", "-ww", "-man", "-Tutf8", "-rLL=100n", *map(str, pages)], stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True)
    problems = done.stderr.splitlines() + [problem for path in pages for problem in missing_sections(path)]
    problems += [problem for path in pages for problem in names_without_page(path)]
    problems += [f"{path}: refers to a page that is not there" for path in found
                 if refers_to(path) and refers_to(path) not in pages]
    print("\n".join(problems))
    failed = min(len(problems), len(found))
    print(f"tally: {len(found) - failed} passed, {failed} failed, 0 skipped")
    return not problems and found


GOOD = """/* The layer. */
#ifndef X_H
#define X_H
/* A count. */
typedef int count;
struct pair { int a; /* first */ };

/* --- part --- */

/* Does one thing.
 * Blocks. EINVAL: the size. ENOMEM. Paper 004, II.C. */
int one(struct pair* p);
int two(count n); /* the other way round */

/* Ends. Errors: ESRCH no child; EINVAL. */
void three(int (*fn)(void*), void* arg) __attribute__((noreturn));
#endif
"""
REFUSED = [
    GOOD.replace("/* Ends. Errors: ESRCH no child; EINVAL. */\n", ""),
    GOOD.replace("EINVAL. */\nvoid", "EINVAL. */\n\nvoid"),
    GOOD.replace("int two", "\nint two").replace("/* the other way round */", ""),
    "/* The layer. */\nint;\n",
    "/* The layer. */\n",
]


def self_test():
    header = read_header(GOOD, "x/chan.h")
    assert [[f.name for f in group.functions] for group in header.groups] == [["one", "two"], ["three"]]
    assert header.groups[0].text_of(header.groups[0].functions[1]) == "the other way round"
    assert split_text(header.groups[0].text) == ("Does one thing. Blocks.", [("EINVAL", "the size"), ("ENOMEM", "")], "II.C")
    assert split_text(header.groups[1].text) == ("Ends.", [("ESRCH", "no child"), ("EINVAL", "")], None)
    text = page("chan", header, header.groups[0], header.groups[0].functions[0])
    assert "struct pair { int a;" in text and "typedef int count;" in text and "does one thing" in text
    assert "three" in overview("chan", header)
    for broken in REFUSED:
        try:
            read_header(broken, "x/chan.h")
        except HeaderError:
            continue
        sys.exit(f"FAILED: this was accepted:\n{broken}")


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    if sys.argv[1] == "--self-test":
        self_test()
    elif not shutil.which("groff"):
        print("groff is not installed")
        sys.exit(SKIPPED)
    else:
        sys.exit(not check_pages(sys.argv[1:]))


if __name__ == "__main__":
    main()
