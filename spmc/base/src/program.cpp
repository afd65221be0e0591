#include <base/program.hpp>

#include <fcntl.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <vector>

#include <base/unique_fd.hpp>

namespace spmc::base {
namespace {

Result<std::string> read_arguments() {
  UniqueFd fd(::open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) return Error{errno, "reading the program's arguments"};
  std::string text;
  char buffer[4096];
  for (;;) {
    const ssize_t n = ::read(fd.get(), buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return Error{errno, "reading the program's arguments"};
    if (n == 0) return text;
    text.append(buffer, static_cast<size_t>(n));
  }
}

}  // namespace

std::string own_file() {
  char path[4096];
  const ssize_t n = ::readlink("/proc/self/exe", path, sizeof path - 1);
  if (n <= 0) return "/proc/self/exe";
  path[n] = 0;
  return ::access(path, X_OK) == 0 ? path : "/proc/self/exe";
}

Error execute_again(const char* variable) {
  auto arguments = read_arguments();
  if (!arguments) return arguments.error();
  std::string& text = arguments.value();
  std::vector<char*> argv;
  if (text.empty() || text.back() != '\0') text.push_back('\0');
  for (size_t at = 0; at < text.size(); at = text.find('\0', at) + 1) argv.push_back(&text[at]);
  argv.push_back(nullptr);
  std::string setting = std::string(variable) + "=1";
  std::vector<char*> environment;
  for (char** e = ::environ; *e != nullptr; ++e) environment.push_back(*e);
  environment.push_back(setting.data());
  environment.push_back(nullptr);
  const std::string file = own_file();  // so that the process keeps its name
  ::execve(file.c_str(), argv.data(), environment.data());
  return {errno, "executing the program again"};
}

bool runs_privileged() { return ::getauxval(AT_SECURE) != 0; }

}  // namespace spmc::base
