#!/usr/bin/env python3
"""npb as a whole, with stand-ins for compilers and launchers: nothing here takes time or needs MPI."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import runner_support
from runner_support import NPB, make_stand_ins, run_record

import compare
import jobs
from runner import critical_path, plots

PATIENCE = 120


class Whole(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        make_stand_ins(self.folder)
        self.results = self.folder / "results"
        self.environment = {**os.environ, "FAKE": str(self.folder), "PATH": f"{self.folder}/path:{os.environ['PATH']}"}

    def behave(self, library, text):
        """Shell code that the launcher of the library runs."""
        (self.folder / library).write_text(text, encoding="utf-8")

    def command(self, *arguments):
        return [sys.executable, str(NPB), *arguments]

    def run_arguments(self, *more):
        return ["run", "--dist", str(self.folder / "dist"), "--build-dir", str(self.folder / "build"), "--out",
                str(self.results), "--benchmarks", "cg", "--ranks", "2", "--repeats", "2", *more]

    def npb(self, *arguments):
        return subprocess.run(self.command(*arguments), capture_output=True, text=True, env=self.environment,
                              cwd=self.folder, timeout=PATIENCE, check=False)

    def npb_run(self, *more):
        return self.npb(*self.run_arguments(*more))

    def records(self, kind="run"):
        records = [json.loads(line) for line in self.results.read_text(encoding="utf-8").splitlines()]
        return [record for record in records if record["kind"] == kind]

    def calls(self, start):
        lines = (self.folder / "calls").read_text(encoding="utf-8").splitlines()
        return [line for line in lines if line.startswith(start)]


class Runs(Whole):
    def test_a_series(self):
        done = self.npb_run()
        self.assertEqual(done.returncode, 0, done.stderr)
        records = self.records()
        self.assertEqual(len(records), 3 * 4)
        self.assertEqual({record["status"] for record in records}, {"ok"})
        self.assertEqual({(record["library"], record["mode"]) for record in records},
                         {("detmpi", "logical"), ("detmpi", "arrival"), ("mpich", ""), ("openmpi", "")})
        one = records[-1]
        self.assertEqual((one["seconds"], one["mops"], one["verified"], one["version"]), (0.25, 123.45, True, "1.2.3"))
        self.assertIn("| cg | S | 2 | 250 ms ±0 % (1.00x) |", done.stdout)
        self.assertIn("0 of 12 runs done", done.stderr)

    def test_what_it_starts(self):
        self.npb_run("--mpi", "detmpi", "--seeds", "5", "--classes", "W")
        program = str(self.folder / "build" / "cg.detmpi")
        starts = self.calls("detmpi ")
        for options in ("--order=logical", "--order=arrival", "--seed=5"):
            self.assertEqual(starts.count(f"detmpi -n 2 {options} {program} --class=W"), 2, options)
        probes = [start for start in starts if "LD_PRELOAD" in start]
        self.assertEqual(len(probes), 3)
        self.assertEqual(sum("--digest" in probe for probe in probes), 2)

    def test_over_channels(self):
        done = self.npb_run("--mpi", "", "--regions", "b.nwr,nb.wr2", "--benchmarks", "cg,lu", "--variants", "named,wildcard")
        self.assertEqual(done.returncode, 0, done.stderr)
        program = str(self.folder / "build" / "cg.channels")
        self.assertEqual(self.calls("channels -n"), self.calls("channels "))
        for mode in ("b.nwr", "nb.wr2"):
            self.assertEqual(self.calls("channels ").count(f"channels -n 2 --mode={mode} -- --class=S"), 2 * 3, mode)
        (compiling,) = [line for line in self.calls("compile channels") if program in line]
        for word in ("-Dmain=rank_main", "/channels/launch.cpp", "/lib/libdlinux.so"):
            self.assertIn(word, compiling)
        self.assertEqual({record["counters"]["messages"] for record in self.records() if record["round"] == 0}, {7})
        self.assertIn("### Modes of SPMC memory", done.stdout)

    def test_channels_that_are_not_installed(self):
        (self.folder / "dist/lib/libdlinux.so").unlink()
        done = self.npb_run("--regions", "b.nwr", "--dry-run")
        self.assertIn("npb: channels left out: libdlinux was not found", done.stderr)
        self.assertNotIn("channels", done.stdout)

    def test_the_probe_measures(self):
        self.npb_run("--mpi", "mpich")
        probe, timed = self.records()[0], self.records()[1]
        self.assertEqual(probe["counters"], {"messages": 7, "bytes": 56, "wildcards": 0})
        self.assertEqual(probe["round"], 0)
        self.assertNotIn("counters", timed)

    def own_time(self, most_ms, all_ms, *options):
        """The one in the records, from what a rank has at most and what all have."""
        own = f', "own_most_ns": {most_ms * 10**6}, "own_all_ns": {all_ms * 10**6}'
        (self.folder / "own").write_text(own, encoding="utf-8")
        done = self.npb_run("--mpi", "mpich", "--own-time", "--no-probe", *options)
        self.assertIn("### The programs' own time", done.stdout)
        starts = self.calls("mpich -n")
        self.assertEqual([start for start in starts if "LD_PRELOAD" not in start], [])
        (seconds,) = {record["own_seconds"] for record in self.records()}
        return seconds

    def test_the_own_time_of_the_rank_with_the_most(self):
        self.assertEqual(self.own_time(200, 200), 0.2)

    def test_the_own_time_of_all_by_the_cores(self):
        self.assertEqual(self.own_time(100, 300 * len(os.sched_getaffinity(0))), 0.3)

    def write_trace(self, rank, events):
        folder = self.folder / "traces"
        folder.mkdir(exist_ok=True)
        (folder / str(rank)).write_bytes(b"".join(critical_path.EVENT.pack(ms * 10**6, 0, kind, peer, 1, 0)
                                                  for ms, kind, peer in events))

    def test_ranks_that_share_cores(self):
        cores = len(os.sched_getaffinity(0))
        for rank in range(2 * cores):
            self.write_trace(rank, [(100, critical_path.END, -1)])
        self.assertEqual(self.own_time(100, 200 * cores, "--benchmarks", "ep", "--ranks", str(2 * cores)), 0.2)
        (session,) = self.records("session")
        (turns,) = {record["turns_seconds"] for record in self.records()}
        self.assertGreater(session["switch_ns"], 0)
        self.assertEqual(turns, round(0.2 + session["switch_ns"] * 1e-9, 6))

    def test_what_ranks_wait_for_each_other(self):
        """Two ranks of which each has 30 ms more of one of two phases; and their traces, if one is cut off."""
        for rank, first in enumerate((70, 40)):
            self.write_trace(rank, [(first, critical_path.ALL, -1), (110 - first, critical_path.ALL, -1), (0, critical_path.END, -1),
                                    (0, critical_path.MEMBER, 0), (0, critical_path.MEMBER, 1)])
        self.assertEqual(self.own_time(110, 110), 0.11)
        self.assertEqual({record["path_seconds"] for record in self.records()}, {0.14})
        self.assertEqual({record["turns_seconds"] for record in self.records()}, {None})
        with (self.folder / "traces" / "1").open("ab") as file:
            file.write(b"x")
        self.results.unlink()
        self.assertEqual(self.own_time(110, 110), 0.11)
        self.assertEqual({record["path_seconds"] for record in self.records()}, {None})

    def test_without_own_time(self):
        done = self.npb_run("--mpi", "mpich", "--no-probe")
        self.assertNotIn("own_seconds", self.records()[0])
        self.assertNotIn("own time", done.stdout)
        self.assertEqual([start for start in self.calls("mpich -n") if "LD_PRELOAD" in start], [])

    def test_the_session_describes_the_machine(self):
        self.npb_run("--mpi", "mpich")
        (session,) = self.records("session")
        self.assertIn("--mpi mpich", session["command"])
        self.assertEqual(session["libraries"]["mpich"]["version"], "1.2.3")
        for name in ("processor", "cores", "memory_mib", "kernel", "compiler"):
            self.assertTrue(session["machine"][name], name)

    def test_programs_are_built_once(self):
        self.npb_run("--mpi", "mpich")
        first = len(self.calls("compile"))
        self.assertEqual(first, 2)  # the program and the counters
        self.npb_run("--mpi", "mpich", "--resume")
        self.assertEqual(len(self.calls("compile")), first)
        self.npb_run("--mpi", "mpich", "--resume", "--flags=-g")
        self.assertEqual(len(self.calls("compile")), first + 1)

    def test_a_program_that_does_not_build(self):
        (self.folder / "broken").touch()
        done = self.npb_run("--mpi", "mpich")
        self.assertEqual(done.returncode, 1)
        self.assertIn("cg.mpich does not build: oh dear", done.stderr)

    def test_a_result_that_does_not_verify(self):
        self.behave("mpich", "verification=UNSUCCESSFUL code=1")
        done = self.npb_run("--mpi", "mpich")
        self.assertEqual(done.returncode, 1)
        self.assertEqual([record["status"] for record in self.records()], ["unverified"] * 3)
        self.assertIn("the result did not verify", done.stderr)

    def test_a_failure_ends_its_case_only(self):
        self.behave("openmpi", "echo 'no luck' >&2; exit 3")
        done = self.npb_run("--mpi", "mpich,openmpi")
        self.assertEqual(done.returncode, 1)
        failed = [record for record in self.records() if record["library"] == "openmpi"]
        self.assertEqual([(record["status"], record["exit_code"], record["reason"]) for record in failed],
                         [("failed", 3, "exit status 3: no luck")])
        self.assertEqual(len(self.records()), 4)

    def test_a_time_out_ends_its_case_only(self):
        self.behave("mpich", "sleep 60")
        done = self.npb_run("--mpi", "detmpi,mpich", "--orders", "logical", "--timeout", "3", "--no-probe")
        self.assertEqual(done.returncode, 1)
        late = [record for record in self.records() if record["library"] == "mpich"]
        self.assertEqual([(record["status"], record["reason"]) for record in late],
                         [("timeout", "timeout after 3 s")])
        self.assertEqual(sum(record["library"] == "detmpi" for record in self.records()), 2)

    def test_other_output_in_another_run(self):
        self.behave("detmpi", 'date +%N')
        done = self.npb_run("--mpi", "detmpi", "--orders", "logical")
        self.assertEqual(done.returncode, 1)
        self.assertIn("did not print the same in every run", done.stdout)
        self.results.unlink()
        self.assertEqual(self.npb_run("--mpi", "detmpi", "--orders", "arrival").returncode, 0)

    def test_resume_runs_what_is_missing(self):
        self.npb_run("--mpi", "mpich", "--repeats", "1")
        self.assertEqual(self.npb_run("--mpi", "mpich").returncode, 2)
        self.assertEqual(self.npb_run("--mpi", "mpich", "--resume").returncode, 0)
        self.assertEqual([record["round"] for record in self.records()], [0, 1, 2])

    def test_retry_runs_again_what_failed(self):
        self.behave("mpich", "exit 3")
        self.npb_run("--mpi", "mpich")
        (self.folder / "mpich").unlink()
        self.assertEqual(self.npb_run("--mpi", "mpich", "--resume").returncode, 0)
        self.assertEqual(len(self.records()), 1)
        self.assertEqual(self.npb_run("--mpi", "mpich", "--resume", "--retry").returncode, 0)
        self.assertEqual([record["status"] for record in self.records()], ["failed", "ok", "ok", "ok"])

    def test_dry_run(self):
        done = self.npb_run("--dry-run")
        self.assertEqual(done.returncode, 0)
        self.assertTrue(done.stdout.endswith("12 runs\n"))
        self.assertFalse(self.results.exists())

    def interrupt(self, number):
        """Interrupts a series in which every run takes a while; what it has run by then."""
        self.behave("mpich", "sleep 0.1 & wait")
        series = subprocess.Popen(self.command(*self.run_arguments("--mpi", "mpich", "--repeats", "100")),
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=self.environment)
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline and not (self.results.exists() and len(self.records()) >= 2):
            time.sleep(0.02)
        series.send_signal(number)
        errors = series.communicate(timeout=PATIENCE)[1]
        self.assertEqual(series.returncode, 128 + number, errors)
        self.assertIn("results are in", errors)
        return self.records()

    def test_interrupted(self):
        before = self.interrupt(signal.SIGINT)
        self.assertTrue(2 <= len(before) < 100)
        self.assertEqual([record["round"] for record in before], list(range(len(before))))
        (self.folder / "mpich").unlink()
        done = self.npb_run("--mpi", "mpich", "--repeats", str(len(before)), "--resume")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([record["round"] for record in self.records()], list(range(len(before) + 1)))

    def test_asked_to_end(self):
        self.interrupt(signal.SIGTERM)


class GivenExecutables(Whole):
    def setUp(self):
        super().setUp()
        # Something that `readelf -d` shows to need MPICH's library.
        self.behave_as_readelf(" 0x0000000000000001 (NEEDED)  Shared library: [libmpich.so.12]")
        self.given = self.folder / "given"
        self.given.mkdir()
        for name in ("cg.S.x", "lu.W.4"):
            (self.given / name).touch()

    def behave_as_readelf(self, line):
        path = self.folder / "path" / "readelf"
        path.write_text(f"#!/bin/sh\necho '{line}'\n", encoding="utf-8")
        path.chmod(0o755)

    def test_run(self):
        done = self.npb_run("--bin-dir", str(self.given), "--given-only", "--orders", "logical", "--classes", "S,W",
                            "--benchmarks", "cg,lu")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual({(record["benchmark"], record["class"], record["ranks"], record["variant"], record["library"])
                          for record in self.records()},
                         {(*case, "given", library) for case in (("cg", "S", 2), ("lu", "W", 4))
                          for library in ("detmpi", "mpich")})
        self.assertIn(f"detmpi -n 4 --order=logical {self.given.resolve()}/lu.W.4", self.calls("detmpi"))
        self.assertEqual(self.calls("compile"), [])

    def test_list(self):
        done = self.npb("list", "--dist", str(self.folder / "dist"), "--bin-dir", str(self.given))
        self.assertEqual(done.returncode, 0, done.stderr)
        for text in ("cg   ranks: a power of two", "mpich    1.2.3",
                     "lu.W.4       class W, 4 ranks, runs under detmpi, mpich"):
            self.assertIn(text, done.stdout)

    def test_list_of_a_folder_whose_name_is_no_text(self):
        self.environment["PYTHONIOENCODING"] = "utf-8:strict"  # as in most languages
        self.given.rename(self.folder / os.fsdecode(b"\xff"))
        done = self.npb("list", "--bin-dir", os.fsdecode(b"\xff"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("executables in \\udcff:\n", done.stdout)

    def test_what_readelf_says_that_is_no_text(self):
        self.behave_as_readelf("'; printf '\\377'; echo ' (NEEDED) [libmpich.so.12]")
        done = self.npb("list", "--bin-dir", str(self.given))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("cg.S.x       class S, any ranks, runs under detmpi, mpich", done.stdout)

    def test_neither_library(self):
        self.behave_as_readelf("")
        done = self.npb_run("--bin-dir", str(self.given), "--given-only")
        self.assertEqual(done.returncode, 2)
        self.assertIn("cg.S.x left out", done.stderr)


class Reports(Whole):
    def test_report(self):
        self.npb_run()
        done = self.npb("report", str(self.results), "-o", "page.html", "--markdown", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("### Run time", done.stdout)
        page = (self.folder / "page.html").read_text(encoding="utf-8")
        self.assertIn("All 12 runs verified", page)
        self.assertIn("<h3>Memory</h3>" if "memory_kib" in page else "<h3>Run time</h3>", page)

    def test_several_files(self):
        for name in ("one", "two"):
            (self.folder / name).write_text(json.dumps(run_record()) + "\n", encoding="utf-8")
        done = self.npb("report", "one", "two", "--markdown", "tables.md")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue((self.folder / "npb-report.html").is_file())
        self.assertIn("1 s ±0 %", (self.folder / "tables.md").read_text(encoding="utf-8"))

    def test_results_are_not_written_over(self):
        text = json.dumps(run_record()) + "\n"
        (self.folder / "one").write_text(text, encoding="utf-8")
        (self.folder / "link").symlink_to("one")
        os.link(self.folder / "one", self.folder / "twin")
        for arguments in (["-o", "one"], ["-o", "link"], ["--markdown", "twin"], ["--plots", "./one"]):
            done = self.npb("report", "one", *arguments)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(f"npb: {pathlib.Path(arguments[1])} is one of the files of results", done.stderr)
            self.assertEqual((self.folder / "one").read_text(encoding="utf-8"), text)
            self.assertFalse((self.folder / "npb-report.html").exists())

    def test_results_in_the_place_of_a_plot(self):
        if not plots.is_available():
            self.skipTest(plots.MISSING)
        drawn = self.folder / "scaling.png"
        drawn.write_text("".join(json.dumps(run_record(ranks=ranks)) + "\n" for ranks in (1, 2)), encoding="utf-8")
        done = self.npb("report", "scaling.png", "--plots", ".")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("npb: scaling.png is one of the files of results", done.stderr)

    def test_a_name_that_is_no_text(self):
        name = os.fsdecode(b"\xff")
        (self.folder / name).write_text(json.dumps(run_record()) + "\n", encoding="utf-8")
        done = self.npb("report", name)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_results_with_faults(self):
        (self.folder / "bad").write_text(json.dumps(run_record(status="weird")) + "\n", encoding="utf-8")
        done = self.npb("report", "bad")
        self.assertEqual((done.returncode, done.stderr),
                         (2, "npb: bad, line 1: status is not one of ok, unverified, failed, timeout\n"))

    def test_nothing_to_report(self):
        (self.folder / "empty").touch()
        for name in ("empty", "missing"):
            self.assertEqual(self.npb("report", name).returncode, 2)


class Usage(Whole):
    def test_help_and_version(self):
        for arguments in (["--help"], ["run", "--help"], ["report", "--help"], ["list", "--help"], ["--version"]):
            done = self.npb(*arguments)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertTrue(done.stdout)

    def test_wrong_usage(self):
        for arguments in ([], ["walk"], ["report"], ["run", "--ranks", "0"], ["run", "--ranks", str(2**31), "--dry-run"],
                          ["run", "--benchmarks", "xx"],
                          ["run", "--classes", "Q"], ["run", "--given-only"], ["run", "--bin-dir", "none"],
                          ["run", "--seeds", "-1"], ["run", "--repeats", "0"]):
            self.assertEqual(self.npb(*arguments).returncode, 2, arguments)

    def test_numbers_out_of_range(self):
        for arguments in (["--timeout", "nan"], ["--timeout", "inf"], ["--timeout", "1e9"], ["--timeout", "soon"],
                          ["--seeds", str(2**64)], ["--flags", "'"]):
            done = self.npb_run("--dry-run", *arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn(f"argument {arguments[0]}: ", done.stderr)
        self.assertEqual(self.npb_run("--dry-run", "--seeds", str(2**64 - 1)).returncode, 0)

    def test_comparisons_take_the_same_numbers(self):
        bench = NPB.parent.parent / "bench"
        for arguments in (["compare.py", "--mpi", ""], ["mapreduce.py", "--build", "none"], ["order.py", "--only", "none"]):
            for wrong in (["--timeout", "nan"], ["--rounds", "0"]):
                done = subprocess.run([sys.executable, "-B", bench / arguments[0], *arguments[1:], *wrong], capture_output=True,
                                      text=True, timeout=PATIENCE, check=False)
                self.assertEqual(done.returncode, 2, arguments)
                self.assertIn(f"argument {wrong[0]}: '{wrong[1]}' is not a ", done.stderr)

    def test_comparisons_that_cannot_begin(self):
        bench = NPB.parent.parent / "bench"
        for code, text, arguments in (
                (2, "'0' is not a whole number above zero", ["pipelines.py", "none", "--rounds", "0"]),
                (2, "there is no folder 'none'", ["pipelines.py", "none", "--tree", "none"]),
                (1, "none/bench/pipelines/similar is not built", ["pipelines.py", "none"]),
                (1, "none/detmpi/detmpirun is not built", ["order.py", "--build", "none"]),
                (1, "No such file or directory: 'none/out'", ["compare.py", "--out", "none/out"]),
                (2, "nothing to run: no suite was asked for", ["compare.py", "--suites", ""])):
            done = subprocess.run([sys.executable, "-B", bench / arguments[0], *arguments[1:]], cwd=self.folder,
                                  capture_output=True, text=True, timeout=PATIENCE, check=False)
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertIn(text, done.stderr)
            self.assertNotIn("Traceback", done.stderr)

    def test_an_order_that_hangs_or_fails(self):
        launcher = self.folder / "detmpi/detmpirun"
        launcher.parent.mkdir()
        for program in ("sleep 600", "exit 3"):
            launcher.write_text(f"#!/bin/sh\n{program}\n", encoding="utf-8")
            launcher.chmod(0o755)
            done = subprocess.run([sys.executable, "-B", NPB.parent.parent / "bench/order.py", "--build", self.folder, "--only",
                                   "waitany", "--ranks", "2", "--rounds", "1", "--memory", "--timeout", "0.1"],
                                  capture_output=True, text=True, timeout=PATIENCE, check=False)
            self.assertEqual(done.returncode, 1, done.stderr)

    def test_suites_of_comparisons_are_in_the_help(self):
        done = subprocess.run([sys.executable, "-B", NPB.parent.parent / "bench/compare.py", "--help"], capture_output=True,
                              text=True, timeout=PATIENCE, check=False)
        listed = done.stdout[done.stdout.index("--suites NAME,... "):done.stdout.index("--mpi NAME,... ")]
        for suite in compare.SUITES:
            self.assertRegex(listed, rf"\b{suite}\b")

    def test_libraries_that_are_not_there(self):
        (self.folder / "path/mpicc.mpich").unlink()
        self.environment["PATH"] = str(self.folder / "path")  # without those of this machine
        done = self.npb_run("--mpi", "mpich", "--dry-run")
        self.assertEqual(done.returncode, 2)
        self.assertIn("npb: none of these was found: mpich\n", done.stderr)
        (self.folder / "dist/bin/detmpirun").unlink()
        done = self.npb_run("--mpi", "detmpi,mpich", "--dry-run")
        self.assertEqual(done.returncode, 2)
        self.assertIn("npb: none of these was found: detmpi, mpich; ./quickstart --no-run makes DetMPI", done.stderr)
        done = self.npb_run("--mpi", "", "--dry-run")
        self.assertEqual((done.returncode, done.stderr), (2, "npb: no library was asked for\n"))

    def test_nothing_fits(self):
        done = self.npb_run("--ranks", "3")
        self.assertEqual(done.returncode, 2)
        self.assertIn("cg not on 3 ranks: takes a power of two", done.stderr)


class Jobs(unittest.TestCase):
    def test_usage_and_output(self):
        outcome = jobs.run_command(["sh", "-c", "echo out; echo err >&2; exit 3"], 10)
        self.assertEqual((outcome.code, outcome.output, outcome.errors), (3, "out\n", "err\n"))
        self.assertEqual(outcome.failure, "exit status 3: err")
        self.assertGreater(outcome.usage["page_faults"], 0)

    def test_environment(self):
        self.assertEqual(jobs.run_command(["sh", "-c", "echo $COLOUR"], 10, {"COLOUR": "blue"}).output, "blue\n")

    def test_memory_is_watched(self):
        seen = []
        jobs.run_command(["sleep", "0.2"], 10, watch=lambda pid: seen.append(jobs.held_memory(pid)))
        self.assertGreater(max(seen), 0)

    def test_nothing_is_left_behind(self):
        for script, timeout in (("setsid sleep 600 & sleep 0.1", 10), ("setsid sleep 600; true", 0.2)):
            jobs.run_command(["sh", "-c", script], timeout)
            self.assertEqual(jobs.descendants(os.getpid())[1:], [])

    def test_other_children_stay(self):
        with subprocess.Popen(["sleep", "600"]) as other:
            jobs.run_command(["true"], 10)
            self.assertIsNone(other.poll())
            other.kill()


if __name__ == "__main__":
    runner_support.main()
