"""How a parameter of the function table looks from Fortran, and how it is handed on to the C function.

Integers, and handles, which are integers here, go by reference and keep their values; a LOGICAL is a C int of 0 or 1.
So a rule follows from the C type. What is special goes by its name: strings, buffers, statuses, indices from 1,
attributes, and the functions that MPI calls."""
import re
from dataclasses import dataclass

from kinds import COUNTS, TYPES

# Integers that stand for true and false in C.
LOGICALS = {"flag", "commute", "high", "reorder", "periods", "remain_dims", "weighted"}
INTEGERS = {"int": "INTEGER", "MPI_Aint": "INTEGER(KIND=MPI_ADDRESS_KIND)", "MPI_Count": "INTEGER(KIND=MPI_COUNT_KIND)",
            "MPI_Offset": "INTEGER(KIND=MPI_OFFSET_KIND)", "double": "DOUBLE PRECISION"}
HANDLES = {"MPI_Comm", "MPI_Datatype", "MPI_Errhandler", "MPI_Group", "MPI_Info", "MPI_Message", "MPI_Op",
           "MPI_Request", "MPI_Session", "MPI_Win"}
INTENTS = {"in": ", INTENT(IN)", "out": ", INTENT(OUT)", "inout": ", INTENT(INOUT)"}
LENGTHS = {"buflen", "pset_len"}  # of the string that the next parameter has room for, and that there is
WEIGHTS = {"sourceweights", "destweights", "weights"}
# By reference in C too, with the arguments of the Fortran function: no conversion.
SAME_CALLBACKS = re.compile(r"MPI_(User|Comm_errhandler|Win_errhandler|File_errhandler|Session_errhandler)_function(_c)?")
COPY, DELETE = re.compile(r"MPI_\w+_copy_attr_function"), re.compile(r"MPI_\w+_delete_attr_function")
GREQUEST = re.compile(r"MPI_Grequest_(query|free|cancel)_function")


@dataclass
class Argument:
    """One parameter. A parameter that only C has is `absent`."""
    name: str
    c: str = ""               # declaration in C++
    call: str = ""            # what the C function gets
    before: str = ""          # statement before the call
    after: str = ""           # statement after it
    f90: str = ""             # declaration in module mpi
    f08: str = ""             # declaration in module mpi_f08
    shape: str = ""           # shape of an array, as (*)
    choice: bool = False      # a buffer of any type
    read_only: bool = False   # MPI does not write to the buffer
    elements: tuple = ()      # parameters that say how many of which type it holds; empty: not so simple
    string: bool = False      # a hidden length follows
    pointer: bool = False     # a TYPE(C_PTR) may stand in its place (address_out)
    absent: bool = False


def absent(param, call):
    return Argument(param.name, call=call, absent=True)


def unused(base, name):
    return f"[[maybe_unused]] {base}* {name}"


def pointer_rule(function, param, base, shape):
    """Arrays, and what the C function stores."""
    n, intent = param.name, INTENTS[param.kind.direction]
    argument = Argument(n, f"{base} (*{n})[3]" if shape == "(3,*)" else f"{base}* {n}", n, shape=shape)
    argument.f90 = INTEGERS.get(base, "INTEGER")
    argument.f08 = (f"TYPE({base})" if base in HANDLES else argument.f90) + intent
    if base == "int" and (n in LOGICALS or param.kind_name == "flag_out"):
        argument.f90, argument.f08 = "LOGICAL", "LOGICAL" + intent
    if n == "index" and not shape:
        argument.before = "int index_c = MPI_UNDEFINED;"
        argument.call, argument.after = "&index_c", "*index = index_from_one(index_c);"
    if n == "array_of_indices":
        argument.before, argument.after = "*outcount = 0;", "indices_from_one(*outcount, array_of_indices);"
    if n in LENGTHS:  # C counts the null character, too
        argument.before = f"const int room = *{n};\n  int {n}_c = room > 0 ? room + 1 : 0;"
        argument.call, argument.after = f"&{n}_c", f"*{n} = {n}_c > 0 ? {n}_c - 1 : 0;"
    if n in WEIGHTS or n == "array_of_errcodes":
        argument.call = f"{'weights_for_c' if n in WEIGHTS else 'error_codes_for_c'}({n})"
    return argument


def value_rule(param, base):
    n = param.name
    argument = Argument(n, f"{base}* {n}", f"*{n}")
    argument.f90 = "LOGICAL" if base == "int" and n in LOGICALS else INTEGERS.get(base, "INTEGER")
    argument.f08 = (f"TYPE({base})" if base in HANDLES else argument.f90) + INTENTS["in"]
    if n.endswith("keyval"):
        argument.call = f"keyval_for_c(*{n})"
    return argument


def status_rule(param):
    n, many = param.name, param.kind_name == "statuses"
    function = "statuses_for_c" if many else "status_for_c"
    f08 = "TYPE(MPI_Status)" + INTENTS[param.kind.direction]
    return Argument(n, f"MPI_Status* {n}", f"{function}({n})", f90="INTEGER", f08=f08,
                    shape="(*)" if many else "")


def string_rule(function, param):
    n = param.name
    argument = Argument(n, f"char* {n}", string=True, f90="CHARACTER(LEN=*)")
    argument.f08 = argument.f90 + INTENTS[param.kind.direction]
    if param.kind.direction == "in":
        strip = "without_blanks" if function.name.startswith("Info_") else "without_trailing_blanks"
        argument.before, argument.call = f"const std::string {n}_c = {strip}({n}, {n}_length);", f"{n}_c.c_str()"
        return argument
    names = {p.name for p in function.params}
    found = " && *flag != 0" * ("flag" in names) + " && room > 0" * bool(LENGTHS & names)
    argument.before, argument.call = f"Text {n}_c;", f"{n}_c.data()"
    argument.after = f"if (code == MPI_SUCCESS{found}) pad({n}, {n}_length, {n}_c.data());"
    return argument


def address_rule(function, param):
    """Attributes are integers in Fortran, which C keeps as pointers; other addresses are stored as they are."""
    n, stored = param.name, param.kind_name == "address_out"
    integer = "INTEGER(KIND=MPI_ADDRESS_KIND)"
    argument = Argument(n, f"MPI_Aint* {n}", n, f90=integer, f08=integer + INTENTS["out" if stored else "in"])
    if n == "attribute_val" and stored:
        keyval = next(p.name for p in function.params if p.name.endswith("keyval"))
        argument.before, argument.call = "void* value = nullptr;", "&value"
        argument.after = f"if (code == MPI_SUCCESS && *flag != 0) *{n} = attribute_for_fortran(*{keyval}, value);"
    elif n == "attribute_val":
        argument.call = f"GivenAttribute(*{n}).address()"
    elif n == "extra_state":
        functions = [p.name for p in function.params if "_function" in p.ctype and "Datarep" not in p.ctype]
        value = n if function.name.startswith("Grequest") else f"*{n}"  # see callbacks.hpp
        argument.call = f"remember({', '.join(functions)}, {value})" if functions else "nullptr"
        argument.c = argument.c if functions else unused("MPI_Aint", n)
    else:
        argument.pointer, argument.f08 = True, "TYPE(C_PTR)" + INTENTS["out"]
    return argument


def holds_blocks(function, param):
    """Whether a rank's buffer has a block for each rank, and the count is that of one."""
    name = function.name.lower()
    return ("alltoall" in name or "gather" in name and param.name == "recvbuf"
            or "scatter" in name and param.name == "sendbuf")


def choice_rule(function, param):
    argument = Argument(param.name, f"void* {param.name}", f"choice({param.name})", choice=True)
    argument.f08 = "TYPE(*), DIMENSION(..)" + (INTENTS["in"] if param.ctype.startswith("const") else "")
    argument.read_only = param.kind.direction == "in"
    count, datatype = function.after(param, COUNTS), function.after(param, TYPES)
    single = count and datatype and count.kind_name == "count" and datatype.kind_name == "datatype"
    reduced = function.after(param, ("op",))  # operations are for some types alone
    if single and not reduced and not holds_blocks(function, param):
        argument.elements = (count.name, datatype.name)
    return argument


def callback_rule(function, param, base):
    n = param.name
    argument = Argument(n, f90="EXTERNAL", f08=f"PROCEDURE({base})")
    if SAME_CALLBACKS.fullmatch(base):
        argument.c, argument.call = f"{base}* {n}", n
    elif COPY.fullmatch(base):
        argument.c, argument.call = f"FortranCopy* {n}", "copy_attribute"
    elif DELETE.fullmatch(base):
        argument.c, argument.call = f"FortranDelete* {n}", "delete_attribute"
    elif GREQUEST.fullmatch(base):
        what = GREQUEST.fullmatch(base)[1]
        argument.c, argument.call = f"Fortran{what.capitalize()}* {n}", f"{what}_request"
    elif base.startswith("MPI_Datarep_"):  # no files, so never called
        argument.c, argument.call = unused("void", n), "nullptr"
    else:
        raise SystemExit(f"{function.name}: no Fortran rule for functions of type {base} ('{n}')")
    return argument


def file_rule(param, pointer):
    n = param.name
    argument = Argument(n, f"MPI_Fint* {n}", f90="INTEGER", f08="TYPE(MPI_File)" + INTENTS[param.kind.direction])
    if not pointer:
        argument.call = f"MPI_File_f2c(*{n})"
        return argument
    start = "MPI_FILE_NULL" if param.kind.direction == "out" else f"MPI_File_f2c(*{n})"
    argument.before, argument.call = f"MPI_File {n}_c = {start};", f"&{n}_c"
    argument.after = f"*{n} = MPI_File_c2f({n}_c);"
    return argument


def rule(function, param):
    """The Argument of a parameter; ends the build if there is none."""
    words = re.fullmatch(r"(?:const )?([\w.]+) ?(\**)(?:%s)?((?:\[\d*\])*)", param.ctype)
    base, stars, shape = words.groups() if words else (param.ctype, "", "")
    if param.name in ("argc", "argv") and function.name != "Comm_spawn":
        return absent(param, "0" if param.ctype == "int %s" else "nullptr")
    if param.kind_name == "varargs":
        return absent(param, "")
    if base == "void":
        plain = param.kind_name != "address_out" and param.name not in ("attribute_val", "extra_state")
        return choice_rule(function, param) if plain else address_rule(function, param)
    if base == "char" and stars == "*" and not shape:
        return string_rule(function, param)
    if base == "char":  # arguments of programs to start, which does not happen
        argument = Argument(param.name, unused("char", param.name), "nullptr", string=True, f90="CHARACTER(LEN=*)")
        argument.shape = "(*)" if stars == "*" else "(count,*)"
        argument.f08 = argument.f90 + INTENTS["in"]
        return argument
    if base == "MPI_Status":
        return status_rule(param)
    if base.endswith(("_function", "_function_c")):
        return callback_rule(function, param, base)
    if base == "MPI_File":
        return file_rule(param, bool(stars))
    if base in INTEGERS or base in HANDLES:
        dims = "(3,*)" if "[3]" in shape else "(*)" if shape else ""
        return pointer_rule(function, param, base, dims) if stars or shape else value_rule(param, base)
    raise SystemExit(f"{function.name}: no Fortran rule for parameter '{param.name}' of kind '{param.kind_name}'")
