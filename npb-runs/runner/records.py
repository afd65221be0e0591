"""What a line of the results must be. Files are checked where they are read, so that nobody else has to look."""

import collections.abc
import sys
import typing

STATUSES = OK, UNVERIFIED, FAILED, TIMEOUT = "ok", "unverified", "failed", "timeout"


class Form(typing.NamedTuple):
    """What a field must hold. `text` follows "is not"."""

    text: str
    fits: collections.abc.Callable


def is_number(value):
    """A finite one: what Python reads as JSON may also be NaN and Infinity. And true is none, though Python takes it for 1."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) <= sys.float_info.max


def is_whole(value):
    return isinstance(value, int) and is_number(value)


def is_object_of(value, fits):
    return isinstance(value, dict) and all(map(fits, value.values()))


def or_null(form):
    return Form(f"{form.text} or null", lambda value: value is None or form.fits(value))


TEXT = Form("text", lambda value: isinstance(value, str))
NUMBER = Form("a number", is_number)
WHOLE = Form("a whole number", is_whole)
ROUND = Form("a whole number from 0", lambda value: is_whole(value) and value >= 0)
COUNT = Form("a whole number from 1", lambda value: is_whole(value) and value >= 1)
STATUS = Form(f"one of {', '.join(STATUSES)}", lambda value: value in STATUSES)
COUNTERS = Form("an object of numbers", lambda value: is_object_of(value, is_number))

# Fields by name: those that every line has, and those that it may have. Others are for people.
MACHINE = {"cores": COUNT}, {"memory_mib": or_null(NUMBER), "load": or_null(NUMBER)}
LIBRARY = {"version": or_null(TEXT), "launcher": TEXT}, {}
SESSION = {
    "command": TEXT, "version": TEXT, "tree": or_null(TEXT), "flags": TEXT, "time": TEXT,
    "machine": Form("what describes a machine", lambda value: fault_of(value, MACHINE) is None),
    "libraries": Form("what describes libraries",
                      lambda value: is_object_of(value, lambda each: fault_of(each, LIBRARY) is None)),
}, {}
RUN = {
    "benchmark": TEXT, "class": TEXT, "ranks": COUNT, "variant": TEXT, "library": TEXT, "mode": TEXT, "round": ROUND,
    "status": STATUS, "reason": or_null(TEXT), "exit_code": or_null(WHOLE), "output": TEXT, "seconds": or_null(NUMBER),
    **dict.fromkeys(("wall_seconds", "user_seconds", "system_seconds", "page_faults", "context_switches"), NUMBER),
}, {
    "digest": or_null(TEXT), "counters": or_null(COUNTERS),
    **dict.fromkeys(("mops", "memory_kib", "own_seconds", "path_seconds", "copied_path_seconds", "turns_seconds"),
                    or_null(NUMBER)),
}
KINDS = {"session": SESSION, "run": RUN}


def fault_of(value, fields):
    if not isinstance(value, dict):
        return "is not an object"
    needed, further = fields
    for name, form in (needed | further).items():
        if name not in value:
            if name in needed:
                return f"{name} is missing"
        elif not form.fits(value[name]):
            return f"{name} is not {form.text}"
    return None


def fault(record):
    """What is wrong with what was read from a line, None if nothing is. Of other kinds nothing is known."""
    if not isinstance(record, dict) or not isinstance(record.get("kind"), str):
        return "not a line of results"
    return fault_of(record, KINDS.get(record["kind"], ({}, {})))
