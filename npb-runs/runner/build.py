"""Compiles the programs for every library, and the counters; keeps what is still up to date."""

import pathlib
import shutil

from libraries import NO_CXX_BINDINGS, compile_program, note, shorten
from runner.plan import CHANNELS, INSTRUMENTED

FLAGS = ["-std=c++20", "-O3", "-march=native"]
HERE = pathlib.Path(__file__).resolve().parent
COUNTERS = [HERE / f"{part}.c" for part in ("counters", "copies", "trace")]
COUNTERS_DEPEND = [*COUNTERS, HERE / "copies.h", HERE / "trace.h"]
COUNTER_FLAGS = ["-std=c11", "-O2", "-fPIC", "-shared"]
SWITCHES = HERE / "switches.c"


class Builder:
    """Programs by the names of their builds, in `folder`."""

    def __init__(self, libraries, folder, flags):
        self.libraries = {library.name: library for library in libraries}
        self.folder = folder
        self.flags = flags
        self.failures = []  # lines

    def program(self, benchmark, build):
        """The executable, None if it cannot be made."""
        library = self.libraries[build.removesuffix(f"-{INSTRUMENTED}")]
        if library.name == CHANNELS:
            return self.make(f"{benchmark.name}.{build}", library.cxx, [*FLAGS, *self.flags, *library.flags],
                             [*benchmark.sources, *library.extra], [*benchmark.depends, *library.depends])
        if not library.cxx:
            self.fail(f"{library.name}: no C++ compiler wrapper, {benchmark.name} left out")
            return None
        flags = [*FLAGS, *self.flags, *NO_CXX_BINDINGS] + (["--instrument"] if build != library.name else [])
        return self.make(f"{benchmark.name}.{build}", library.cxx, flags, benchmark.sources, benchmark.depends)

    def counters(self, library_name):
        """The library to be preloaded, None if it cannot be made."""
        library = self.libraries[library_name]
        return self.make(f"counters.{library_name}.so", library.cc, COUNTER_FLAGS, COUNTERS, COUNTERS_DEPEND)

    def switches(self):
        """The program that measures how fast a core changes from process to process, None if it cannot be made."""
        compiler = shutil.which("cc")
        return self.make("switches", compiler, ["-std=c11", "-O2"], [SWITCHES], [SWITCHES]) if compiler else None

    def make(self, name, compiler, flags, sources, depends):
        target = self.folder / name
        stamp = self.folder / f"{name}.command"
        command = " ".join([compiler, *flags, *map(str, sources)])
        if is_current(target, stamp, command, [*depends, pathlib.Path(compiler)]):
            return target
        self.folder.mkdir(parents=True, exist_ok=True)
        stamp.unlink(missing_ok=True)
        note(f"npb: building {name}")
        complaint = compile_program(compiler, flags, target, sources)
        if complaint is not None:
            self.fail(f"{name} does not build: {shorten(complaint, 1000)}")
            return None
        stamp.write_text(command, encoding="utf-8")
        return target

    def fail(self, text):
        note(f"npb: {text}")
        self.failures.append(text)


def is_current(target, stamp, command, depends):
    if not target.is_file() or not stamp.is_file() or stamp.read_text(encoding="utf-8") != command:
        return False
    made = stamp.stat().st_mtime
    return all(path.stat().st_mtime <= made for path in depends)


def build_all(builder, programs, cases, contenders, probe):
    """`(program name, build)` -> executable, and `library` -> counters, for the cases of programs of this tree."""
    wanted = {case.benchmark for case in cases if case.given is None}
    builds = dict.fromkeys(contender.build() for contender in contenders)
    found = {(program.name, build): builder.program(program, build)
             for program in programs if program.name in wanted for build in builds}
    libraries = dict.fromkeys(contender.library for contender in contenders) if probe and wanted else ()
    return found, {library: builder.counters(library) for library in libraries if library != CHANNELS}
