"""The machine, its system, and the versions of what is compared."""

import os
import pathlib
import platform
import re
import subprocess

from libraries import ROOT, find_program
from runner import VERSION


def first_match(pattern, text):
    match = re.search(pattern, text, re.MULTILINE)
    return match.group(1).strip().strip('"') if match else None


def file_text(path):
    try:
        return pathlib.Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def said_by(*command):
    """Standard output of a command, empty if there is no such command."""
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=20).stdout
    except (OSError, subprocess.TimeoutExpired):
        return ""


def describe():
    memory = first_match(r"^MemTotal:\s+(\d+)", file_text("/proc/meminfo"))
    return {
        "processor": first_match(r"^model name\s*:(.*)$", file_text("/proc/cpuinfo")) or platform.machine(),
        "cores": len(os.sched_getaffinity(0)),
        "memory_mib": int(memory) // 1024 if memory else None,
        "virtual": "hypervisor" in file_text("/proc/cpuinfo"),
        "kernel": platform.release(),
        "system": first_match(r"^PRETTY_NAME=(.*)$", file_text("/etc/os-release")),
        "compiler": (said_by("g++", "--version").splitlines() or [None])[0],
        "python": platform.python_version(),
        "load": os.getloadavg()[0],
    }


def switch_ns(program):
    """How long a core takes to change from process to process, None if `program` (switches.c) is none or fails."""
    text = said_by(str(program)).strip() if program else ""
    return int(text) if text.isdigit() else None


def version_of(library):
    """The version of an MPI library, None if it does not tell."""
    if not library.launcher:
        return VERSION
    text = said_by(library.launcher[0], "--version")
    if library.name == "mpich":
        return first_match(r"Version:\s*(\S+)", text) or first_match(r"MPICH Version:\s*(\S+)", said_by(
            find_program("mpichversion") or "mpichversion"))
    return first_match(r"(\d+\.\d+[.\w]*)", text)


def source_version():
    """The commit of the tree, None without git."""
    return said_by("git", "-C", str(ROOT), "describe", "--always", "--dirty").strip() or None
