"""The benchmarks over channels of SPMC memory, as DetMPI was in paper 004: for npb one more library, with the modes of the
memory as its modes. A program is its own launcher (channels/launch.cpp)."""

import pathlib

from libraries import Library, find_program, note
from runner.plan import CHANNELS

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "channels"


class Channels(Library):
    """`flags` and `extra` (what is compiled and linked with the program) are for the compiler."""

    def __init__(self, compiler, dist):
        super().__init__(CHANNELS, None, compiler, [])
        place = dist.resolve()
        self.flags = ["-Dmain=rank_main", f"-I{FOLDER}", f"-I{place / 'include' / 'dlinux'}"]
        self.depends = [*sorted(FOLDER.iterdir()), place / "lib" / "libdlinux.so"]
        self.extra = [*sorted(FOLDER.glob("*.cpp")), place / "lib" / "libdlinux.so", f"-Wl,-rpath,{place / 'lib'}"]


def find_channels(dist):
    """None if they are not there; then standard error says so."""
    compiler = find_program("g++")
    if compiler and (dist / "lib" / "libdlinux.so").is_file():
        return Channels(compiler, dist)
    note(f"npb: channels left out: {'libdlinux' if compiler else 'g++'} was not found")
    return None
