"""The file of results: one JSON object a line, a `session` that describes the machine, then its `run`s."""

import json
import os

from runner import records
from runner.plan import key_of

GIVEN_UP = ("timeout", "failed")


class ResultError(Exception):
    """A file that cannot be used; the text says why."""


def parse(line):
    """What it says as JSON, None if it is cut off or none at all."""
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def read_records(path):
    """All records. A last line that was cut off is left out; any other line that is not as it should be is an error."""
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise ResultError(f"{path}: {getattr(error, 'strerror', None) or error}") from error
    found = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        record = parse(line)
        if record is None and number == len(lines):
            break
        fault = records.fault(record)
        if fault:
            raise ResultError(f"{path}, line {number}: {fault}")
        found.append(record)
    return found


def latest_runs(found):
    """The runs, of those repeated after a failure the last one."""
    return list({(key_of(record), record["round"]): record for record in found if record["kind"] == "run"}.values())


def mend_last_line(path):
    """What is appended must begin a line. A last one that has lost nothing but its end is a result like any other."""
    with path.open("rb+") as file:
        text = file.read()
        begin = text.rfind(b"\n") + 1
        if parse(text[begin:]) is not None:
            file.write(b"\n")
        elif begin < len(text):
            file.truncate(begin)


class ResultFile:
    """Appends records, each on the disk before the next run begins. With `retry`, failures of earlier sessions do not
    count as done."""

    def __init__(self, path, resume=False, retry=False):
        if path.exists() and path.stat().st_size > 0 and not resume:
            raise ResultError(f"{path} exists: --resume continues it, --out=FILE names another")
        self.path = path
        self.done = set()
        self.given_up = set()
        self.bad = 0  # runs of this session that failed or did not verify
        if resume and path.exists():
            for record in latest_runs(read_records(path)):
                if not (retry and record["status"] != "ok"):
                    self.note(record)
            mend_last_line(path)
        try:
            self.file = path.open("a", encoding="utf-8")
        except OSError as error:
            raise ResultError(f"{path}: {error.strerror}") from error

    def note(self, record):
        self.done.add((key_of(record), record["round"]))
        if record["status"] in GIVEN_UP:
            self.given_up.add(key_of(record))

    def is_done(self, key, number):
        return (key, number) in self.done

    def is_given_up(self, key):
        return key in self.given_up

    def write(self, record):
        self.file.write(json.dumps(record) + "\n")
        self.file.flush()
        os.fsync(self.file.fileno())
        if record["kind"] == "run":
            self.note(record)
            self.bad += record["status"] != "ok"

    def close(self):
        self.file.close()
