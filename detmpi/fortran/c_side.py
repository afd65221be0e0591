"""The functions that Fortran programs call, in C++: one for mpif.h and module mpi and, where buffers come with a
descriptor, another for module mpi_f08."""
import re

from functions import Binding


def parameters(binding, with_descriptors):
    words = [f"const Descriptor* {a.name}" if with_descriptors and a.choice else a.c for a in binding.seen]
    if binding.has_ierror:
        words.append("MPI_Fint* ierror")
    return ", ".join(words + [f"[[maybe_unused]] size_t {a.name}_length" for a in binding.seen if a.string])


def arguments(binding):
    """The names of the parameters."""
    words = [a.name for a in binding.seen] + ["ierror"] * binding.has_ierror
    return ", ".join(words + [a.name + "_length" for a in binding.seen if a.string])


# What comes as a buffer but is just a place in memory.
PLACES = re.compile(r"Get_address|Free_mem|Win_detach")
# What keeps the buffer after the call.
KEEPERS = re.compile(r"Buffer_attach|Win_\w+|R?(?:put|get|accumulate|get_accumulate)|Fetch_and_op|Compare_and_swap",
                     re.IGNORECASE)


def buffer(binding, argument):
    """The class and the arguments of what stands for a buffer with a descriptor."""
    n = argument.name
    if PLACES.fullmatch(binding.short):
        return "AnyAddress", f"*{n}"
    if not binding.pending and not KEEPERS.fullmatch(binding.short):
        return "CopiedBuffer", f"*{n}, CopiedBuffer::Use::{'kRead' if argument.read_only else 'kWrite'}"
    others = [a for a in binding.arguments if a.choice and a is not argument]
    if argument.elements and binding.pending and all(a.elements != argument.elements for a in others):
        return "TypedBuffer", f"*{n}, " + ", ".join(f"*{e}" for e in argument.elements)
    return "WholeBuffer", f"*{n}"


def described(binding):
    """(statements, what the C function gets) where buffers have descriptors."""
    lines, calls = [], {a.name: a.call for a in binding.arguments}
    for a in binding.arguments:
        if not a.choice or a.call != f"choice({a.name})":
            continue
        n, (kind, made_from) = a.name, buffer(binding, a)
        lines += [f"const {kind} {a.name}_b({made_from});",
                  f"if (const char* problem = {a.name}_b.problem()) "
                  f'return give(ierror, refuse_section("MPI_{binding.name}", {binding.comm}, "{n}", problem));']
        calls[a.name] = f"{a.name}_b.address()"
        if kind == "TypedBuffer":
            count = f"{a.name}_b.count()" if binding.is_large else f"static_cast<int>({a.name}_b.count())"
            calls |= {a.elements[0]: count, a.elements[1]: f"{a.name}_b.type()"}
    return lines, [call for call in calls.values() if call]


def body(binding, arguments):
    call = f"DETMPI_CALL({binding.name})({', '.join(arguments)})"
    if not binding.is_subroutine:
        return [f"return {call};"]
    if not binding.has_ierror:
        return [f"(void){call};"]
    lines = [a.before for a in binding.arguments if a.before] + [f"const int code = {call};"]
    return lines + [a.after for a in binding.arguments if a.after] + ["give(ierror, code);"]


def define(macro, binding, with_descriptors):
    result = "void" if binding.is_subroutine else binding.returns
    lower = binding.name.lower()
    names = binding.f08_name.lower() if binding.is_large else f"{lower}, {lower.upper()}"
    lines, calls = described(binding) if with_descriptors else ([], [a.call for a in binding.arguments if a.call])
    begin = ["const Call call(__builtin_return_address(0));"]
    text = "".join(f"  {line}\n" for line in begin + lines + body(binding, calls))
    declared = parameters(binding, with_descriptors)
    return f"{macro}({result}, {names}, ({declared}), ({arguments(binding)})) {{\n{text}}}\n"


def c_side(bindings: list[Binding], note):
    out = [f"// {note}\n// The MPI functions as Fortran calls them (detmpi/fortran/binding.hpp).\n"
           '#include "binding.hpp"\n\nnamespace detmpi::fortran {\n']
    for binding in bindings:
        if binding.is_large:
            out.append(define("DETMPI_FORTRAN_F08", binding, True))
            continue
        macro = "DETMPI_FORTRAN_BUFFERS" if binding.choice else "DETMPI_FORTRAN"
        out.append(define(macro, binding, False))
        if binding.pointer:
            out.append(f"DETMPI_FORTRAN_POINTER({binding.name.lower()});\n")
        if binding.choice:
            out.append(define("DETMPI_FORTRAN_DESCRIBED", binding, True))
    return "\n".join(out) + "\n}  // namespace detmpi::fortran\n"
