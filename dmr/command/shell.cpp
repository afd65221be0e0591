#include "shell.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <base/descendants.hpp>
#include <base/files.hpp>
#include <base/signals.hpp>
#include <base/sys.hpp>
#include <dmr/engine.hpp>

namespace dmr::command {

namespace base = spmc::base;

namespace {

constexpr uint64_t kLookNs = 5'000'000;  // how often a command is looked at that has a time limit

std::string name_of(const std::string& command) { return "the command '" + command + "'"; }

[[noreturn]] void fail(const std::string& who, const std::string& why) { throw JobError(who + ' ' + why); }

template <typename T>
T value_of(base::Result<T> result, const std::string& who) {
  if (!result) fail(who, "cannot be run: " + result.error().message());
  return std::move(result).value();
}

struct Pipe {
  base::UniqueFd from, to;
};

Pipe make_pipe(const std::string& who) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) fail(who, std::string("cannot be run: ") + std::strerror(errno));
  return {base::UniqueFd(ends[0]), base::UniqueFd(ends[1])};
}

pid_t start(const std::string& command, int input, int output, const Variables& variables) {
  const pid_t process = value_of(base::fork_tied(), name_of(command));
  if (process != 0) return process;
  for (const auto& [name, value] : variables) ::setenv(name.c_str(), value.c_str(), 1);
  for (const int ignored : {SIGPIPE, SIGXFSZ}) std::signal(ignored, SIG_DFL);  // in main
  char shell[] = "sh", option[] = "-c";
  std::string text = command;
  char* const arguments[] = {shell, option, text.data(), nullptr};
  if (base::make_standard_input(input) && base::make_standard_output(output)) (void)base::execute("/bin/sh", arguments);
  ::_exit(127);
}

// True: it has ended well. False: it has not ended yet (kPoll).
bool has_ended(pid_t process, base::WaitMode mode, const std::string& who) {
  for (;;) {
    auto waited = base::wait_child(process, mode);
    if (!waited && waited.error().code == EINTR) continue;
    const base::ExitReport end = value_of(std::move(waited), who);
    if (end.pid == 0) return false;
    if (end.signalled) fail(who, std::string("died of ") + base::signal_name(end.status));
    if (end.status != 0) fail(who, "ended with exit code " + std::to_string(end.status));
    return true;
  }
}

// In memory.
base::UniqueFd file_with(std::string_view bytes, const std::string& who) {
  const base::UniqueFd file = value_of(base::create_append_file("dmr-piece"), who);
  const base::Status wrote = base::write_all(file.get(), bytes.data(), bytes.size());
  if (!wrote) fail(who, std::string("gets no input: ") + std::strerror(wrote.error().code));
  return value_of(base::open_again(file.get()), who);
}

}  // namespace

void filter_through(const std::string& command, std::string_view input, const Variables& variables,
                    const TakeLine& take) {
  filter_through(command, outside_turn([&] { return file_with(input, name_of(command)); }), variables, take);
}

void filter_through(const std::string& command, base::UniqueFd input, const Variables& variables,
                    const TakeLine& take) {
  const std::string who = name_of(command);
  auto [pipe, process] = outside_turn([&] {
    Pipe made = make_pipe(who);
    const pid_t started = start(command, input.get(), made.to.get(), variables);
    return std::pair(std::move(made), started);
  });
  input.reset();
  pipe.to.reset();

  std::string bytes;
  size_t kept = 0;  // of a line that has not ended
  for (;;) {
    constexpr size_t kMost = 1 << 16;
    bytes.resize(kept + kMost);
    const ssize_t got = ::read(pipe.from.get(), bytes.data() + kept, kMost);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(who, std::string("gives no output: ") + std::strerror(errno));
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
  (void)has_ended(process, base::WaitMode::kBlock, who);
}

Sink::Sink(const Settings& settings, int output)
    : who_(settings.name + ": " + name_of(settings.command)), most_seconds_(settings.most_seconds), output_(output) {
  Pipe pipe = make_pipe(who_);
  process_ = start(settings.command, pipe.from.get(), output, {});
  to_ = std::move(pipe.to);
}

Sink::Sink(Sink&& other) noexcept
    : who_(std::move(other.who_)),
      buffer_(std::move(other.buffer_)),
      most_seconds_(other.most_seconds_),
      output_(other.output_),
      to_(std::move(other.to_)),
      process_(std::exchange(other.process_, 0)),
      moved_ns_(other.moved_ns_),
      written_(other.written_) {}

Sink::~Sink() {
  if (process_ != 0) base::end_descendants();
}

// After some time in which it could have done something.
void Sink::watch(bool has_moved) {
  if (!is_limited()) return;
  auto size = base::file_size(output_);
  const uint64_t now = base::monotonic_ns();
  if (has_moved || (size && size.value() != written_)) {
    moved_ns_ = now;
    if (size) written_ = size.value();
  }
  if (static_cast<double>(now - moved_ns_) * 1e-9 <= most_seconds_) return;
  char seconds[32];
  std::snprintf(seconds, sizeof seconds, "%g s", most_seconds_);
  fail(who_, std::string("has neither read nor written anything for ") + seconds);
}

// As much of them as it takes soon; without a time limit all.
base::Result<size_t> Sink::write_some(std::string_view bytes) {
  if (is_limited()) return base::write_ready(to_.get(), bytes.data(), bytes.size(), kLookNs);
  const base::Status wrote = base::write_all(to_.get(), bytes.data(), bytes.size());
  if (!wrote) return wrote.error();
  return bytes.size();
}

void Sink::flush() {
  moved_ns_ = base::monotonic_ns();
  for (std::string_view left = buffer_; to_.valid() && !left.empty();) {
    auto wrote = write_some(left);
    if (!wrote && wrote.error().code != EPIPE) {
      fail(who_, std::string("gets no input: ") + std::strerror(wrote.error().code));
    }
    if (!wrote) {
      to_.reset();
      break;
    }
    left.remove_prefix(wrote.value());
    if (!left.empty()) watch(wrote.value() > 0);
  }
  buffer_.clear();
}

void Sink::end_input() {
  flush();
  to_.reset();
}

void Sink::finish() {
  moved_ns_ = base::monotonic_ns();
  while (!has_ended(process_, is_limited() ? base::WaitMode::kPoll : base::WaitMode::kBlock, who_)) {
    base::sleep_ns(kLookNs);
    watch(false);
  }
  process_ = 0;
}

}  // namespace dmr::command
