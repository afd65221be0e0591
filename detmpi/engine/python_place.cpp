#include "python_place.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <string_view>

namespace detmpi {
namespace {

// Of the interpreter, if there is one: what its faulthandler prints after a crash, for which no lock of its is needed.
using ThisThread = void* (*)();
using DumpTraceback = void (*)(int fd, void* thread);

std::string traceback() {
  const auto this_thread = reinterpret_cast<ThisThread>(::dlsym(RTLD_DEFAULT, "PyGILState_GetThisThreadState"));
  const auto dump = reinterpret_cast<DumpTraceback>(::dlsym(RTLD_DEFAULT, "_Py_DumpTraceback"));
  if (this_thread == nullptr || dump == nullptr) return {};
  void* const thread = this_thread();
  int ends[2];
  if (thread == nullptr || ::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return {};
  dump(ends[1], thread);  // what finds no room in the pipe is of outer functions
  ::close(ends[1]);
  char text[4096];
  const ssize_t bytes = ::read(ends[0], text, sizeof text);
  ::close(ends[0]);
  return bytes > 0 ? std::string(text, static_cast<size_t>(bytes)) : std::string();
}

std::string between(const std::string& text, std::string_view before, std::string_view after, size_t& at) {
  const size_t begin = text.find(before, at);
  if (begin == std::string::npos) return {};
  const size_t from = begin + before.size(), end = text.find(after, from);
  if (end == std::string::npos) return {};
  at = end;
  return text.substr(from, end - from);
}

}  // namespace

bool has_python() { return ::dlsym(RTLD_DEFAULT, "PyGILState_GetThisThreadState") != nullptr; }

// The innermost one stands first: `  File "script.py", line 12 in exchange`.
std::string python_place() {
  const std::string text = traceback();
  size_t at = 0;
  const std::string file = between(text, "File \"", "\", line ", at);
  const std::string line = between(text, "\", line ", " in ", at);
  const std::string function = between(text, " in ", "\n", at);
  if (file.empty() || line.empty() || function.empty()) return {};
  return file + ":" + line + " in " + function;
}

}  // namespace detmpi
