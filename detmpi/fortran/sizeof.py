"""MPI_Sizeof: a function for each intrinsic type. Names are those that binaries refer to, where there is one."""

# Declaration: bytes, name in module mpi, name in module mpi_f08.
TYPES = {
    "INTEGER(KIND=1)": (1, "i1", "xint8"), "INTEGER(KIND=2)": (2, "i2", "xint16"),
    "INTEGER(KIND=4)": (4, "i", "xint32"), "INTEGER(KIND=8)": (8, "i8", "xint64"),
    "INTEGER(KIND=16)": (16, "i16", "xint128"),
    "REAL(KIND=4)": (4, "r", "xreal32"), "REAL(KIND=8)": (8, "d", "xreal64"),
    "REAL(KIND=10)": (16, "r10", "xreal80"), "REAL(KIND=16)": (16, "r16", "xreal128"),
    "COMPLEX(KIND=4)": (8, "cx", "xcomplex32"), "COMPLEX(KIND=8)": (16, "cx16", "xcomplex64"),
    "COMPLEX(KIND=10)": (32, "cx20", "xcomplex80"), "COMPLEX(KIND=16)": (32, "cx32", "xcomplex128"),
    "LOGICAL": (4, "l", "logical"), "CHARACTER": (1, "ch", "character"),
}


def function(name, declaration, size):
    return [f"  SUBROUTINE {name}(x, size, ierror)", f"    {declaration}, DIMENSION(..) :: x",
            "    INTEGER, INTENT(OUT) :: size", "    INTEGER, OPTIONAL, INTENT(OUT) :: ierror",
            f"    size = {size}", "    IF (PRESENT(ierror)) ierror = 0", "  END SUBROUTINE"]


# Module mpi has others for arrays in some binaries.
ARRAYS = {"i1", "i2", "i", "i8", "r", "d", "cx", "l", "ch"}


def sizeof_functions(module):
    """(names of the generic's procedures, their text)"""
    names, text = [], []
    for declaration, (size, f90, f08) in TYPES.items():
        name = "MPI_Sizeof_" + (f90 if module == "mpi" else f08)
        names.append(f"    MODULE PROCEDURE {name}")
        text += function(name, declaration, size)
        if module == "mpi" and f90 in ARRAYS:
            text += function(name + "v", declaration, size)
    return names, text
