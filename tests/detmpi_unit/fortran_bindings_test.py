#!/usr/bin/env python3
"""Every function of the table has a Fortran form, or the build says which parameter has none; and the constants of mpif.h
are those of an installed MPICH."""
import argparse
import re
import sys
import unittest
from dataclasses import dataclass
from pathlib import Path

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--detmpi", required=True, help="folder of DetMPI's sources")
OPTIONS = parser.parse_args()
API, FORTRAN = Path(OPTIONS.detmpi) / "api", Path(OPTIONS.detmpi) / "fortran"
sys.path[:0] = [str(FORTRAN), str(API)]
from c_side import c_side  # noqa: E402
from constants import read_constants  # noqa: E402
from functions import C_ONLY, OLD, SPECIAL, bindings  # noqa: E402
from headers import f08_interface, include_file, interface, wrap  # noqa: E402
from rules import rule  # noqa: E402
from table import parse_param, read_table  # noqa: E402

FUNCTIONS = read_table(API / "functions")
BINDINGS = {b.name: b for b in bindings(FUNCTIONS)}
CONSTANTS = {c.name: c for c in read_constants((API / "mpi.h.in").read_text())}
PEERS = ("/usr/include/x86_64-linux-gnu/mpich/mpif.h", "/usr/include/mpich/mpif.h", "/usr/include/mpich-x86_64/mpif.h")


@dataclass
class FakeFunction:
    name: str
    params: list


class Rules(unittest.TestCase):
    def test_every_function_has_a_form(self):
        for function in FUNCTIONS:
            if (function.large_of or function.name) not in OLD | SPECIAL and not C_ONLY.fullmatch(function.name):
                self.assertIn(function.name, BINDINGS)

    def test_a_parameter_without_a_rule_is_refused_by_name(self):
        param = parse_param("Test", "thing:int")
        for ctype in ("struct unheard_of *%s", "MPI_Unheard_function *%s"):
            param.ctype = ctype
            with self.assertRaisesRegex(SystemExit, "Test.*'thing'"):
                rule(FakeFunction("Test", [param]), param)

    def test_arguments(self):
        text = c_side([BINDINGS["Waitany"]], "")
        self.assertIn("*index = index_from_one(index_c);", text)
        self.assertIn("status_for_c(status)", text)
        text = c_side([BINDINGS["Info_get"]], "")
        self.assertIn("without_blanks(key, key_length)", text)
        self.assertIn("*flag != 0) pad(value, value_length", text)
        text = c_side([BINDINGS["Info_get_string"]], "")
        self.assertIn("&& *flag != 0 && room > 0) pad(", text)
        self.assertIn("(Info_create_env)(0, nullptr, info)", c_side([BINDINGS["Info_create_env"]], ""))

    def test_sections_are_described_only_where_the_buffer_holds_no_more(self):
        self.assertIn("TypedBuffer", c_side([BINDINGS["Isend"]], ""))
        self.assertIn("CopiedBuffer", c_side([BINDINGS["Allreduce"]], ""))
        self.assertNotIn("CopiedBuffer", c_side([BINDINGS["Recv_init"]], ""))
        for name, buffers in {"Igather": ["Typed", "Whole"], "Iscatter": ["Whole", "Typed"], "Isendrecv": ["Typed", "Typed"],
                              "Ialltoall": ["Whole", "Whole"], "Ireduce_scatter_block": ["Whole", "Whole"],
                              "Iallreduce": ["Whole", "Whole"], "Gatherv_init": ["Typed", "Whole"]}.items():
            self.assertEqual(re.findall(r"const (\w+)Buffer", c_side([BINDINGS[name]], "")), buffers, name)

    def test_what_mpi_writes_to_is_copied_back(self):
        for name in ("Pack", "Pack_c", "Pack_external"):
            self.assertIn("outbuf_b(*outbuf, CopiedBuffer::Use::kWrite)", c_side([BINDINGS[name]], ""))

    def test_keywords_are_those_of_the_standard(self):
        for name, keyword in {"Graph_create": "index", "Graph_map": "index", "Graph_get": "index", "File_close": "fh",
                              "File_open": "fh", "File_get_errhandler": "file", "Waitany": "index",
                              "Win_create_errhandler": "win_errhandler_fn"}.items():
            self.assertIn(keyword, [a.name for a in BINDINGS[name].seen], name)

    def test_profiling_names_lead_to_profiling_names(self):
        for binding in BINDINGS.values():
            self.assertIn(f"DETMPI_CALL({binding.name})(", c_side([binding], ""))

    def test_lines_are_short_enough_for_both_forms(self):
        for line in include_file(list(CONSTANTS.values()), "").splitlines()[2:]:
            self.assertLessEqual(len(line), 72)
        for binding in BINDINGS.values():
            for line in interface(binding, "PMPI") + f08_interface(binding, "PMPIR_" + binding.f08_name):
                self.assertLessEqual(len(line), 132)
        self.assertGreater(len(wrap("x " * 100, "")), 1)


class Values(unittest.TestCase):
    def test_handles_have_their_type(self):
        self.assertEqual(CONSTANTS["MPI_COMM_WORLD"].handle, "MPI_Comm")
        self.assertEqual(CONSTANTS["MPI_LONG_LONG"], CONSTANTS["MPI_LONG_LONG"])
        self.assertEqual(CONSTANTS["MPI_LONG_LONG"].value, CONSTANTS["MPI_LONG_LONG_INT"].value)
        self.assertNotIn("MPI_STATUS_IGNORE", CONSTANTS)

    def test_they_are_those_of_mpich(self):
        peer = next((Path(p) for p in PEERS if Path(p).is_file()), None)
        if not peer:
            self.skipTest("no MPICH is installed")
        theirs = dict(re.findall(r"^ +PARAMETER *\((MPI_\w+)=([^)]+)\)", peer.read_text(), re.MULTILINE | re.IGNORECASE))
        compared = 0
        for name, value in theirs.items():
            if name in CONSTANTS and re.fullmatch(r"[-\d]+(-\d+)?", value) and "VERSION" not in name:
                compared += 1
                self.assertEqual(CONSTANTS[name].value, eval(value), name)
        self.assertGreater(compared, 200)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
