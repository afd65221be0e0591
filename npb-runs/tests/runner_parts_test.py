#!/usr/bin/env python3
"""The parts of npb: what runs print, what is planned, results, medians, tables, plots, the page."""

import io
import json
import os
import pathlib
import tempfile
import unittest

import runner_support
from runner_support import run_record, session_record

import jobs
from runner import benchmarks, execute, outputs, plan, plots, progress, report, results, summary, tables

OURS = """ CG Benchmark Completed
 Class           =                        S
 Time in seconds =                 0.028505
 Mop/s total     =                  2338.36
 Mop/s/process   =                  1169.18
 Verification    =               SUCCESSFUL
"""


class Outputs(unittest.TestCase):
    def test_our_summary_on_standard_error(self):
        printed = outputs.parse(" Zeta is 8.5\n VERIFICATION SUCCESSFUL\n", OURS + "detmpirun: digest 38ab\n")
        self.assertEqual((printed["seconds"], printed["mops"]), (0.028505, 2338.36))
        self.assertTrue(printed["verified"])
        self.assertEqual(printed["digest"], "38ab")

    def test_summary_on_standard_output(self):
        printed = outputs.parse(OURS, "")
        self.assertEqual(printed["seconds"], 0.028505)
        self.assertTrue(printed["verified"])

    def test_every_word_about_verification_counts(self):
        for said in ("UNSUCCESSFUL", "NOT PERFORMED", "FAILED"):
            printed = outputs.parse(" VERIFICATION SUCCESSFUL\n", OURS.replace("SUCCESSFUL", said))
            self.assertFalse(printed["verified"], said)

    def test_nothing_said(self):
        printed = outputs.parse("", "Time in seconds = soon\nMop/s total = 1e999\n")
        self.assertIsNone(printed["seconds"])
        self.assertIsNone(printed["mops"])
        self.assertFalse(printed["verified"])

    def test_output_is_told_apart(self):
        one, same, other = (outputs.parse(text, "")["output"] for text in ("a\n", "a\n", "b\n"))
        self.assertEqual(one, same)
        self.assertNotEqual(one, other)


class Judgement(unittest.TestCase):
    def judge(self, code, printed, failure=None):
        outcome = jobs.Outcome(1, "", "", code, {})
        outcome.failure = failure
        return execute.judge(outcome, printed)[0]

    def test_ends(self):
        good = {"seconds": 1.0, "verified": True}
        self.assertEqual(self.judge(0, good), "ok")
        self.assertEqual(self.judge(0, {"seconds": 1.0, "verified": False}), "unverified")
        self.assertEqual(self.judge(1, {"seconds": 1.0, "verified": False}, "exit status 1"), "unverified")
        self.assertEqual(self.judge(1, {"seconds": None, "verified": False}, "exit status 1"), "failed")
        self.assertEqual(self.judge(139, good, "exit status 139"), "failed")
        self.assertEqual(self.judge(0, {"seconds": None, "verified": True}), "failed")
        self.assertEqual(self.judge(None, good, "timeout after 1 s"), "timeout")


class Benchmarks(unittest.TestCase):
    def test_this_tree(self):
        found = benchmarks.find_benchmarks()
        self.assertTrue({"cg", "mm"} <= set(found))
        names = {path.name for path in found["cg"].sources}
        self.assertTrue({"cg.cpp", "solver.cpp", "program.cpp"} <= names)
        self.assertNotIn("kernel.cpp", names)
        self.assertEqual(found["cg"].arguments("W", ""), ["--class=W"])
        self.assertEqual(found["mm"].arguments("W", ""), ["--n=512"])

    def test_folders_that_sources_include(self):
        with tempfile.TemporaryDirectory() as name:
            tree = pathlib.Path(name)
            texts = {
                "common/options.cpp": "",
                "lu/lu.cpp": '#include "../cfd/norms.hpp"\nint main() {}  // .has_wildcard = true\n',
                "lu/sweep.cpp": "", "cfd/norms.hpp": '#include "../grid/grid.hpp"\n', "cfd/norms.cpp": "",
                "grid/grid.hpp": "", "grid/grid.cpp": "", "other/other.cpp": "int main() {}\n", "tests/lu_test.cpp": "",
            }
            for path, text in texts.items():
                (tree / path).parent.mkdir(exist_ok=True)
                (tree / path).write_text(text, encoding="utf-8")
            found = benchmarks.find_benchmarks(tree)
            self.assertEqual(set(found), {"lu", "other"})
            self.assertEqual({str(path.relative_to(tree.resolve())) for path in found["lu"].sources},
                             {"lu/lu.cpp", "lu/sweep.cpp", "common/options.cpp", "cfd/norms.cpp", "grid/grid.cpp"})
            self.assertIn(tree.resolve() / "grid/grid.hpp", found["lu"].depends)
            self.assertEqual(found["lu"].variants, ["", "wildcard"])
            self.assertEqual(found["lu"].arguments("A", "wildcard"), ["--class=A", "--wildcard"])
            self.assertEqual(found["other"].variants, [""])

    def test_rank_counts(self):
        def taken(name):
            return [ranks for ranks in range(1, 17) if benchmarks.runs_on(name, ranks)]

        self.assertEqual(taken("cg"), [1, 2, 4, 8, 16])
        self.assertEqual(taken("bt"), [1, 4, 9, 16])
        self.assertEqual(taken("lu"), [1, 2, 4, 6, 8, 9, 12, 15, 16])
        self.assertEqual(len(taken("ep")), 16)

    def test_names_of_executables(self):
        with tempfile.TemporaryDirectory() as name:
            for file in ("cg.A.x", "mg.B.16", "cg.A.x.old", "README", "cg.Z.4"):
                pathlib.Path(name, file).touch()
            found, complaints = benchmarks.find_given(pathlib.Path(name))
            self.assertEqual(found, [])
            self.assertEqual(len(complaints), 2)  # neither is an executable of MPI

    def test_an_executable_for_no_ranks(self):
        with tempfile.TemporaryDirectory() as name:
            pathlib.Path(name, "cg.A.00").touch()
            found, complaints = benchmarks.find_given(pathlib.Path(name))
            self.assertEqual(found, [])
            self.assertEqual(complaints, [f"{name}/cg.A.00 left out: nothing runs on 0 ranks"])

    def test_under_which_libraries_executables_run(self):
        def under(abi):
            given = benchmarks.Given(pathlib.Path("cg.A.x"), "cg", "A", None, abi)
            return [name for name in ("detmpi", "mpich", "openmpi") if given.runs_under(name)]

        self.assertEqual(under("mpich"), ["detmpi", "mpich"])
        self.assertEqual(under("openmpi"), ["openmpi"])
        self.assertEqual(under("detmpi"), ["detmpi"])


class Planning(unittest.TestCase):
    programs = [benchmarks.Benchmark("cg", [], [], [""]), benchmarks.Benchmark("lu", [], [], ["", "wildcard"])]

    def test_cases(self):
        cases, left_out = plan.plan_cases(self.programs, ["S"], [1, 6], ["", "wildcard"])
        self.assertEqual([case.key() for case in cases],
                         [("cg", "S", 1, ""), ("lu", "S", 1, ""), ("lu", "S", 1, "wildcard"), ("lu", "S", 6, ""),
                          ("lu", "S", 6, "wildcard")])
        self.assertEqual(left_out, ["cg not on 6 ranks: takes a power of two"])

    def test_contenders(self):
        found = plan.contenders_of(["detmpi", "mpich"], ["logical", "arrival"], [3], True)
        self.assertEqual([contender.key() for contender in found],
                         [("detmpi", "logical"), ("detmpi", "arrival"), ("detmpi", "seed3"),
                          ("detmpi", "instrumented"), ("mpich", "")])
        self.assertEqual([contender.launcher_options() for contender in found],
                         [["--order=logical"], ["--order=arrival"], ["--seed=3"], [], []])
        self.assertEqual([contender.build() for contender in found],
                         ["detmpi", "detmpi", "detmpi", "detmpi-instrumented", "mpich"])

    def test_modes_of_channels(self):
        found = plan.contenders_of(["mpich", "channels"], ["logical"], [], True, ["b.nwr", "nb.wr2"])
        self.assertEqual([contender.key() for contender in found],
                         [("mpich", ""), ("channels", "b.nwr"), ("channels", "nb.wr2")])
        self.assertEqual([contender.launcher_options() for contender in found], [[], ["--mode=b.nwr"], ["--mode=nb.wr2"]])
        cases, _ = plan.plan_cases(self.programs, ["S"], [2], ["", "wildcard"])
        runs = plan.plan_runs(cases, found, 1, False, peer_ranks=1)
        self.assertEqual({run.contender.library for run in runs}, {"channels"})
        self.assertEqual({run.case.variant for run in runs}, {""})

    def test_executables_of_the_user(self):
        given = [benchmarks.Given(None, "bt", "S", None, "mpich"), benchmarks.Given(None, "cg", "S", 8, "openmpi"),
                 benchmarks.Given(None, "cg", "C", 8, "mpich")]
        cases = plan.plan_given(given, None, ["S"], [1, 2, 4])
        self.assertEqual([case.key() for case in cases],
                         [("cg", "S", 8, "given"), ("bt", "S", 1, "given"), ("bt", "S", 4, "given")])
        self.assertEqual([case.key() for case in plan.plan_given(given, ["mg", "cg"], ["S"], [1, 2])],
                         [("cg", "S", 8, "given")])
        contenders = plan.contenders_of(["detmpi", "mpich", "openmpi"], ["logical"], [], True)
        runs = plan.plan_runs(cases, contenders, 1, False)
        self.assertEqual({run.contender.key() for run in runs if run.case.benchmark == "bt"},
                         {("detmpi", "logical"), ("mpich", "")})
        self.assertEqual({run.contender.key() for run in runs if run.case.benchmark == "cg"}, {("openmpi", "")})

    def test_two_executables_for_one_case(self):
        given = [benchmarks.Given("any", "cg", "S", None, "mpich"), benchmarks.Given("four", "cg", "S", 4, "mpich"),
                 benchmarks.Given("other", "cg", "S", 4, "openmpi")]
        cases = plan.plan_given(given, None, ["S"], [2, 4])
        self.assertEqual({(case.ranks, case.given.path) for case in cases}, {(2, "any"), (4, "four"), (4, "other")})

    def plan(self, **more):
        cases, _ = plan.plan_cases(self.programs, ["S"], [2], [""])
        contenders = plan.contenders_of(["detmpi", "mpich"], ["logical", "arrival"], [], False)
        return plan.plan_runs(cases, contenders, 3, **{"probe": True, **more})

    def test_everyone_runs_as_often(self):
        counts = {}
        for run in self.plan():
            counts.setdefault(run.key(), []).append(run.number)
        self.assertEqual(list(counts.values()), [[0, 1, 2, 3]] * 6)

    def test_contenders_of_a_case_run_one_after_another_and_take_turns(self):
        runs = self.plan()
        groups = [runs[index:index + 3] for index in range(0, len(runs), 3)]
        for group in groups:
            self.assertEqual(len({(run.case.key(), run.number) for run in group}), 1)
            self.assertEqual(len({run.contender.key() for run in group}), 3)
        firsts = [group[0].contender.key() for group in groups if group[0].case.benchmark == "cg"]
        self.assertEqual(len(set(firsts)), 3)

    def test_without_probe_and_with_few_ranks_for_peers(self):
        runs = self.plan(probe=False, peer_ranks=1)
        self.assertEqual({run.number for run in runs}, {1, 2, 3})
        self.assertEqual({run.contender.library for run in runs}, {"detmpi"})


class Results(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name, "results")

    def write(self, *records, tail=""):
        self.path.write_text("".join(json.dumps(record) + "\n" for record in records) + tail, encoding="utf-8")

    def open(self, **how):
        file = results.ResultFile(self.path, **how)
        self.addCleanup(file.close)
        return file

    def test_each_record_is_on_the_disk_at_once(self):
        file = self.open()
        file.write(run_record())
        self.assertEqual(results.read_records(self.path), [run_record()])

    def test_a_file_is_not_overwritten(self):
        self.write(run_record())
        with self.assertRaisesRegex(results.ResultError, "--resume"):
            self.open()

    def test_resume(self):
        self.write(session_record(), run_record(), run_record(mode="arrival", status="timeout", reason="late"))
        file = self.open(resume=True)
        logical, arrival = (plan.key_of(run_record(mode=mode)) for mode in ("logical", "arrival"))
        self.assertTrue(file.is_done(logical, 1))
        self.assertFalse(file.is_done(logical, 2))
        self.assertTrue(file.is_given_up(arrival))
        self.assertFalse(file.is_given_up(logical))
        self.assertEqual(file.bad, 0)

    def test_resume_with_retry(self):
        self.write(run_record(status="failed", reason="oh"))
        file = self.open(resume=True, retry=True)
        self.assertFalse(file.is_done(plan.key_of(run_record()), 1))
        self.assertFalse(file.is_given_up(plan.key_of(run_record())))

    def test_a_torn_line_is_cut_off(self):
        self.write(run_record(), tail='{"kind": "ru')
        self.assertEqual(len(results.read_records(self.path)), 1)
        self.open(resume=True).write(run_record(round=2))
        self.assertEqual([record["round"] for record in results.read_records(self.path)], [1, 2])

    def test_a_last_line_without_its_end_is_kept(self):
        self.write(run_record(), tail=json.dumps(run_record(round=2)))
        file = self.open(resume=True)
        self.assertTrue(file.is_done(plan.key_of(run_record()), 2))
        file.write(run_record(round=3))
        self.assertEqual([record["round"] for record in results.read_records(self.path)], [1, 2, 3])

    def test_records_with_faults(self):
        without_cores = session_record() | {"machine": {"load": 0.5}}
        for record, fault in (
                ({"kind": "run"}, "benchmark is missing"), ({"kind": "session"}, "command is missing"),
                ({"kind": []}, "not a line of results"), (without_cores, "machine is not what describes a machine"),
                (session_record() | {"libraries": {"mpich": {}}}, "libraries is not what describes libraries"),
                (run_record(ranks="2"), "ranks is not a whole number from 1"),
                (run_record(round=True), "round is not a whole number from 0"),
                (run_record(status="weird"), "status is not one of ok, unverified, failed, timeout"),
                (run_record(seconds=float("nan")), "seconds is not a number or null"),
                (run_record(mops=[1]), "mops is not a number or null"),
                (run_record(counters={"bytes": "many"}), "counters is not an object of numbers or null")):
            self.write(session_record(), record)
            with self.assertRaisesRegex(results.ResultError, f"results, line 2: {fault}$"):
                results.read_records(self.path)

    def test_records_without_faults(self):
        found = [session_record(), run_record(), {"kind": "of later"},
                 run_record(round=0, status="timeout", reason="late", seconds=None, mops=None, exit_code=-9, memory_kib=None,
                            counters={"bytes": 0})]
        self.write(*found)
        self.assertEqual(results.read_records(self.path), found)

    def test_other_files(self):
        for text in ("hello\nworld\n", "[1]\n", '{"a": 1}\n'):
            self.path.write_text(text, encoding="utf-8")
            with self.assertRaises(results.ResultError):
                results.read_records(self.path)
        with self.assertRaisesRegex(results.ResultError, "No such file"):
            results.read_records(self.path.with_name("none"))

    def test_a_later_record_of_the_same_run_counts(self):
        found = results.latest_runs([run_record(status="failed"), run_record(), run_record(round=2)])
        self.assertEqual([(run["round"], run["status"]) for run in found], [(1, "ok"), (2, "ok")])


def sample_records():
    """Two programs on 2 and 4 ranks: logical order takes 20 % longer, MPICH twice as long, Open MPI times out on 4."""
    records = [session_record()]
    for benchmark in ("cg", "lu"):
        for ranks in (2, 4):
            for library, mode, factor in (("detmpi", "logical", 1.2), ("detmpi", "arrival", 1), ("mpich", "", 2),
                                          ("openmpi", "", 4)):
                name = {"benchmark": benchmark, "ranks": ranks, "library": library, "mode": mode}
                if library == "openmpi" and ranks == 4:
                    records.append(run_record(**name, round=0, status="timeout", reason="timeout after <1> s",
                                              exit_code=None, seconds=None))
                    continue
                records.append(run_record(**name, round=0, seconds=9.0, memory_kib=1024 * factor, digest="abc",
                                          counters={"messages": 1234, "bytes": 5678, "wildcards": 3}))
                records += [run_record(**name, round=number, seconds=factor * (1 + 0.1 * number))
                            for number in (1, 2, 3)]
    return records


class Statistics(unittest.TestCase):
    def setUp(self):
        self.summary = summary.Summary([sample_records()])

    def test_median_and_spread_of_the_timed_runs(self):
        samples = self.summary.get(("cg", "S", 2, ""), ("detmpi", "arrival"))
        self.assertAlmostEqual(samples.median(), 1.2)
        self.assertAlmostEqual(samples.spread(), 0.1 / 1.2)
        self.assertEqual(samples.probed("memory_kib"), 1024)

    def test_runs_that_did_not_verify_do_not_count(self):
        runs = [run_record(round=1, seconds=1.0), run_record(round=2, seconds=0.1, status="unverified")]
        samples = summary.Summary([runs]).get(("cg", "S", 2, ""), ("detmpi", "logical"))
        self.assertEqual(samples.median(), 1.0)
        self.assertIsNone(samples.spread())

    def test_files_add_up(self):
        both = summary.Summary([[run_record(seconds=1.0)], [run_record(seconds=3.0)]])
        self.assertEqual(both.median(("cg", "S", 2, ""), ("detmpi", "logical")), 2.0)

    def test_better_peer(self):
        self.assertAlmostEqual(self.summary.best_peer(("cg", "S", 2, ""), self.summary.median), 2.4)

    def test_order(self):
        self.assertEqual([case[:3] for case in self.summary.samples],
                         [("cg", "S", 2), ("cg", "S", 4), ("lu", "S", 2), ("lu", "S", 4)])
        self.assertEqual(self.summary.contenders,
                         [("detmpi", "logical"), ("detmpi", "arrival"), ("mpich", ""), ("openmpi", "")])

    def test_different_output_is_noticed_but_for_arrival_order(self):
        def unsteady(**fields):
            runs = [run_record(round=1, **fields), run_record(round=2, **{**fields, "output": "other"})]
            return summary.Summary([runs]).unsteady()

        self.assertEqual(unsteady(), [(("cg", "S", 2, ""), ("detmpi", "logical"))])
        self.assertEqual(unsteady(mode="arrival"), [])
        self.assertEqual(unsteady(library="mpich", mode=""), [])
        self.assertEqual(unsteady(variant="given"), [])
        self.assertEqual(self.summary.unsteady(), [])


class Tables(unittest.TestCase):
    def setUp(self):
        self.summary = summary.Summary([sample_records()])

    def rows(self, table):
        return {tuple(row[:3]): row[3:] for row in table.rows}

    def test_time(self):
        rows = self.rows(tables.time_table(self.summary))
        self.assertEqual(rows["cg", "S", 2], ["1.44 s ±8 % (0.60x)", "1.2 s ±8 % (0.50x)", "2.4 s ±8 % (1.00x)",
                                              "4.8 s ±8 % (2.00x)"])
        self.assertEqual(rows["lu", "S", 4][-1], "timed out")

    def test_overhead(self):
        table = tables.overhead_table(self.summary)
        self.assertEqual(table.header[3:], ["2", "4"])
        self.assertEqual(table.rows[0], ["cg", "S", "DetMPI logical", "+20.0 %", "+20.0 %"])

    def test_memory(self):
        self.assertEqual(self.rows(tables.memory_table(self.summary))["cg", "S", 4],
                         ["1.2 MiB (0.60x)", "1.0 MiB (0.50x)", "2.0 MiB (1.00x)", "-"])

    def test_counters(self):
        row = self.rows(tables.counter_table(self.summary))["cg", "S", 2]
        self.assertEqual(row[:4], ["1,234", "5,678", "-", "3"])
        self.assertEqual(row[-2:], [0, "abc"])

    def test_own_time(self):
        records = [run_record(library=library, seconds=seconds, own_seconds=own)
                   for library, seconds, own in (("detmpi", 1.0, 0.8), ("mpich", 2.0, 0.9), ("openmpi", 4.0, None))]
        table = tables.own_time_table(summary.Summary([records]))
        self.assertEqual(table.rows, [["cg", "S", 2, "800 ms (80 %)", "900 ms (45 %)", "-"]])
        self.assertEqual(tables.own_time_table(self.summary).rows, [])

    def test_bounds(self):
        records = [run_record(library=library, mode=mode, seconds=seconds, own_seconds=own, path_seconds=path, copied_path_seconds=copied)
                   for library, mode, seconds, own, path, copied in (
                       ("detmpi", "logical", 1.0, 0.8, 0.9, 0.95), ("mpich", "", 2.0, 1.6, 1.7, 1.8),
                       ("openmpi", "", 4.0, 1.0, None, None))]
        rows = [["cg", "S", 2, "MPICH", "0.80x", "0.85x", "0.90x", "-", "0.40x", "0.47x", "-", "0.50x"]]
        self.assertEqual(tables.bound_table(summary.Summary([records])).rows, rows)
        self.assertEqual(tables.bound_table(summary.Summary([records[::2]])).rows,
                         [["cg", "S", 2, "Open MPI", "0.25x", "-", "-", "-", "0.20x", "0.24x", "-", "0.25x"]])
        self.assertEqual(tables.bound_table(summary.Summary([records[1:]])).rows,
                         [["cg", "S", 2, "MPICH", "0.80x", "0.85x", "0.90x", "-", "-", "-", "-", "-"]])
        self.assertEqual(tables.bound_table(summary.Summary([records[:1]])).rows, [])
        self.assertEqual(tables.bound_table(self.summary).rows, [])
        records = [dict(record, turns_seconds=1.9) for record in records[1:2]]
        self.assertEqual(tables.bound_table(summary.Summary([records])).rows[0][6:8], ["0.90x", "0.95x"])

    def test_growth(self):
        session = {"kind": "session", "machine": {"cores": 2}}
        records = [run_record(library="detmpi", mode="logical", ranks=ranks, seconds=seconds, own_seconds=own, turns_seconds=turns)
                   for ranks, seconds, own, turns in ((8, 3.0, 2.4, 2.7), (2, 2.0, 1.8, None), (4, 2.5, 2.0, None))]
        self.assertEqual(tables.growth_table(summary.Summary([[session, *records]])).rows,
                         [["cg", "S", 4, 2, "1.00x", "-", "-", "1.25x"], ["cg", "S", 8, 2, "1.20x", "-", "1.35x", "1.50x"]])
        self.assertEqual(tables.growth_table(summary.Summary([records])).rows, [])
        self.assertEqual(tables.growth_table(summary.Summary([[session, records[0]]])).rows, [])

    def test_what_is_not_own(self):
        records = [run_record(library=library, seconds=seconds, own_seconds=own)
                   for library, seconds, own in (("detmpi", 1.0, 0.8), ("mpich", 2.0, 1.6), ("openmpi", 4.0, None))]
        table = tables.rest_table(summary.Summary([records]))
        # Of 1.2 s, the median of own times, and what either library takes.
        self.assertEqual(table.rows[0][-4:], ["200 ms (0.50x)", "400 ms (1.00x)", "-", "0.88x"])
        self.assertEqual(tables.rest_table(self.summary).rows, [])

    def test_modes_of_channels(self):
        counters = {"data_pages": 600, "system_pages": 20, "faults": 1500, "sends": 300, "suspended_ns": 10**9}
        records = sample_records()
        for mode, seconds in (("nb.wr2", 2.0), ("b.nwr", 5.0)):
            records.append(run_record(library="channels", mode=mode, round=0, seconds=5.0, counters=counters))
            records.append(run_record(library="channels", mode=mode, seconds=seconds))
        everything = summary.Summary([records])
        self.assertEqual(everything.contenders[-2:], [("channels", "b.nwr"), ("channels", "nb.wr2")])
        table = tables.region_table(everything)
        self.assertEqual(table.header[3:], ["channels b.nwr", "channels nb.wr2"])
        self.assertEqual(table.rows, [["cg", "S", 2, "5 s (1.00x)", "2 s (2.50x)"]])
        self.assertEqual(tables.page_table(everything).rows[1],
                         ["cg", "S", 2, "nb.wr2", "600", "20", "1,500", "300", "2.0", "10 %"])
        self.assertEqual(self.rows(tables.counter_table(everything))["cg", "S", 2][0], "1,234")
        other = run_record(library="channels", mode="b.wr", round=0, counters={"data_pages": 600})
        self.assertEqual(tables.page_table(summary.Summary([[other]])).rows, [])
        if plots.is_available():
            self.assertIn("regions-S", [plot.name for plot in plots.all_plots(everything)])

    def test_deadlocks_are_counted(self):
        records = sample_records() + [run_record(round=7, status="failed", reason="deadlock", exit_code=122)]
        row = self.rows(tables.counter_table(summary.Summary([records])))["cg", "S", 2]
        self.assertEqual(row[-2], 1)

    def test_failures(self):
        rows = tables.failure_table(self.summary).rows
        self.assertEqual(rows[0], ["cg", "S", 4, "Open MPI", 0, "timed out", "timeout after <1> s"])
        self.assertEqual(len(rows), 2)

    def test_markdown(self):
        text = tables.markdown(self.summary)
        self.assertIn("| program | class | ranks | DetMPI logical | DetMPI arrival | MPICH | Open MPI |\n"
                      "| --- | --- | ---: | ---: | ---: | ---: | ---: |\n", text)
        for title in ("Run time", "What determinism costs", "Memory", "Counters", "What the system did", "What failed"):
            self.assertIn(f"### {title}\n", text)

    def test_one_mode_alone(self):
        alone = summary.Summary([[run_record(round=1), run_record(round=2)]])
        self.assertEqual([table.title for table in tables.all_tables(alone)],
                         ["Run time", "Rate", "What the system did"])


class Page(unittest.TestCase):
    def setUp(self):
        self.summary = summary.Summary([sample_records()])

    def test_page(self):
        text = report.page(self.summary, [], ["a.jsonl"], "no plots today")
        for expected in ("Some Processor, virtual machine", "4.0 GiB", "npb run --classes &lt;S&gt;", "no plots today",
                         "<td>1.44 s ±8 % (0.60x)</td>", "timeout after &lt;1&gt; s", "2 failed, timed out"):
            self.assertIn(expected, text)
        for tag in ("table", "tr", "div", "figure", "body", "html"):
            self.assertEqual(text.count(f"<{tag}>") + text.count(f"<{tag} "), text.count(f"</{tag}>"), tag)
        for outside in ("<script", "src=", "href=", "http://", "https://"):
            self.assertNotIn(outside, text)

    def test_plots(self):
        if not plots.is_available():
            self.assertIn("python3-matplotlib", plots.MISSING)
            return
        drawn = plots.all_plots(self.summary)
        self.assertEqual([plot.name for plot in drawn],
                         ["time-S", "modes-S", "overhead", "scaling", "memory-S", "memory-growth"])
        text = report.page(self.summary, drawn, ["a.jsonl"])
        self.assertEqual(text.count("<svg"), len(drawn))
        self.assertNotIn("<?xml", text)
        self.assertEqual(text, report.page(self.summary, plots.all_plots(self.summary), ["a.jsonl"]))
        with tempfile.TemporaryDirectory() as name:
            drawn[0].save(pathlib.Path(name))
            self.assertEqual(sorted(os.listdir(name)), ["time-S.png", "time-S.svg"])

    def test_plots_of_a_single_run(self):
        if plots.is_available():
            self.assertEqual(plots.all_plots(summary.Summary([[run_record()]])), [])


class Terminal(io.StringIO):
    def isatty(self):
        return True


class ProgressLines(unittest.TestCase):
    def runs(self):
        cases, _ = plan.plan_cases(Planning.programs[:1], ["S"], [1, 2], [""])
        return plan.plan_runs(cases, [plan.Contender("mpich")], 2, False)

    def test_estimate(self):
        runs = self.runs()
        meter = progress.Progress(io.StringIO())
        self.assertIsNone(meter.estimate(runs))
        meter.finish(runs[0], 10.0)
        self.assertAlmostEqual(meter.estimate(runs[1:]), 30.0)
        meter.finish(runs[1], 2.0)
        self.assertAlmostEqual(meter.estimate(runs[2:]), 12.0)

    def test_sparse_lines_elsewhere(self):
        out, now, runs = io.StringIO(), [0.0], self.runs()
        meter = progress.Progress(out, lambda: now[0])
        meter.begin(runs)
        for index, run in enumerate(runs):
            meter.start(run, runs[index:])
            meter.finish(run, 15.0)
            now[0] += 15.0
        self.assertEqual(out.getvalue(), "npb: 0 of 4 runs done\nnpb: 2 of 4 runs done, about 30 s left\n")

    def test_one_line_on_a_terminal(self):
        out, runs = Terminal(), self.runs()
        meter = progress.Progress(out)
        meter.begin(runs)
        meter.start(runs[0], runs)
        self.assertEqual(out.getvalue(), "\r\033[K0 of 4 runs done: cg, class S, 1 rank, MPICH, round 1")

    def test_durations(self):
        self.assertEqual([progress.duration(seconds) for seconds in (5, 600, 7200)], ["5 s", "10 min", "2.0 h"])


if __name__ == "__main__":
    runner_support.main()
