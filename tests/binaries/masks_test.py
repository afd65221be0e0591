#!/usr/bin/env python3
"""Tests masks.py, and that criteria and comparison fail where they should, on pieces of real output."""

import pathlib
import unittest

import binaries
import masks
import programs

LU = """
TIME     M     N  NB NRHS NBRHS    P    Q  LU Time Sol Time  MFLOPS  CHECK
---- ----- ----- --- ---- ----- ---- ---- -------- -------- -------- ------

WALL     4     4   2     1    1    1    1     {}     0.00     {} PASSED
"""
LU_END = """240 tests completed and passed residual checks.
0 tests completed and failed residual checks.
END OF TESTS.
"""
SWEEP = "  8: 13 bytes {} times --> {} Mbps in {} usec"
SHIFTED = """
TIME N     int 2gm bal anb pnb prcs TRD Time      MFLOPS Residual  CHECK
---- ----  --- --- --- --- --- ---- -------- ----------- -------- ------
WALL    16   1   0   1  16  32     1     {}      259.75     {} PASSED
"""
EIGEN = """
     N  NB   P   Q TYP SUB   WALL      CPU      CHK       QTQ    CHECK    TEST
 ----- --- --- --- --- --- -------- -------- --------- --------- -----    ----
     5   1   1   2   8   N     {}    -1.00  {}      0.75     PASSED   EVX
"""


class Masks(unittest.TestCase):
    def same(self, mask, first, second):
        self.assertEqual(mask(first), mask(second))

    def differ(self, mask, first, second):
        self.assertNotEqual(mask(first), mask(second))

    def test_columns_of_times(self):
        self.same(masks.tables, LU.format("0.01", "  1.25"), LU.format("0.12", "100.00"))
        table = LU.format("0.01", "1.25")
        self.differ(masks.tables, table, table.replace("PASSED", "FAILED"))
        self.differ(masks.tables, table, table.replace("  1    1    1", "  1    3    1"))

    def test_rows_shifted_against_the_rule(self):
        self.same(masks.tables, SHIFTED.format("0.00", "0.44"), SHIFTED.format("0.01", "0.44"))
        self.differ(masks.tables, SHIFTED.format("0.00", "0.44"), SHIFTED.format("0.00", "0.45"))

    def test_residuals_stay(self):
        self.same(masks.tables, EIGEN.format("0.00", "0.45"), EIGEN.format("1.00", "0.45"))
        self.differ(masks.tables, EIGEN.format("0.00", "0.45"), EIGEN.format("0.00", "0.46"))

    def test_the_other_programs(self):
        self.same(masks.netpipe, SWEEP.format(20, "  44.1", "  0.17"), SWEEP.format(20, "5", "1"))
        self.differ(masks.netpipe, SWEEP.format(20, "5", "1"), SWEEP.format(19, "5", "1"))
        self.same(masks.blas_timings, "  |  PDGEMM    0.1   37.7  -1.0  0.0", "  |  PDGEMM    0.2   17.7  -1.0  0.0")
        self.same(masks.singular_values, "Passed 0.462E-01-0.100E+01   100", "Passed 0.158E-01-0.100E+01   100")
        self.differ(masks.singular_values, "Passed 0.462E-01-0.100E+01   100", "Passed 0.462E-01-0.100E+01   101")
        self.same(masks.mocassin, " 1 ; finished at 22:13:45", " 1 ; finished at 00:00:00")
        self.differ(masks.mocassin, " T(H+)    8608.16602", " T(H+)    8608.16603")


class Criteria(unittest.TestCase):
    def wrong(self, criterion, code=0, out="", err=""):
        return criterion(programs.Run(code, out, err, {}))[0]

    def test_scalapack(self):
        self.assertEqual(self.wrong(programs.scalapack, 0, LU_END), "")
        for code, out in (
            (1, LU_END), (0, ""), (0, LU_END.replace("240", "0")), (0, LU_END.replace("\n0 tests", "\n1 tests")),
            (0, LU_END.replace("END OF", "")), (0, LU_END + "3 tests skipped for lack of memory\n"),
        ):  # fmt: skip
            self.assertNotEqual(self.wrong(programs.scalapack, code, out), "")

    def test_blas_and_blacs(self):
        table = "  |  PDGEMV           16        {}        0       0\n  End of Tests.\n"
        self.assertEqual(self.wrong(programs.blas_tests, 0, table.format(16)), "")
        self.assertNotEqual(self.wrong(programs.blas_tests, 0, table.format(15)), "")
        end = "INTEGER SUM TESTS: 1152 TESTS;  864 PASSED,  288 SKIPPED,    {} FAILED.\n"
        end += "The final auxiliary test is for BLACS_ABORT"
        self.assertEqual(self.wrong(programs.blacs, 255, end.format(0)), "")
        self.assertNotEqual(self.wrong(programs.blacs, 255, end.format(1)), "")
        self.assertNotEqual(self.wrong(programs.blacs, 0, end.format(0)), "")

    def test_two_runs_are_compared(self):
        program = programs.Program("lu", pathlib.Path("lu"), "", programs.scalapack, masks.tables)
        first, second = (programs.Run(0, LU.format(time, "1.00"), "", {}) for time in ("0.01", "0.02"))
        self.assertEqual(binaries.first_difference(program, first, second), "")
        second.out += "x"
        self.assertNotEqual(binaries.first_difference(program, first, second), "")


if __name__ == "__main__":
    unittest.main()
