"""Reads the function table (functions/*.toml) into Function objects."""
import re
import tomllib
from dataclasses import dataclass, field, replace
from pathlib import Path

from kinds import BUFFERS, COUNTS, KINDS, TYPES, Kind
from tool_kinds import TOOL_KINDS

# Kinds that a function declares in another way than the rest.
CONST_ADDRESS = {"Get_address"}


@dataclass
class Param:
    name: str
    kind_name: str
    kind: Kind
    argument: str = ""
    at_root: bool = False
    ctype: str = ""
    guards: list = field(default_factory=list)  # in-place buffers that make this parameter insignificant
    after_first: bool = False  # of no significance at the first rank, unless the other buffer is MPI_IN_PLACE

    @property
    def declaration(self):
        return self.ctype % self.name if "%s" in self.ctype else self.ctype


@dataclass
class Function:
    name: str
    chapter: str
    params: list
    text: str
    determinism: str
    returns: str = "int"
    outside: bool = False
    anytime: bool = False
    unsupported: bool = False  # exists, and fails
    tool: bool = False  # of the tools interface
    errors: dict = field(default_factory=dict)  # class -> when, beyond the checks of the parameters
    plan: str = ""      # of a collective operation: the function that makes its plan (detmpi/coll/plan.hpp)
    plan_use: str = ""  # what becomes of the plan: run (the operation blocks), start, keep; empty: it has a way without
    large_of: str = ""  # of MPI_..._c: the function that it is the form of for large counts
    shares: bool = False     # its implementation is that of the function that it is a form of
    tells_form: bool = False  # the implementation gets, as its last argument, which form was called
    within_group: bool = False  # not defined on inter-communicators

    @property
    def collective(self):
        """Whether all members of a communicator call it together."""
        makes_comm = any(p.kind_name == "comm_out" for p in self.params)
        return bool(self.plan) or makes_comm or self.name in ("Finalize", "Session_finalize", "Comm_disconnect")

    @property
    def sends(self):
        """Whether a message of the program's may go out in this call."""
        names = [p.name for p in self.params]
        return ("dest" in names and not self.name.removesuffix("_c").endswith("_init")
                or self.name.startswith(("Start", "Pready")))

    @property
    def impl(self):
        return (self.large_of if self.shares else self.name).lower()

    @property
    def is_large(self):
        return bool(self.large_of)

    @property
    def call_id(self):
        return "k" + "".join(part[0].upper() + part[1:] for part in self.name.split("_"))

    def declaration(self, prefix):
        params = ", ".join(p.declaration for p in self.params) or "void"
        return f"{self.returns} {prefix}{self.name}({params})"

    def after(self, param, kinds):
        """The next parameter of one of the kinds: a buffer's count or datatype."""
        rest = self.params[self.params.index(param) + 1:]
        return next((p for p in rest if p.kind_name in kinds), None)


def parse_param(function, text):
    match = re.fullmatch(r"(\w+|\.\.\.)(?::(\w+))?(?:\((\w+)\))?(@root|@after_first)?", text)
    if not match:
        raise SystemExit(f"{function}: cannot read parameter '{text}'")
    name, kind_name, argument, where = match.groups()
    kind_name = kind_name or name
    kinds = KINDS | TOOL_KINDS
    if kind_name not in kinds:
        raise SystemExit(f"{function}: parameter '{name}' is of unknown kind '{kind_name}'")
    kind = kinds[kind_name]
    ctype = kind.ctype
    if kind_name == "address":
        ctype = "const void *%s" if function in CONST_ADDRESS else "void *%s"
    return Param(name, kind_name, kind, argument or "", where == "@root", ctype, after_first=where == "@after_first")


def add_guards(function):
    """A count or datatype is insignificant when every buffer it belongs to is MPI_IN_PLACE."""
    owners = {}
    for buffer in (p for p in function.params if p.kind_name in BUFFERS):
        for kinds in (COUNTS, TYPES, ("displs",)):
            target = function.after(buffer, kinds)
            if target:
                owners.setdefault(target.name, []).append(buffer)
    for param in function.params:
        buffers = owners.get(param.name, [])
        if buffers and all(BUFFERS[b.kind_name] for b in buffers):
            param.guards = [b.name for b in buffers]


def derived(function, chapter, name, text, use, extra):
    """A form of a collective operation, on its plan."""
    words = [*extra, "request:request_out"]
    return Function(name, chapter, function.params + [parse_param(name, word) for word in words], text,
                    function.determinism, errors=function.errors, plan=function.plan, plan_use=use,
                    within_group=function.within_group)


def nonblocking(function):
    name = "I" + function.name[0].lower() + function.name[1:]
    text = f"Starts MPI_{function.name}; the request completes when the caller's part is done."
    return derived(function, "Non-blocking collective communication", name, text, "start", [])


def persistent(function):
    text = f"Makes a persistent request for MPI_{function.name}, which MPI_Start starts; collective, like each start."
    return derived(function, "Persistent collective communication", function.name + "_init", text, "keep",
                   ["info:info_opt"])


def large(function):
    """The form for large counts."""
    params = [replace(p, ctype=p.kind.large or p.ctype) for p in function.params]
    return replace(function, name=function.name + "_c", params=params, large_of=function.name, shares=True)


def with_large(functions):
    """Each function, followed by its form for large counts if the table does not have that itself."""
    known = {f.name for f in functions}
    for function in functions:
        yield function
        if function.name + "_c" not in known and any(p.kind.large for p in function.params):
            yield large(function)


def forms(function, functions):
    """The function, and that for large counts that has the same description."""
    return [function] + [f for f in functions if f.shares and f.large_of == function.name]


def read_table(folder):
    functions = read_chapters(folder)
    plans = [f for f in functions if f.plan]
    forms = [form(f) for form in (nonblocking, persistent) for f in plans]
    for function in forms:
        add_guards(function)
    return list(with_large(functions + forms))


def read_chapters(folder):
    functions = []
    for path in sorted(Path(folder).glob("*.toml")):
        table = tomllib.loads(path.read_text())
        chapter = table.pop("chapter")
        for name, entry in table.items():
            params = [parse_param(name, word) for word in entry["args"].split()]
            function = Function(name, chapter["title"], params, entry["text"],
                                entry.get("determinism", chapter["determinism"]),
                                entry.get("returns", "int"), entry.get("outside", False),
                                entry.get("anytime", False), chapter.get("unsupported", False),
                                chapter.get("tool", False),
                                entry.get("errors", {}), large_of=entry.get("large_of", ""),
                                tells_form=entry.get("tells_form", False),
                                within_group=entry.get("within_group", False))
            if "plan" in entry:
                function.plan = "plan_" + function.impl
                function.plan_use = "run" if entry["plan"] == "always" else ""
            add_guards(function)
            functions.append(function)
    return functions
