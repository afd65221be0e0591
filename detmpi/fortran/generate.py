#!/usr/bin/env python3
"""Generates the Fortran interfaces from the function table and the constants of mpi.h.in: functions.cpp, mpif.h,
mpi_f08_types.f90, mpi.f90 and mpi_f08.f90."""
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "api"))

from c_side import c_side
from callbacks import callback_interfaces, predefined_functions
from constants import read_constants
from functions import bindings
from headers import (constant_declarations, f08_constants, f08_interfaces, handle_operators, handle_types,
                     include_file, module_interfaces, shared_types)
from outputs import NOTE, read_options, write_all
from sizeof import sizeof_functions
from table import read_table


def fill(template, **parts):
    text = (HERE / template).read_text()
    for name, lines in ({"NOTE": NOTE} | parts).items():
        text = text.replace(f"@{name}@", lines if isinstance(lines, str) else "\n".join(lines))
    return text


def main():
    options = read_options(__doc__)
    table = bindings(read_table(options.functions))
    constants = read_constants(Path(options.header_template).read_text())
    operator_interfaces, operators = handle_operators()
    types_names, types_sizeof = sizeof_functions("mpi_f08")
    mpi_names, mpi_sizeof = sizeof_functions("mpi")
    write_all(options.out, {
        "functions.cpp": c_side(table, NOTE),
        "mpif.h": include_file(constants, NOTE) + (HERE / "mpif.h.in").read_text(),
        "mpi_f08_types.f90": fill("mpi_f08_types.f90.in", TYPES=handle_types(), OPERATORS=operators,
                                  OPERATOR_INTERFACES=operator_interfaces, SIZEOF_NAMES=types_names,
                                  SIZEOF=types_sizeof),
        "mpi.f90": fill("mpi.f90.in", SHARED=shared_types(), CONSTANTS=constant_declarations(constants),
                        INTERFACES=module_interfaces(table), SIZEOF_NAMES=mpi_names, SIZEOF=mpi_sizeof),
        "mpi_f08.f90": fill("mpi_f08.f90.in", CONSTANTS=f08_constants(constants), INTERFACES=f08_interfaces(table),
                            CALLBACKS=callback_interfaces(), CALLBACK_BODIES=predefined_functions()),
    })


if __name__ == "__main__":
    main()
