"""The functions of the table that Fortran has, with their arguments as the rules give them."""
import re
from dataclasses import dataclass

from rules import INTEGERS, Argument, rule

# Conversions and the tools interface: in C alone.
C_ONLY = re.compile(r"T_\w+|\w+_(?:c2f|f2c|c2f08|f082c|f2f08|f082f)")
# Of another form than in C: written by hand in special.cpp and in the templates of the modules.
SPECIAL = {"Buffer_detach"}
# With integers that are too short for addresses: written by hand in old.cpp.
OLD = {"Address", "Attr_delete", "Attr_get", "Attr_put", "Errhandler_create", "Errhandler_get", "Errhandler_set",
       "Keyval_create", "Keyval_free", "Type_extent", "Type_hindexed", "Type_hvector", "Type_lb", "Type_struct",
       "Type_ub"}


@dataclass
class Binding:
    name: str          # without MPI_
    returns: str       # C type; int: an error code, which goes to ierror
    arguments: list
    pending: bool      # starts an operation, which goes on after the call
    comm: str          # whose error handler is called
    short: str         # name of the form for counts of the usual size; the own one if it is that
    generic: str = ""  # name that programs use in mpi_f08

    @property
    def is_large(self):
        return self.name != self.short

    @property
    def seen(self):
        """The arguments that Fortran has too."""
        return [a for a in self.arguments if not a.absent]

    @property
    def choice(self):
        return any(a.choice for a in self.arguments)

    @property
    def pointer(self):
        return any(a.pointer for a in self.arguments)

    @property
    def is_subroutine(self):
        return self.returns == "int"

    @property
    def has_ierror(self):
        """MPI_Pcontrol alone is a subroutine without."""
        return self.is_subroutine and self.name != "Pcontrol"

    @property
    def result(self):
        return INTEGERS[self.returns]

    @property
    def f08_name(self):
        """The name that binaries of mpi_f08 refer to, without MPI_."""
        return self.short + ("_f08ts" if self.choice else "_f08") + "_large" * self.is_large

    @property
    def kinds(self):
        """What generic names are told apart by: integers of 64 bits are all of one kind, functions all the same."""
        types = (re.sub("ADDRESS_KIND|OFFSET_KIND", "COUNT_KIND", a.f08.split(", INTENT")[0]) for a in self.seen)
        return [re.sub(r"PROCEDURE\(.*", "PROCEDURE", t) + a.shape for t, a in zip(types, self.seen)]


def binding(function):
    pending = any(p.kind_name == "request_out" for p in function.params)
    comm = next((f"*{p.name}" for p in function.params if p.ctype == "MPI_Comm %s"), "MPI_COMM_WORLD")
    return Binding(function.name, function.returns, [rule(function, p) for p in function.params], pending, comm,
                   function.large_of or function.name)


def bindings(functions):
    """The form for large counts has the generic name of the other, if a compiler can tell them apart."""
    found = {f.name: binding(f) for f in functions
             if not C_ONLY.fullmatch(f.name) and (f.large_of or f.name) not in OLD | SPECIAL}
    for b in found.values():
        ambiguous = b.is_large and b.kinds == found[b.short].kinds
        b.generic = b.name if ambiguous else b.short
    return list(found.values())
