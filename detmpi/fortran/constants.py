"""Reads the constants of the C interface out of mpi.h.in, so that Fortran has the same ones.

A constant is a number, or the value of a handle (then with the handle's type). What only C has (addresses, functions,
the tools interface) is left out."""
import re
from dataclasses import dataclass

NUMBER = r"-?(?:0x[0-9a-fA-F]+|\d+)"
# A Fortran string has no null character at its end, and needs no room for one.
STRINGS = re.compile(r"MPI_MAX_\w+")
# Attributes: the key of the C value (a pointer), plus one, is the key of the Fortran value (an integer).
ATTRIBUTES = {"MPI_TAG_UB", "MPI_HOST", "MPI_IO", "MPI_WTIME_IS_GLOBAL", "MPI_UNIVERSE_SIZE", "MPI_LASTUSEDCODE",
              "MPI_APPNUM", "MPI_WIN_BASE", "MPI_WIN_SIZE", "MPI_WIN_DISP_UNIT", "MPI_WIN_CREATE_FLAVOR",
              "MPI_WIN_MODEL"}
C_ONLY = re.compile(r"MPI_F_\w+|MPI_T_\w+")
# Kinds of Fortran integers, and what only Fortran has.
FORTRAN_ONLY = {"MPI_ADDRESS_KIND": 8, "MPI_OFFSET_KIND": 8, "MPI_COUNT_KIND": 8, "MPI_INTEGER_KIND": 4,
                "MPI_STATUS_SIZE": 5, "MPI_SOURCE": 3, "MPI_TAG": 4, "MPI_ERROR": 5}


@dataclass(frozen=True)
class Constant:
    name: str
    value: int
    handle: str = ""  # type of the handle, as MPI_Comm; empty: a number


def signed(text):
    value = int(text, 0)
    return value - (1 << 32) if value >= 1 << 31 else value


def value_for_fortran(name, value):
    if STRINGS.fullmatch(name):
        return value - 1
    return value + 1 if name in ATTRIBUTES else value


def parse(name, text, known):
    """The constant that the text of a macro stands for; None if it is none of Fortran's."""
    if C_ONLY.fullmatch(name):
        return None
    if text in known:
        return Constant(name, known[text].value, known[text].handle)
    number = re.fullmatch(rf"\(?({NUMBER})\)?", text)
    if number:
        return Constant(name, value_for_fortran(name, signed(number[1])))
    handle = re.fullmatch(rf"\(\((MPI_\w+)\)\s*({NUMBER}|MPI_\w+)\)", text)
    if handle and "*" not in text and (handle[2] in known or re.fullmatch(NUMBER, handle[2])):
        value = known[handle[2]].value if handle[2] in known else signed(handle[2])
        return Constant(name, value, handle[1])
    return None


def read_constants(header):
    known = {name: Constant(name, value) for name, value in FORTRAN_ONLY.items()}
    macro = r"^#define (MPI_\w+) (.+)$"
    enumerator = r"\b(MPI_\w+) = (\d+)"
    for match in re.finditer(f"{macro}|{enumerator}", header, re.MULTILINE):
        name, text = (match[1], match[2]) if match[1] else (match[3], match[4])
        constant = parse(name, text.strip(), known)
        if constant:
            known[name] = constant
    return list(known.values())
