// CHECK stays on in release builds. A failed check ends the space with a message that names the place and the context
// (space, logical time) that the upper layers registered. Async-signal-safe: it writes with write(2) only.
#pragma once

#include <cstddef>
#include <cstdint>

namespace spmc::base {

// Writes a short description of where we are ("space 3, time 17") into buf; returns its length.
// Registered by the layer that knows; must be async-signal-safe.
using ContextHook = size_t (*)(char* buf, size_t size);
void set_context_hook(ContextHook hook);

// Exit status of a space that broke a rule of the substrate (see docs): distinct from what programs use.
inline constexpr int kViolationExit = 118;
inline constexpr int kCheckExit = 119;

// Prints "DLinux: <context>: <message>\n" to standard error, async-signal-safe formatting (%s %d %u %x %p %zu %lu
// only).
void complain(const char* format, ...) __attribute__((format(printf, 1, 2)));

[[noreturn]] void check_failed(const char* expression, const char* file, int line, const char* format, ...)
    __attribute__((format(printf, 4, 5)));

// Ends the space at once with `status`, running no exit handlers.
[[noreturn]] void die(int status);

}  // namespace spmc::base

#define CHECK(condition, ...)                                                     \
  do {                                                                            \
    if (!(condition)) [[unlikely]]                                                \
      ::spmc::base::check_failed(#condition, __FILE__, __LINE__, "" __VA_ARGS__); \
  } while (false)
