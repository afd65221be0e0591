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
from generate import checks  # noqa: E402
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


class Pages(unittest.TestCase):
    def test_sections(self):
        for function in FUNCTIONS:
            sections = re.findall(r"^\.SH (.*)$", page(function, FUNCTIONS), re.M)
            expected = ["NAME", "SYNOPSIS", "PARAMETERS", "DESCRIPTION", "DETERMINISM", "ERRORS", "SEE ALSO"]
            self.assertEqual([s for s in expected if s in sections], sections, function.name)
            self.assertTrue({"NAME", "SYNOPSIS", "DESCRIPTION", "DETERMINISM", "ERRORS"} <= set(sections))

    def test_every_parameter_is_described(self):
        for function in FUNCTIONS:
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
