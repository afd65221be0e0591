#include "shell.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

#include <base/files.hpp>
#include <base/signals.hpp>
#include <base/sys.hpp>
#include <dmr/error.hpp>

namespace dmr::command {

namespace base = spmc::base;

namespace {

[[noreturn]] void fail(const std::string& command, const std::string& why) {
  throw JobError("the command '" + command + "' " + why);
}

template <typename T>
T value_of(base::Result<T> result, const std::string& command) {
  if (!result) fail(command, "cannot be run: " + result.error().message());
  return std::move(result).value();
}

struct Pipe {
  base::UniqueFd from, to;
};

Pipe make_pipe(const std::string& command) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) fail(command, std::string("cannot be run: ") + std::strerror(errno));
  return {base::UniqueFd(ends[0]), base::UniqueFd(ends[1])};
}

pid_t start(const std::string& command, int input, int output, const Variables& variables) {
  const pid_t process = value_of(base::fork_tied(), command);
  if (process != 0) return process;
  for (const auto& [name, value] : variables) ::setenv(name.c_str(), value.c_str(), 1);
  std::signal(SIGPIPE, SIG_DFL);
  char shell[] = "sh", option[] = "-c";
  std::string text = command;
  char* const arguments[] = {shell, option, text.data(), nullptr};
  if (base::make_standard_input(input) && base::make_standard_output(output)) (void)base::execute("/bin/sh", arguments);
  ::_exit(127);
}

void await(pid_t process, const std::string& command) {
  for (;;) {
    auto waited = base::wait_child(process, base::WaitMode::kBlock);
    if (!waited && waited.error().code == EINTR) continue;
    const base::ExitReport end = value_of(std::move(waited), command);
    if (end.signalled) fail(command, std::string("died of ") + base::signal_name(end.status));
    if (end.status != 0) fail(command, "ended with exit code " + std::to_string(end.status));
    return;
  }
}

}  // namespace

void filter_through(const std::string& command, std::string_view input, const Variables& variables,
                    const std::function<void(std::string_view line)>& take) {
  const base::UniqueFd file = value_of(base::create_append_file("dmr-piece"), command);
  const base::Status wrote = base::write_all(file.get(), input.data(), input.size());
  if (!wrote) fail(command, std::string("gets no input: ") + std::strerror(wrote.error().code));
  const base::UniqueFd its_input = value_of(base::open_again(file.get()), command);
  Pipe pipe = make_pipe(command);
  const pid_t process = start(command, its_input.get(), pipe.to.get(), variables);
  pipe.to.reset();

  std::string bytes;
  size_t kept = 0;  // of a line that has not ended
  for (;;) {
    constexpr size_t kMost = 1 << 16;
    bytes.resize(kept + kMost);
    const ssize_t got = ::read(pipe.from.get(), bytes.data() + kept, kMost);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(command, std::string("gives no output: ") + std::strerror(errno));
    if (got == 0) break;
    const std::string_view read(bytes.data(), kept + static_cast<size_t>(got));
    size_t at = 0;
    for (size_t end; (end = read.find('\n', std::max(at, kept))) != read.npos; at = end + 1) {
      take(read.substr(at, end - at));
    }
    kept = read.size() - at;
    bytes.erase(0, at);
  }
  if (kept > 0) take(std::string_view(bytes.data(), kept));
  await(process, command);
}

Sink::Sink(const std::string& command, int output) : command_(command) {
  base::ignore_broken_pipes();
  Pipe pipe = make_pipe(command);
  process_ = start(command, pipe.from.get(), output, {});
  to_ = std::move(pipe.to);
}

Sink::Sink(Sink&& other) noexcept
    : command_(std::move(other.command_)),
      buffer_(std::move(other.buffer_)),
      to_(std::move(other.to_)),
      process_(std::exchange(other.process_, 0)) {}

Sink::~Sink() {
  if (process_ == 0) return;
  (void)base::send_signal(process_, SIGKILL);
  (void)base::wait_child(process_, base::WaitMode::kBlock);
}

void Sink::flush() {
  if (to_.valid()) {
    const base::Status wrote = base::write_all(to_.get(), buffer_.data(), buffer_.size());
    if (!wrote && wrote.error().code == EPIPE) to_.reset();
    else if (!wrote) fail(command_, std::string("gets no input: ") + std::strerror(wrote.error().code));
  }
  buffer_.clear();
}

void Sink::finish() {
  flush();
  to_.reset();
  await(std::exchange(process_, 0), command_);
}

void end_orphans() {
  // Children of a dead one become ours (adopt_orphans), so that there may be more after each look.
  for (;;) {
    std::ifstream list("/proc/self/task/" + std::to_string(base::process_id()) + "/children");
    const std::vector<pid_t> children{std::istream_iterator<pid_t>(list), {}};
    if (children.empty()) return;
    for (const pid_t child : children) {
      (void)base::send_signal(child, SIGKILL);
      (void)base::wait_child(child, base::WaitMode::kBlock);
    }
  }
}

}  // namespace dmr::command
