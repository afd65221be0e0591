#!/usr/bin/env python3
"""Writes a manual page (section 3) for every function of a public C header, and one (section 7) for the header.

The text is the comments of the header: see c_header.py for what they must look like. A function without a comment is
an error.
"""
import argparse
import re
import sys
from pathlib import Path

from c_header import HeaderError, first_sentence, read_header, used_types

TITLES = {
    "spmc": "single-producer, multiple-consumer memory",
    "space": "nested spaces with memory of their own",
    "chan": "deterministic channels between spaces",
    "stream": "deterministic streams of bytes between spaces",
}
CODES = r"E[A-Z0-9]{3,}(?:, E[A-Z0-9]{3,})*"
# The two ways in which the headers list errors: "EINVAL: the size. ENOMEM." and "Errors: EINVAL the size; ENOMEM."
ERROR = re.compile(rf"(?<=[.;:] )({CODES})(?:: |\.(?: |$))|^({CODES}): ")
ERROR_LIST = re.compile(rf"(?:^|(?<=\. ))Errors: (?={CODES})")
ROW = re.compile(r"  (\S.*?)\s{2,}(\S.*)")


def escape(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text[:1] in ("'", ".") else text


def marked(text):
    """Names in backquotes become italics."""
    return re.sub(r"`([^`]+)`", r"\\fI\1\\fP", escape(text))


def preformatted(lines):
    return [".nf"] + [escape(line) if line else "" for line in lines] + [".fi"]


def table(lines):
    """Rows of a name, two spaces or more, and a text that may go on in the next lines."""
    out = []
    for line in lines:
        row = ROW.match(line) if len(line) - len(line.lstrip()) == 2 else None
        if row:
            out += [".TP", f".B {escape(row[1])}", marked(row[2])]
        elif out:
            out.append(marked(line.strip()))
        else:
            return preformatted(lines)
    return out


def paragraphs(found):
    """Indented lines are tables, the rest flows."""
    out = []
    for lines in found:
        indented = False
        part = []
        for line in [*lines, None]:
            now = line is not None and line.startswith("  ")
            if part and (line is None or now != indented):
                out += table(part) if indented else [".PP", marked(" ".join(part))]
                part = []
            indented = now
            part.append(line)
    return out


def split_text(text):
    """What is done, the errors as (codes, when), and the place in the paper."""
    source = re.search(r"\s*\(?Paper 004, ([^.]*(?:\.[^.\s]+)*)\.?\)?\s*$", text)
    if source:
        text = text[:source.start()]
    errors = []
    found = ERROR_LIST.search(text)
    if found:
        for item in text[found.end():].rstrip(".").split("; "):
            match = re.match(rf"({CODES})\b[:,]?\s*(.*)", item)
            if match:
                errors.append((match[1], match[2]))
            else:
                errors[-1] = (errors[-1][0], f"{errors[-1][1]}; {item}")
        text = text[:found.start()]
    else:
        parts = ERROR.split(text)
        for first, second, when in zip(parts[1::3], parts[2::3], parts[3::3]):
            errors.append((first or second, when.strip().rstrip(";.")))
        text = parts[0]
    return text.strip(), errors, source[1] if source else None


def synopsis(header, group, functions):
    lines = [".SH SYNOPSIS", ".nf", escape(f"#include <{header.include}>"), ""]
    for key in used_types(header, group):
        lines += [escape(line) for line in header.types[key][0].split("\n")] + [""]
    lines += [".B " + '"' + escape(f.declaration).replace('"', '""') + '"' for f in functions]
    return lines + [".fi"]


def described(text, name=None):
    body, errors, source = split_text(text)
    lines = [".PP"] + ([f".B {name}", ".br"] if name else [])
    lines += [marked(body)] if body else []
    failing = []
    for codes, when in errors:
        failing += [".TP", f".B {codes}"] + ([marked(when)] if when else [])
    return lines, failing, source


def page(layer, header, group, function):
    others = [f for f in group.functions if f is not function]
    names = ", ".join(f.name for f in [function, *others])
    brief = short(group.text_of(function))
    lines = [f'.TH {function.name} 3 "" "DLinux" "DLinux reference"', ".SH NAME", escape(f"{names} - {brief}")]
    lines += synopsis(header, group, group.functions)
    lines.append(".SH DESCRIPTION")
    failing = []
    sources = []
    texts = [(group.text, None)] if group.text else []
    texts += [(f.own_text, f.name) for f in group.functions if f.own_text]
    for text, name in texts:
        body, errors, source = described(text, name if len(group.functions) > 1 else None)
        lines += body
        failing += errors
        sources += [source] if source else []
    lines += [".SH ERRORS"] + failing
    lines += [".PP", escape(f"What all functions of this header have in common, errors too, is in {layer}(7).")]
    if sources:
        lines += [".SH SOURCE", escape("Making User-level VMM for Deterministic Parallelism Nonblocking and "
                                       f"Efficient (paper 004), {'; '.join(sources)}.")]
    near = [f.name for other in header.groups for f in other.functions]
    here = near.index(function.name)
    near = [name for name in near[max(0, here - 3):here + 4] if name != function.name]
    lines += [".SH SEE ALSO", escape(", ".join([f"{layer}(7)"] + [f"{name}(3)" for name in near]))]
    return "\n".join(lines) + "\n"


def short(text):
    """One line for a list of functions."""
    line = first_sentence(split_text(text)[0] or text)
    line = re.sub(r"\s+\([^()]*\)", "", line).replace("`", "")
    return line[:1].lower() + line[1:] if re.match(r"[A-Z]([a-z]|\s)", line) else line


def overview(layer, header):
    lines = [f'.TH {layer} 7 "" "DLinux" "DLinux reference"', ".SH NAME", escape(f"{layer} - {TITLES[layer]}"),
             ".SH SYNOPSIS", ".nf", escape(f"#include <{header.include}>"), ".fi", ".SH DESCRIPTION"]
    lines += paragraphs(header.overview)
    lines.append(".SH FUNCTIONS")
    for group, function in header.functions():
        lines += [".TP", f".BR {function.name} (3)", escape(short(group.text_of(function)))]
    if header.types:
        lines += [".SH TYPES"]
        for code, above in header.types.values():
            lines += [".PP"] + ([marked(above)] if above else []) + preformatted(code.split("\n"))
    lines += [".SH SEE ALSO", "dlinux(7)"]
    return "\n".join(lines) + "\n"


def pages(path, include):
    layer = Path(include).stem
    header = read_header(Path(path).read_text(), include)
    found = {f"{layer}.7": overview(layer, header)}
    for group, function in header.functions():
        found[f"{function.name}.3"] = page(layer, header, group, function)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--header", required=True, help="file to read")
    parser.add_argument("--include", required=True, help="its name in an #include, such as spmc/spmc.h")
    parser.add_argument("--list", action="store_true", help="print the names of the pages, and write nothing")
    parser.add_argument("--out", help="folder to write to")
    options = parser.parse_args()
    try:
        found = pages(options.header, options.include)
    except HeaderError as error:
        sys.exit(f"header_pages: {error}")
    for name, text in found.items():
        if options.list:
            print(name)
        else:
            (Path(options.out) / name).write_text(text)


if __name__ == "__main__":
    main()
