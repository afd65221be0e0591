"""Module mpi_f08_callbacks: the interfaces of functions that MPI calls, and those that MPI defines for attributes."""

ADDRESS = "INTEGER(KIND=MPI_ADDRESS_KIND)"
# Suffix and integer of functions for counts of the usual size, and for large ones.
FORMS = (("", "INTEGER"), ("_c", "INTEGER(KIND=MPI_COUNT_KIND)"))
# With the names of the object, in functions that copy its attributes and in others.
OBJECTS = {"Comm": ("oldcomm", "comm"), "Type": ("oldtype", "datatype"), "Win": ("oldwin", "win")}
HANDLES = {"Comm": "MPI_Comm", "Type": "MPI_Datatype", "Win": "MPI_Win", "File": "MPI_File", "Session": "MPI_Session"}


def procedure(name, arguments):
    """`arguments`: (name, declaration). A subroutine's beginning and its declarations."""
    lines = [f"    SUBROUTINE {name}({', '.join(n for n, _ in arguments)})", "      IMPORT"]
    return lines + [f"      {declaration} :: {n}" for n, declaration in arguments]


def copy_arguments(kind):
    return [(OBJECTS[kind][0], f"TYPE({HANDLES[kind]})"), (f"{kind.lower()}_keyval", "INTEGER"),
            ("extra_state", ADDRESS), ("attribute_val_in", ADDRESS), ("attribute_val_out", ADDRESS),
            ("flag", "LOGICAL"), ("ierror", "INTEGER")]


def delete_arguments(kind):
    return [(OBJECTS[kind][1], f"TYPE({HANDLES[kind]})"), (f"{kind.lower()}_keyval", "INTEGER"),
            ("attribute_val", ADDRESS), ("extra_state", ADDRESS), ("ierror", "INTEGER")]


def other_callbacks():
    value = "TYPE(C_PTR), VALUE"
    for suffix, count in FORMS:
        yield "MPI_User_function" + suffix, [("invec", value), ("inoutvec", value), ("len", count),
                                             ("datatype", "TYPE(MPI_Datatype)")]
    for kind in ("Comm", "Win", "File", "Session"):
        yield f"MPI_{kind}_errhandler_function", [(kind.lower(), f"TYPE({HANDLES[kind]})"), ("error_code", "INTEGER")]
    yield "MPI_Grequest_query_function", [("extra_state", ADDRESS), ("status", "TYPE(MPI_Status)"),
                                          ("ierror", "INTEGER")]
    yield "MPI_Grequest_free_function", [("extra_state", ADDRESS), ("ierror", "INTEGER")]
    yield "MPI_Grequest_cancel_function", [("extra_state", ADDRESS), ("complete", "LOGICAL"), ("ierror", "INTEGER")]
    yield "MPI_Datarep_extent_function", [("datatype", "TYPE(MPI_Datatype)"), ("extent", ADDRESS),
                                          ("extra_state", ADDRESS), ("ierror", "INTEGER")]
    for suffix, count in FORMS:
        yield "MPI_Datarep_conversion_function" + suffix, [
            ("userbuf", value), ("datatype", "TYPE(MPI_Datatype)"), ("count", count), ("filebuf", value),
            ("position", "INTEGER(KIND=MPI_OFFSET_KIND)"), ("extra_state", ADDRESS), ("ierror", "INTEGER")]


def callback_interfaces():
    lines = ["  ABSTRACT INTERFACE"]
    for kind in OBJECTS:
        for what, arguments in (("copy", copy_arguments(kind)), ("delete", delete_arguments(kind))):
            lines += procedure(f"MPI_{kind}_{what}_attr_function", arguments) + ["    END SUBROUTINE"]
    for name, arguments in other_callbacks():
        lines += procedure(name, arguments) + ["    END SUBROUTINE"]
    return lines + ["  END INTERFACE"]


def predefined_functions():
    """MPI_COMM_DUP_FN and its like."""
    copied = ["      attribute_val_out = attribute_val_in", "      flag = .TRUE."]
    lines = []
    for kind in OBJECTS:
        for name, arguments, body in (("DUP_FN", copy_arguments(kind), copied),
                                      ("NULL_COPY_FN", copy_arguments(kind), ["      flag = .FALSE."]),
                                      ("NULL_DELETE_FN", delete_arguments(kind), [])):
            begin = procedure(f"MPI_{kind.upper()}_{name}", arguments)
            lines += [line for line in begin if line.strip() != "IMPORT"]
            lines += body + ["      ierror = MPI_SUCCESS", "    END SUBROUTINE"]
    callbacks = dict(other_callbacks())
    for suffix, _ in FORMS:
        begin = procedure("MPI_CONVERSION_FN_NULL" + suffix.upper(), callbacks["MPI_Datarep_conversion_function" + suffix])
        lines += [line for line in begin if line.strip() != "IMPORT"]
        lines += ["      ierror = MPI_SUCCESS", "    END SUBROUTINE"]
    return lines
