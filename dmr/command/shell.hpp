// Commands of the shell as maps and reductions. The shell of each dies with its parent; for what it has started itself
// see base/descendants.hpp.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <base/result.hpp>
#include <base/unique_fd.hpp>

namespace dmr::command {

using Variables = std::vector<std::pair<std::string, std::string>>;  // of the environment

using TakeLine = std::function<void(std::string_view line)>;

// Runs `command` with `input` as its standard input; take(line) gets each line of its standard output, without its end.
// Blocks until it has ended. Throws JobError when it ends badly; in a map, that it cannot be started is no failure of
// the map's (outside_turn).
void filter_through(const std::string& command, std::string_view input, const Variables& variables,
                    const TakeLine& take);
// The same with a file that is open at its start.
void filter_through(const std::string& command, spmc::base::UniqueFd input, const Variables& variables,
                    const TakeLine& take);

// A command that reads what is written to it, and writes to a file.
class Sink {
 public:
  struct Settings {
    std::string name;  // for messages, like "reducer 0"
    std::string command;
    double most_seconds = 0;  // that it may neither read nor write when it could; 0: no limit
  };
  // `output` lives as long as this. Throws JobError.
  Sink(const Settings& settings, int output);
  Sink(Sink&& other) noexcept;
  // One that was not finished takes all processes with it that this one has started (end_descendants), before it could
  // take its input for the whole.
  ~Sink();

  // What it does not want to read is dropped. These throw JobError, finish also when the command ends badly.
  void write(std::string_view bytes) {
    buffer_ += bytes;
    if (buffer_.size() >= kBufferBytes) flush();
  }
  void end_input();
  void finish();  // after end_input; waits for its end

 private:
  static constexpr size_t kBufferBytes = 1 << 16;
  void flush();
  bool is_limited() const { return most_seconds_ > 0; }
  spmc::base::Result<size_t> write_some(std::string_view bytes);
  void watch(bool has_moved);

  std::string who_, buffer_;
  double most_seconds_;
  int output_;
  spmc::base::UniqueFd to_;
  pid_t process_ = 0;                    // 0: it has ended
  uint64_t moved_ns_ = 0, written_ = 0;  // when it has last done something; the size of its output then
};

}  // namespace dmr::command
