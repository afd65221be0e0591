"""Runs one job at a time, and leaves no process behind however it ends."""

import contextlib
import ctypes
import os
import pathlib
import re
import resource
import select
import signal
import subprocess
import sys
import tempfile
import time
import typing

from libraries import note, shorten

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
GRACE_SECONDS = 5
LIBC = ctypes.CDLL(None)


class Outcome:
    """`failure` is one line, None after a success; `usage` adds up all processes of the job.

    `output` and `errors` are texts, in which bytes that are none are replaced; `output_bytes` are for comparisons.
    """

    def __init__(self, seconds, output, errors, code, usage, output_bytes=b""):
        self.seconds = seconds
        self.output = output
        self.output_bytes = output_bytes
        self.errors = errors
        self.code = code  # exit status; None after a timeout
        self.usage = usage
        self.failure = None


def descendants(pid):
    """The process and all below it."""
    found, left = [], [pid]
    while left:
        one = left.pop()
        found.append(one)
        try:
            left += [int(child) for child in pathlib.Path(f"/proc/{one}/task/{one}/children").read_text().split()]
        except OSError:
            pass
    return found


class Memory(typing.NamedTuple):
    """KiB, pages that several processes share counted once (PSS).

    `own` leaves out pages of files: a file that is read through a mapping is in the system's cache anyhow, and whether
    a program lets go of pages behind it says nothing of what it needs.
    """

    whole: int
    own: int


def memory_of(pid):
    """Of the process and all below it."""
    sums = {"Pss": 0, "Pss_Anon": 0, "Pss_Shmem": 0}
    for one in descendants(pid):
        try:
            text = pathlib.Path(f"/proc/{one}/smaps_rollup").read_text()
        except OSError:
            continue
        for name, kib in re.findall(r"^(\w+):\s+(\d+)", text, re.MULTILINE):
            if name in sums:
                sums[name] += int(kib)
    return Memory(sums["Pss"], sums["Pss_Anon"] + sums["Pss_Shmem"])


def held_memory(pid):
    """KiB that the process and all below it hold, pages that several share counted once (the sum of their PSS)."""
    return memory_of(pid).whole


class PeakMemory:
    """The most that was held at once, in KiB; for run_command to watch."""

    def __init__(self):
        self.kib = 0

    def __call__(self, pid):
        self.kib = max(self.kib, held_memory(pid))


def prepare_child():
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def stop(process):
    """Ends a job and all its processes: a polite request first, so that the launcher can clean up."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, number)
            process.wait(GRACE_SECONDS)
        except (ProcessLookupError, subprocess.TimeoutExpired):
            pass


def end_orphans(known):
    """Kills what a job has left: launchers start ranks in sessions of their own, and orphans come to this process."""
    deadline = time.monotonic() + GRACE_SECONDS
    while time.monotonic() < deadline:
        left = set(descendants(os.getpid())[1:]) - known
        if not left:
            return
        for pid in left:
            try:
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, os.WNOHANG)
            except (ProcessLookupError, ChildProcessError):
                pass
        time.sleep(0.001)


def wait_for_end(process, timeout, watch):
    """Whether it ended in time. `watch(pid)` is called while it runs, as often as costs a tenth of the time at most."""
    deadline = time.monotonic() + timeout
    ended = select.poll()
    handle = os.pidfd_open(process.pid)
    try:
        ended.register(handle, select.POLLIN)
        pause = 0.01
        while time.monotonic() < deadline:
            left = max(0, deadline - time.monotonic())
            if ended.poll(1000 * (min(pause, left) if watch else left)):
                process.wait()
                return True
            if watch:
                begin = time.monotonic()
                watch(process.pid)
                pause = max(0.01, 10 * (time.monotonic() - begin))
        return False
    finally:
        os.close(handle)


def used_since(before):
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return {
        "user_seconds": round(after.ru_utime - before.ru_utime, 6),
        "system_seconds": round(after.ru_stime - before.ru_stime, 6),
        "page_faults": after.ru_minflt + after.ru_majflt - before.ru_minflt - before.ru_majflt,
        "context_switches": after.ru_nvcsw + after.ru_nivcsw - before.ru_nvcsw - before.ru_nivcsw,
    }


def run_command(command, timeout, environment=None, watch=None):
    """`environment` adds to that of this process."""
    LIBC.prctl(PR_SET_CHILD_SUBREAPER, 1)
    known = set(descendants(os.getpid())[1:])
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        start = time.perf_counter()
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=errors,
                                   env={**os.environ, **(environment or {})}, start_new_session=True,
                                   preexec_fn=prepare_child)
        try:
            in_time = wait_for_end(process, timeout, watch)
            seconds = time.perf_counter() - start
        finally:
            if process.poll() is None:
                stop(process)
            end_orphans(known)
        written = []
        for file in (output, errors):
            file.seek(0)
            written.append(file.read())
    code = process.returncode if in_time else None
    texts = [content.decode(errors="replace") for content in written]
    outcome = Outcome(seconds, *texts, code, used_since(before), output_bytes=written[0])
    if code is None:
        outcome.failure = f"timeout after {timeout:g} s"
    elif code != 0:
        outcome.failure = f"exit status {code}: {shorten(outcome.errors) or shorten(outcome.output)}"
    return outcome


def in_folder(options, compare, folder=None):
    """The exit status of compare(options, folder, file for raw results or None).

    The folder is a temporary one if none is given. Ctrl-C and SIGTERM end the comparison, and leave nothing behind.
    """
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        return in_folder_with_file(options, compare, folder)
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    except OSError as error:
        note(f"{pathlib.Path(sys.argv[0]).stem}: {error}")
        return 1


def in_folder_with_file(options, compare, folder):
    with tempfile.TemporaryDirectory(prefix="dlinux-bench-") as temporary:
        folder = pathlib.Path(folder or temporary).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        with open(options.out, "w", encoding="utf-8") if options.out else contextlib.nullcontext() as out:
            return compare(options, folder, out)
