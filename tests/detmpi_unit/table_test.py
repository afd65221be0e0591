#!/usr/bin/env python3
"""The function table is complete and yields well-formed manual pages."""
import argparse
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--api", required=True, help="folder of the table")
OPTIONS = parser.parse_args()
sys.path.insert(0, OPTIONS.api)
from generate import checks, impl_params  # noqa: E402
from manual import page  # noqa: E402
from table import parse_param, read_table  # noqa: E402

FUNCTIONS = read_table(Path(OPTIONS.api) / "functions")


class Table(unittest.TestCase):
    def test_names_are_unique_and_follow_mpi(self):
        names = [f.name for f in FUNCTIONS]
        self.assertEqual(len(names), len(set(names)))
        for name in names:
            self.assertRegex(name, r"^[A-Z][A-Za-z]*(_[a-z0-9_]+)?$")

    def test_every_function_is_described(self):
        for function in FUNCTIONS:
            self.assertTrue(function.text.endswith("."), function.name)
            self.assertTrue(function.determinism.endswith("."), function.name)

    def test_parameters_of_arrays_name_their_length(self):
        for function in FUNCTIONS:
            # Of neighbours the topology knows how many there are.
            names = {p.name for p in function.params} | {"edges_in", "edges_out"}
            for p in function.params:
                needs = any("{a}" in condition for condition, *_ in p.kind.check)
                self.assertEqual(needs or bool(p.argument), bool(p.argument), f"{function.name} {p.name}")
                self.assertTrue(not p.argument or p.argument in names, f"{function.name} {p.name}")

    def test_templates_are_filled(self):
        for function in FUNCTIONS:
            for row in checks(function):
                self.assertNotRegex(" ".join(row), r"\{\w+\}", function.name)

    def test_a_parameter_of_unknown_kind_is_refused(self):
        for text in ("x:nonsense", "x:count(", "datatypo"):
            with self.assertRaises(SystemExit):
                parse_param("Test", text)

    def test_every_communicator_is_checked_first(self):
        for function in FUNCTIONS:
            rows = [cls for *_, cls, _ in checks(function)]
            if any(p.kind_name == "comm" for p in function.params):
                self.assertEqual(rows[0], "MPI_ERR_COMM", function.name)


class LargeCounts(unittest.TestCase):
    BY_NAME = {f.name: f for f in FUNCTIONS}

    def declaration(self, name):
        return self.BY_NAME[name].declaration("MPI_")

    def test_types_of_parameters(self):
        self.assertEqual(self.declaration("Send_c"), "int MPI_Send_c(const void *buf, MPI_Count count, "
                         "MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)")
        self.assertIn("const MPI_Count recvcounts[], const MPI_Aint displs[]", self.declaration("Gatherv_init_c"))
        self.assertIn("MPI_User_function_c *user_fn", self.declaration("Op_create_c"))

    def test_who_has_a_form_for_them(self):
        for name in ("Waitall", "Comm_rank", "Info_get", "Type_hvector"):
            self.assertNotIn(name + "_c", self.BY_NAME)
        for name in ("Put", "File_read", "Ineighbor_alltoallw", "Type_get_contents", "Win_create"):
            self.assertEqual(self.BY_NAME[name + "_c"].large_of, name)

    def test_one_implementation(self):
        for function in FUNCTIONS:
            if function.shares and not function.unsupported:
                short = self.BY_NAME[function.large_of]
                ours, theirs = (impl_params(f).replace("MPI_Aint", "MPI_Count") for f in (function, short))
                self.assertEqual(ours, theirs, function.name)
                self.assertEqual(checks(function), checks(short), function.name)


class Pages(unittest.TestCase):
    def test_forms_for_large_counts_share_a_page(self):
        by_name = LargeCounts.BY_NAME
        self.assertEqual(page(by_name["Send_c"], FUNCTIONS), ".so man3/MPI_Send.3\n")
        text = page(by_name["Send"], FUNCTIONS)
        self.assertIn("MPI_Send, MPI_Send_c \\- Sends", text)
        self.assertIn("\nint MPI_Send_c(\n", text)

    def test_sections(self):
        for function in (f for f in FUNCTIONS if not f.shares):
            sections = re.findall(r"^\.SH (.*)$", page(function, FUNCTIONS), re.M)
            expected = ["NAME", "SYNOPSIS", "PARAMETERS", "DESCRIPTION", "DETERMINISM", "ERRORS", "SEE ALSO"]
            self.assertEqual([s for s in expected if s in sections], sections, function.name)
            self.assertTrue({"NAME", "SYNOPSIS", "DESCRIPTION", "DETERMINISM", "ERRORS"} <= set(sections))

    def test_every_parameter_is_described(self):
        for function in (f for f in FUNCTIONS if not f.shares):
            text = page(function, FUNCTIONS)
            for p in function.params:
                if p.kind_name != "varargs":
                    self.assertIn(f".I {p.name}\n", text, function.name)

    def test_pages_are_written_as_listed(self):
        command = [sys.executable, "-B", str(Path(OPTIONS.api) / "manual.py"),
                   "--functions", str(Path(OPTIONS.api) / "functions")]
        listed = subprocess.run(command + ["--list"], check=True, capture_output=True, text=True).stdout
        with tempfile.TemporaryDirectory() as out:
            subprocess.run(command + ["--out", out], check=True)
            self.assertEqual(sorted(listed.split()), sorted(p.name for p in Path(out).iterdir()))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
