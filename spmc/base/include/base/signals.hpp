// Signals taken synchronously, as a monitor wants them; and reports of crashes.
#pragma once

#include <csignal>
#include <cstdint>
#include <initializer_list>

#include <base/result.hpp>

namespace spmc::base {

struct SignalReport {
  int number = 0;             // 0: the time was up
  bool from_process = false;  // sent by a process (kill), not by the terminal or the kernel
};

// The signals are held back from now on, to be taken by wait_signal. One that is ignored, as SIGHUP is under nohup,
// stays so; but SIGCHLD is held back anyhow. Returns the mask there was.
sigset_t hold_signals(std::initializer_list<int> signals);
void restore_signal_mask(const sigset_t& mask);
// Writing to a pipe that nobody reads is the error EPIPE from now on, no signal.
void ignore_broken_pipes();
// Blocks until one of the signals held back arrives, at most `timeout_ns` (0: for ever).
SignalReport wait_signal(std::initializer_list<int> signals, uint64_t timeout_ns);

// What a crash handler learns.
struct Crash {
  static constexpr uintptr_t kNoAddress = ~uintptr_t{0};
  int signal = 0;
  uintptr_t address = kNoAddress;  // that was touched
  uintptr_t place = 0;             // of the instruction; if that is in a library, of its call in the program
};
using CrashHook = void (*)(const Crash&);
// Calls `hook` on a stack of its own when the process crashes (SEGV, BUS, FPE, ILL, ABRT, TRAP, SYS, or PIPE, XFSZ,
// XCPU, which a call of the system or a loop of its own brings on it), then `last`, and lets it die of the signal. The
// hook may be called a second time, with a better place. Leaves signals alone for which there is a handler already, but
// for that of Fortran's runtime library, which comes after this.
void report_crashes(CrashHook hook, void (*last)());

// The place from which this function was called, through whatever functions of this library and of that of `ours`; 0 if
// it is not known. Not async-signal-safe.
uintptr_t caller_outside(const void* ours);

// "function+0x12 in /path/of/object", or the object and offset alone. Not async-signal-safe in the strict sense (it
// asks the dynamic linker); meant for the end of a crashed process.
void describe_place(uintptr_t place, char* text, unsigned long size);
// Room for that with the longest path.
inline constexpr unsigned long kPlaceBytes = 4096 + 512;
// "/path/of/object+0x1234", as debuggers look it up, whatever the folder that they are in; empty if it is not known, or
// longer than there is room for. As safe as describe_place.
void describe_offset(uintptr_t place, char* text, unsigned long size);

// Ends the process with `status` after so many seconds, whatever it does: for an end that runs code of others.
void die_after(unsigned seconds, int status);

const char* signal_name(int signal);  // "SIGSEGV"; a number's text for others

}  // namespace spmc::base
