"""Reads a public C header of the project: its overview, functions, and the types that they use.

What the header must look like: the first comment is the overview. A function is described by the comment directly above
it (no empty line between), by the comment behind it on its own line, or by both; functions that follow each other without
an empty line share the comment above the first.
"""
import re
from dataclasses import dataclass, field

COMMENT = re.compile(r"/\*(.*?)\*/", re.S)
FUNCTION = re.compile(r"(?:^|[\s*])(\w+)\s*\(([^()]*(?:\([^()]*\)[^()]*)*)\)\s*(?:__attribute__\s*\(\(.*\)\))?\s*;$", re.S)
TYPE = re.compile(r"^(struct|enum|typedef)\b")
RULER = re.compile(r"^-{3}.*-{3}$", re.S)


class HeaderError(Exception):
    pass


@dataclass
class Function:
    name: str
    declaration: str  # one line, with the semicolon
    own_text: str = ""  # the comment behind it


@dataclass
class Group:
    """Functions that share a description."""
    functions: list
    text: str
    types: list = field(default_factory=list)  # definitions that stand in the same paragraph

    def text_of(self, function):
        """What is said about one function: its own comment where it has one, else that of the group."""
        return function.own_text or self.text


@dataclass
class Header:
    include: str
    overview: list  # paragraphs
    groups: list
    types: dict  # "struct x", "enum x" or the name of a typedef -> (definition, comment above it)

    def functions(self):
        return [(group, function) for group in self.groups for function in group.functions]


def comment_lines(body):
    lines = [re.sub(r"^\s*\*? ?", "", line).rstrip() for line in body.split("\n")]
    lines[0] = lines[0].strip()
    return lines


def flow(body):
    return " ".join(line.strip() for line in comment_lines(body)).strip()


def tokens(text):
    """(kind, text, blank line before?, begins on the line where the token before ended?)"""
    text = re.sub(r"^\s*#.*?(?<!\\)$", "", text, flags=re.M)
    text = re.sub(r'^extern "C" \{$|^\}$', "", text, flags=re.M)
    at = 0
    while True:
        gap = re.match(r"\s*", text[at:])[0]
        at += len(gap)
        if at == len(text):
            return
        if text.startswith("/*", at):
            match = COMMENT.match(text, at)
            if not match:
                raise HeaderError("a comment without end")
            yield "comment", match[1], "\n\n" in gap, "\n" not in gap
            at = match.end()
            continue
        depth = 0
        end = at
        while end < len(text) and (text[end] != ";" or depth):
            if text.startswith("/*", end):
                end = COMMENT.match(text, end).end()
                continue
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        yield "code", text[at:end + 1], "\n\n" in gap, "\n" not in gap
        at = end + 1


def type_key(code):
    match = re.match(r"(struct|enum)\s+(\w+)", code)
    if match:
        return f"{match[1]} {match[2]}"
    match = re.search(r"(\w+)\s*;$", code)
    return match[1] if code.startswith("typedef") and match else None


class Reader:
    def __init__(self, include):
        self.header = Header(include, [], [], {})
        self.above = ""  # the comment that belongs to what comes next
        self.paragraph = []  # types since the last empty line
        self.group = None
        self.last = None

    def comment(self, body, apart, same_line):
        text = flow(body)
        if same_line and self.last is not None:
            self.last.own_text = text
            return
        self.group = None
        self.above = "" if RULER.match(text) else text
        if apart:
            self.paragraph = []

    def code(self, code, apart):
        if apart:
            self.above, self.group, self.paragraph = "", None, []
        if TYPE.match(code) and not FUNCTION.search(code):
            key = type_key(code)
            if key:
                self.header.types[key] = (code, self.above)
                self.paragraph.append(key)
            self.last = None
            return
        match = FUNCTION.search(code)
        if not match:
            raise HeaderError(f"{self.header.include}: cannot read this declaration: {code}")
        self.last = Function(match[1], " ".join(code.split()))
        if self.group is None:
            self.group = Group([], self.above, list(self.paragraph))
            self.header.groups.append(self.group)
        self.group.functions.append(self.last)


def paragraphs(body):
    found = [[]]
    for line in comment_lines(body):
        if line.strip():
            found[-1].append(line)
        elif found[-1]:
            found.append([])
    return [lines for lines in found if lines]


def read_header(text, include):
    reader = Reader(include)
    for kind, token, apart, same_line in tokens(text):
        if kind == "code":
            reader.code(token, apart)
        elif reader.header.overview:
            reader.comment(token, apart, same_line)
        else:
            reader.header.overview = paragraphs(token)
    header = reader.header
    for group, function in header.functions():
        if not group.text_of(function):
            raise HeaderError(f"{include}: {function.name} has no comment: describe it directly above its declaration")
    if not header.groups:
        raise HeaderError(f"{include}: no function found")
    return header


def first_sentence(text):
    """Without its full stop."""
    return re.split(r"(?<!\d)\.(?=\s|$)|\.(?=\s+[A-Z`\"]|$)", text, maxsplit=1)[0]


def used_types(header, group):
    """The definitions that a reader of the group's declarations needs, in the order of the header."""
    text = " ".join(f.declaration for f in group.functions)
    found = set(group.types)
    for key in header.types:
        if re.search(rf"\b{key}\b", text):
            found.add(key)
    return [key for key in header.types if key in found]
