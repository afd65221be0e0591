"""Takes times out of what the programs print, so that two runs can be compared. Nothing else is masked.

A time, or what is computed from it, becomes '#', with the spaces before it; each function says where its programs print
times.
"""

import bisect
import re

# Of the headings of ScaLAPACK's tables: "LU Time", "WALL", "CPU", "MFLOPS", "MFLOP2".
TIME_COLUMN = re.compile(r"time|wall|cpu|mflop", re.I)
RULE = re.compile(r"\s*-{2,}(\s+-{2,})+\s*$")
NUMBER = re.compile(r"[-+.\deE]+$")


def nothing(text):
    """For programs that print no times."""
    return text


def time_columns(heading, rule):
    """Of each column, where it begins and whether it is one of times."""
    spans, before = [], 0
    for column in re.finditer("-+", rule):
        spans.append((column.start(), bool(TIME_COLUMN.search(heading[before : column.end()]))))
        before = column.end()
    return spans


def mask_row(row, columns):
    """The numbers in the columns of times. Some programs' rows are shifted against the rule, others lack a value: so by
    number where there is a value for each column, else by the place where it ends."""
    words = list(re.finditer(r" *\S+", row))
    starts = [start for start, _ in columns] + [len(row) + 1]

    def column_of(at, word):
        return at if len(words) == len(columns) else bisect.bisect_left(starts, word.end()) - 1

    masked = ""
    for at, word in enumerate(words):
        column = column_of(at, word)
        is_time = 0 <= column < len(columns) and columns[column][1]
        masked += " #" if is_time and NUMBER.match(word.group().strip()) else word.group()
    return masked


def tables(text):
    """ScaLAPACK: in each table the columns whose headings speak of time or of floating-point operations per second."""
    result, columns, heading = [], [], ""
    for line in text.splitlines():
        if RULE.match(line):
            columns = time_columns(heading, line)
        elif columns and line.strip():
            line = mask_row(line, columns)
        result.append(line)
        heading = line
    return "\n".join(result)


def singular_values(text):
    """xssvd, xdsvd: the two numbers of ten characters behind the word of the result, WALL and CPU."""
    return re.sub(r"^(Passed|Failed) .{9}.{10}", r"\1 #", text, flags=re.M)


def blas_timings(text):
    """PBLAS timing programs: the four numbers behind a routine's name, times and their floating-point operations."""
    return re.sub(r"^(  \|  \w+)(\s+-?[\d.]+){4}\s*$", r"\1 #", text, flags=re.M)


def netpipe(text):
    """NPmpich2: the bandwidth and the time of a size; in its file the second and the third column."""
    text = re.sub(r" *[\d.]+ Mbps in +[\d.]+ usec", "#", text)
    return re.sub(r"^( *\d+) +[\d.]+ +[\d.]+$", r"\1 #", text, flags=re.M)


def mocassin(text):
    """mocassin: when an iteration ended, and the time that a processor took."""
    text = re.sub(r"finished at .*", "finished at #", text)
    return re.sub(r"(total run time per processor).*", r"\1 #", text)
