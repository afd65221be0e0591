"""The command line of npb."""

import argparse
import datetime
import pathlib
import shlex
import signal
import sys

import libraries as mpi
from arguments import name_list, positive, rank_list, time_limit
from runner import (VERSION, benchmarks, build, channels, execute, machine, plan, plots, progress, report, results, summary,
                    tables)

EXIT_FAILED, EXIT_USAGE = 1, 2
SEEDS = 1 << 64  # so many has detmpirun
DEFAULT_RESULTS = pathlib.Path("npb-results.jsonl")
ABOUT = """Runs the NAS Parallel Benchmarks over the MPI libraries of this machine, and reports.

  npb run --classes S,W --ranks 1,2,4 --out results.jsonl
  npb report results.jsonl
"""
STATUS = "Exit status: 0 done, 1 a run failed or did not verify, 2 wrong usage, 128 + S interrupted by signal S."


class UsageError(Exception):
    """What cannot be done as it was asked for; the text says why."""


def seed_list(text):
    try:
        seeds = [int(word) for word in text.split(",") if word]
    except ValueError:
        seeds = [-1]
    if not seeds or min(seeds) < 0 or max(seeds) >= SEEDS:
        raise argparse.ArgumentTypeError(f"'{text}' is not a list of seeds")
    return seeds


def flag_list(text):
    try:
        return shlex.split(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{error} in '{text}'") from error


def folder(text):
    path = pathlib.Path(text)
    if not path.is_dir():
        raise argparse.ArgumentTypeError(f"there is no folder '{text}'")
    return path


def add_places(add):
    add("--dist", type=pathlib.Path, default=mpi.ROOT / "dist", metavar="DIR",
        help="where DetMPI is installed (default: dist/ of the tree)")
    add("--bin-dir", type=folder, metavar="DIR",
        help="also run the NPB executables in DIR, named like cg.A.x or cg.A.4: those for MPICH under DetMPI as they "
        "are and under MPICH, others under their own library")


def add_run(commands, names):
    parser = commands.add_parser("run", help="run benchmarks, append results to a file, print a table",
                                 description="Runs every case with every library and mode, in turns.", epilog=STATUS)
    add = parser.add_argument_group("what").add_argument
    add("--benchmarks", type=name_list(names), metavar="NAME,...",
        help=f"of {', '.join(names)}; default: all, also those of --bin-dir that are not among these")
    add("--classes", type=name_list(benchmarks.CLASSES), default=["S"], metavar="CLASS,...",
        help="of S, W, A, B, C (default S)")
    add("--ranks", type=rank_list, default=[1, 2, 4], metavar="N,...",
        help="default 1,2,4; counts that a benchmark cannot take are left out")
    add("--variants", type=name_list(("named", benchmarks.WILDCARD)), default=["named"], metavar="NAME,...",
        help="of named, wildcard (receives from MPI_ANY_SOURCE, where a program has them); default named")
    add("--given-only", action="store_true", help="nothing but the executables of --bin-dir")
    add = parser.add_argument_group("with what").add_argument
    add("--mpi", type=name_list(mpi.LIBRARIES), default=list(mpi.LIBRARIES), metavar="NAME,...",
        help="of detmpi, mpich, openmpi; default: all that are there")
    add("--orders", type=name_list(plan.ORDERS), default=["logical", "arrival"], metavar="NAME,...",
        help="orders of messages in DetMPI: logical, arrival; default both")
    add("--seeds", type=seed_list, default=[], metavar="N,...",
        help="also other legal orders of DetMPI, by their seeds")
    add("--instrumented", action="store_true", help="also programs compiled by detmpicxx --instrument")
    add("--regions", type=name_list(plan.REGION_MODES), default=[], metavar="MODE,...",
        help=f"also over channels of SPMC memory, as DetMPI was in paper 004, in modes of it: {', '.join(plan.REGION_MODES)}")
    add_places(add)
    add("--peer-ranks", type=positive(int), metavar="N",
        help="no more than N ranks with MPICH and Open MPI, which may spin when there are more ranks than cores")
    add("--flags", type=flag_list, default=[], metavar="FLAGS",
        help=f"for the compiler, after {' '.join(build.FLAGS)}, such as --flags=-g")
    add("--build-dir", type=pathlib.Path, default=mpi.ROOT / "build-npb", metavar="DIR",
        help="where programs are built (default: build-npb/ of the tree)")
    add = parser.add_argument_group("how").add_argument
    add("--repeats", type=positive(int), default=5, metavar="N", help="timed runs of each case (default 5)")
    add("--no-probe", action="store_true",
        help="without the run before them that warms up and measures memory and counters")
    add("--own-time", action="store_true",
        help="in timed runs of the programs of this tree also measure the time between MPI calls, and trace the calls: what no "
             "library can save")
    add("--timeout", type=time_limit, default=300.0, metavar="S",
        help="seconds per run (default 300); after a time-out the rest of that case is left out")
    add("--out", type=pathlib.Path, default=DEFAULT_RESULTS, metavar="FILE",
        help=f"results, a line of JSON each (default {DEFAULT_RESULTS})")
    add("--resume", action="store_true", help="continue FILE: what is done is not run again")
    add("--retry", action="store_true", help="with --resume: but what failed is")
    add("--dry-run", action="store_true", help="print the runs in their order, and build and run nothing")
    parser.set_defaults(act=act_run)


def add_report(commands):
    parser = commands.add_parser("report", help="make a page, plots and tables of results",
                                 description="Puts results of one or more files into one HTML page.", epilog=STATUS)
    add = parser.add_argument
    add("results", nargs="+", type=pathlib.Path, metavar="RESULTS", help="files that `npb run` has written")
    add("-o", "--out", type=pathlib.Path, default=pathlib.Path("npb-report.html"), metavar="FILE",
        help="the page (default npb-report.html)")
    add("--plots", type=pathlib.Path, metavar="DIR", help="write the plots to DIR too, as SVG and PNG")
    add("--markdown", metavar="FILE", help="write the tables to FILE too, as Markdown; - is standard output")
    parser.set_defaults(act=act_report)


def add_list(commands):
    parser = commands.add_parser("list", help="show benchmarks, libraries, modes, executables",
                                 description="Shows what `npb run` can run here.", epilog=STATUS)
    add_places(parser.add_argument)
    parser.set_defaults(act=act_list)


def make_parser(names):
    parser = argparse.ArgumentParser(prog="npb", description=ABOUT, epilog=STATUS,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-V", "--version", action="version", version=f"npb (DLinux) {VERSION}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    add_run(commands, names)
    add_report(commands)
    add_list(commands)
    return parser


# --- run -------------------------------------------------------------------------------------------------


def plan_of(options, found, programs):
    """All runs that were asked for. `found`: the libraries that are there."""
    variants = ["" if name == "named" else name for name in options.variants]
    cases, left_out = [], []
    if not options.given_only:
        cases, left_out = plan.plan_cases(programs, options.classes, options.ranks, variants)
    if options.bin_dir:
        executables, complaints = benchmarks.find_given(options.bin_dir)
        left_out += complaints
        cases += plan.plan_given(executables, options.benchmarks, options.classes, options.ranks)
    contenders = plan.contenders_of([library.name for library in found], options.orders, options.seeds,
                                    options.instrumented, options.regions)
    for line in left_out:
        mpi.note(f"npb: {line}")
    return plan.plan_runs(cases, contenders, options.repeats, not options.no_probe, options.peer_ranks)


def session_record(options, found, versions):
    return {
        "kind": "session", "version": VERSION, "tree": machine.source_version(),
        "command": shlex.join(["npb", *options.arguments]), "machine": machine.describe(),
        "libraries": {library.name: {"version": versions[library.name], "launcher": " ".join(library.launcher),
                                     "compiler": library.cxx} for library in found},
        "flags": shlex.join([*build.FLAGS, *options.flags]), "repeats": options.repeats,
        "timeout": options.timeout,
        "time": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
    }


def print_runs(runs):
    for run in runs:
        print(f"round {run.number}: {plan.describe(*run.case.key())}, {plan.label(*run.contender.key())}")
    print(f"{len(runs)} runs")


def nothing_found(options):
    wanted = [*options.mpi, *(["channels"] if options.regions else [])]
    if not wanted:
        return "no library was asked for"
    ours = any(name not in mpi.PEERS for name in wanted)
    hint = "; ./quickstart --no-run makes DetMPI, --dist=DIR says where it is" if ours else ""
    return f"none of these was found: {', '.join(wanted)}{hint}"


def act_run(options):
    programs = benchmarks.find_benchmarks()
    found = mpi.find_libraries(options.mpi, options.dist, "npb")
    if options.regions:
        found += filter(None, [channels.find_channels(options.dist)])
    if not found:
        raise UsageError(nothing_found(options))
    if options.given_only and not options.bin_dir:
        raise UsageError("--given-only needs --bin-dir")
    chosen = [programs[name] for name in options.benchmarks or programs]
    runs = plan_of(options, found, chosen)
    if not runs:
        raise UsageError("nothing to run: no case fits these benchmarks, classes, ranks and libraries")
    if options.dry_run:
        print_runs(runs)
        return 0
    file = results.ResultFile(options.out, options.resume, options.retry)
    try:
        return run_session(options, runs, found, chosen, file)
    finally:
        file.close()
        mpi.note(f"npb: results are in {options.out}")


def run_session(options, runs, found, chosen, file):
    builder = build.Builder(found, options.build_dir, options.flags)
    cases = list({run.case.key(): run.case for run in runs}.values())
    contenders = list({run.contender.key(): run.contender for run in runs}.values())
    executables, counters = build.build_all(builder, chosen, cases, contenders, not options.no_probe or options.own_time)
    versions = {library.name: machine.version_of(library) for library in found}
    switch_ns = machine.switch_ns(builder.switches()) if options.own_time else None
    tools = execute.Tools(found, {program.name: program for program in chosen}, executables, counters, versions,
                          options.own_time, switch_ns)
    file.write(session_record(options, found, versions) | {"switch_ns": switch_ns})
    runs = [run for run in runs if tools.executable(run)]
    execute.Series(runs, tools, file, progress.Progress(), options.timeout).run_all()
    everything = summary.Summary([results.read_records(options.out)])
    print(tables.markdown(everything))
    return EXIT_FAILED if file.bad or builder.failures or everything.unsteady() else 0


# --- report ----------------------------------------------------------------------------------------------


def check_outputs(outputs, inputs):
    """Before anything is written: results took hours, and a page in their place is soon asked for by mistake."""
    for path in outputs:
        if path.exists() and any(path.samefile(each) for each in inputs):
            raise UsageError(f"{path} is one of the files of results: they are not written over")


def outputs_of(options, drawn):
    found = [options.out]
    if options.markdown and options.markdown != "-":
        found.append(pathlib.Path(options.markdown))
    if options.plots:
        found += [options.plots, *(path for plot in drawn for path in plot.files(options.plots))]
    return found


def write(path, text):
    """Names of files may hold what is no text."""
    path.write_text(text, encoding="utf-8", errors="backslashreplace")


def act_report(options):
    everything = summary.Summary([results.read_records(path) for path in options.results])
    if not everything.samples:
        raise UsageError("there are no results in " + ", ".join(map(str, options.results)))
    can_plot = plots.is_available()
    drawn = plots.all_plots(everything) if can_plot else []
    if not can_plot:
        mpi.note(f"npb: {plots.MISSING}")
    check_outputs(outputs_of(options, drawn), options.results)
    files = [str(path) for path in options.results]
    write(options.out, report.page(everything, drawn, files, "" if can_plot else plots.MISSING))
    mpi.note(f"npb: the page is {options.out}")
    if options.plots and can_plot:
        options.plots.mkdir(parents=True, exist_ok=True)
        for plot in drawn:
            plot.save(options.plots)
    if options.markdown == "-":
        print(tables.markdown(everything))
    elif options.markdown:
        write(pathlib.Path(options.markdown), tables.markdown(everything))
    return EXIT_FAILED if options.plots and not can_plot else 0


# --- list ------------------------------------------------------------------------------------------------


def act_list(options):
    print("benchmarks:")
    for program in benchmarks.find_benchmarks().values():
        variants = "  named, wildcard" if benchmarks.WILDCARD in program.variants else ""
        print(f"  {program.name:4} ranks: {benchmarks.rank_rule(program.name)}{variants}")
    print("libraries:")
    for library in mpi.find_libraries(mpi.LIBRARIES, options.dist, "npb"):
        print(f"  {library.name:8} {machine.version_of(library) or '?':8} {library.launcher[0]}")
    print("modes of detmpi:\n  --orders logical,arrival   --seeds N,...   --instrumented")
    print(f"modes of SPMC memory:\n  --regions {','.join(plan.REGION_MODES)}")
    if options.bin_dir:
        executables, complaints = benchmarks.find_given(options.bin_dir)
        print(f"executables in {options.bin_dir}:")
        for given in executables:
            under = ", ".join(name for name in mpi.LIBRARIES if given.runs_under(name))
            ranks = f"{given.ranks} ranks" if given.ranks else "any ranks"
            print(f"  {given.path.name:12} class {given.problem_class}, {ranks}, runs under {under}")
        for line in complaints:
            mpi.note(f"npb: {line}")
    return 0


def interrupted(number, _):
    raise SystemExit(128 + number)


def main(arguments=None):
    arguments = sys.argv[1:] if arguments is None else arguments
    options = make_parser(list(benchmarks.find_benchmarks())).parse_args(arguments)
    options.arguments = arguments
    signal.signal(signal.SIGTERM, interrupted)
    try:
        return options.act(options)
    except (UsageError, results.ResultError) as error:
        mpi.note(f"npb: {error}")
        return EXIT_USAGE
    except OSError as error:
        mpi.note(f"npb: {error}")
        return EXIT_FAILED
    except KeyboardInterrupt:
        mpi.note("npb: interrupted; --resume continues")
        return 128 + signal.SIGINT
