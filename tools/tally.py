"""Prints "passed failed skipped" for a log of `meson test` (testlog.json).

A test whose output ends in "tally: N passed, N failed, N skipped" counts as that many cases, any other as one. A
test that failed adds at least one failure, whatever its tally says: it may have died before the end.
"""

import json
import re
import sys

TALLY = re.compile(r"^tally: (\d+) passed, (\d+) failed, (\d+) skipped$", re.MULTILINE)


def count(test):
    found = TALLY.findall(test.get("stdout", ""))
    passed, failed, skipped = map(int, found[-1]) if found else (0, 0, 0)
    result = test["result"]
    if result == "EXPECTEDFAIL":
        return 1, 0, 0
    if result == "OK":
        return (passed, failed, skipped) if found else (1, 0, 0)
    if result == "SKIP":
        return (passed, failed, skipped) if found else (0, 0, 1)
    return passed, max(failed, 1), skipped


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: tally.py TESTLOG.json")
    try:
        with open(sys.argv[1], encoding="utf-8", errors="replace") as log:
            counts = [count(json.loads(line)) for line in log if line.strip()]
    except OSError as error:
        sys.exit(f"tally.py: {error}")
    print(*(sum(column) for column in zip(*counts)) if counts else (0, 0, 0))


if __name__ == "__main__":
    main()
