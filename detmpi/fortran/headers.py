"""mpif.h and the modules that programs use, as far as they follow from the table and the constants."""
from functions import Binding
from rules import HANDLES

FIXED = 72  # columns; the rest is ignored in the fixed form
FREE = 120
TYPES = sorted(HANDLES | {"MPI_File"})


def wrap(text, indent):
    """A statement of the free form, in lines that are short enough."""
    lines, line = [], indent
    for word in text.split(" "):
        if len(line) + len(word) > FREE:
            lines.append(line.rstrip() + " &")
            line = indent + "  & "
        line += word + " "
    return lines + [line.rstrip()]


def include_file(constants, note):
    """Good in both the fixed and the free form: from column 7 to 72, without continuation."""
    lines = [f"! {note}", "! Constants, special arguments and functions for: include 'mpif.h'"]
    for c in constants:
        lines += [f"      INTEGER {c.name}", f"      PARAMETER ({c.name}={c.value})"]
    assert all(len(line) <= FIXED for line in lines[2:])
    return "\n".join(lines) + "\n"


def constant_declarations(constants):
    return [f"  INTEGER, PARAMETER :: {c.name} = {c.value}" for c in constants]


def interface(binding: Binding, prefix):
    """The interface of a function for module mpi."""
    names = [a.name for a in binding.seen] + ["ierror"] * binding.has_ierror
    kind = "SUBROUTINE" if binding.is_subroutine else "FUNCTION"
    lines = wrap(f"{kind} {prefix}_{binding.name}({', '.join(names)})", "    ") + ["      IMPORT"]
    if not binding.is_subroutine:
        lines.append(f"      {binding.result} :: {prefix}_{binding.name}")
    for a in binding.seen:
        if a.choice:
            lines += [f"      !GCC$ ATTRIBUTES NO_ARG_CHECK :: {a.name}", f"      TYPE(*), DIMENSION(*) :: {a.name}"]
        elif a.f90 == "EXTERNAL":
            lines.append(f"      EXTERNAL :: {a.name}")
        else:
            lines.append(f"      {a.f90} :: {a.name}{status_shape(a)}")
    if binding.has_ierror:
        lines.append("      INTEGER :: ierror")
    return lines + [f"    END {kind}"]


def status_shape(argument):
    if not argument.f08.startswith("TYPE(MPI_Status)"):
        return argument.shape
    return "(MPI_STATUS_SIZE,*)" if argument.shape else "(MPI_STATUS_SIZE)"


def pointer_interface(binding, prefix):
    """The generic function of which one gives an address and the other a TYPE(C_PTR)."""
    name = f"{prefix}_{binding.name}"
    lines = interface(binding, prefix)
    other = "\n".join(lines).replace(name, name + "_CPTR")
    for a in binding.seen:
        if a.pointer:
            other = other.replace(f"{a.f90} :: {a.name}\n", f"TYPE(C_PTR) :: {a.name}\n")
    return [f"  INTERFACE {name}"] + lines + other.split("\n") + ["  END INTERFACE"]


def module_interfaces(bindings):
    lines = []
    for binding in (b for b in bindings if not b.is_large):
        for prefix in ("MPI", "PMPI"):
            if binding.pointer:
                lines += pointer_interface(binding, prefix)
            else:
                lines += ["  INTERFACE"] + interface(binding, prefix) + ["  END INTERFACE"]
    return lines


def f08_interface(binding, specific):
    """One specific of a generic name: the specific's name is what the library has."""
    names = [a.name for a in binding.seen] + ["ierror"] * binding.has_ierror
    kind = "SUBROUTINE" if binding.is_subroutine else "FUNCTION"
    lines = wrap(f"{kind} {specific}({', '.join(names)})", "    ") + ["      IMPORT"]
    if not binding.is_subroutine:
        lines.append(f"      {binding.result} :: {specific}")
    for a in binding.seen:
        later = ", ASYNCHRONOUS" if a.choice and binding.pending else ""
        lines += wrap(f"{a.f08}{later} :: {a.name}{'' if a.choice else a.shape}", "      ")
    if binding.has_ierror:
        lines.append("      INTEGER, OPTIONAL, INTENT(OUT) :: ierror")
    return lines + [f"    END {kind}"]


def f08_interfaces(bindings):
    generics = {}
    for b in bindings:
        generics.setdefault(b.generic, []).append(b)
    lines = []
    for generic, specifics in generics.items():
        for prefix, library in (("MPI", "MPI_"), ("PMPI", "PMPIR_")):
            lines.append(f"  INTERFACE {prefix}_{generic}")
            for b in specifics:
                lines += f08_interface(b, library + b.f08_name)
            lines.append("  END INTERFACE")
    return lines


def f08_constants(constants):
    """Handles are of the derived types, the rest are integers."""
    lines = []
    for c in constants:
        if c.handle:
            lines.append(f"  TYPE({c.handle}), PARAMETER :: {c.name} = {c.handle}({c.value})")
        else:
            lines.append(f"  INTEGER, PARAMETER :: {c.name} = {c.value}")
    return lines


def shared_types():
    """Of module mpi_f08, for module mpi."""
    return ", &\n    ".join([*TYPES, "MPI_Status"])


def handle_types():
    lines = []
    for handle in TYPES:
        lines += [f"  TYPE, BIND(C) :: {handle}", "    INTEGER(C_INT) :: MPI_VAL", f"  END TYPE {handle}"]
    return lines


def handle_operators():
    """== and /= of handles, also between a handle and an integer, under the names that binaries refer to."""
    interfaces, bodies = {"==": [], "/=": []}, []
    for handle in TYPES:
        for operator, word in (("==", "eq"), ("/=", "neq")):
            for suffix, left, right in ((f"_{word}", "h", "h"), (f"_f08_{word}_f", "h", "i"),
                                        (f"_f_{word}_f08", "i", "h")):
                name = handle + suffix
                interfaces[operator].append(name)
                bodies += comparison(name, handle, operator, left, right)
    lines = []
    for operator, names in interfaces.items():
        lines += [f"  INTERFACE OPERATOR({operator})"] + [f"    MODULE PROCEDURE {n}" for n in names]
        lines.append("  END INTERFACE")
    return lines, bodies


def comparison(name, handle, operator, left, right):
    types = {"h": f"TYPE({handle})", "i": "INTEGER"}
    values = [side + ("%MPI_VAL" if kind == "h" else "") for side, kind in (("left", left), ("right", right))]
    return [f"  ELEMENTAL LOGICAL FUNCTION {name}(left, right)",
            f"    {types[left]}, INTENT(IN) :: left", f"    {types[right]}, INTENT(IN) :: right",
            f"    {name} = {values[0]} {operator} {values[1]}", "  END FUNCTION"]
