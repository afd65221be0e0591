// Commands of the shell as maps and reductions. Nobody outlives a command that was started: it dies with its parent.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <base/unique_fd.hpp>

namespace dmr::command {

using Variables = std::vector<std::pair<std::string, std::string>>;  // of the environment

// Runs `command` with `input` as its standard input; take(line) gets each line of its standard output, without its end.
// Blocks until it has ended. Throws JobError when it ends badly.
void filter_through(const std::string& command, std::string_view input, const Variables& variables,
                    const std::function<void(std::string_view line)>& take);

// A command that reads what is written to it, and writes to a file.
class Sink {
 public:
  // Throws JobError.
  Sink(const std::string& command, int output);
  Sink(Sink&& other) noexcept;
  ~Sink();

  // What it does not want to read is dropped.
  void write(std::string_view bytes) {
    buffer_ += bytes;
    if (buffer_.size() >= kBufferBytes) flush();
  }
  // Waits for its end. Throws JobError when it ends badly.
  void finish();

 private:
  static constexpr size_t kBufferBytes = 1 << 16;
  void flush();

  std::string command_, buffer_;
  spmc::base::UniqueFd to_;
  pid_t process_ = 0;  // 0: it has ended
};

// Ends all child processes of this one, and theirs: what commands that were killed have left behind. For when no space
// and no Sink is there any more.
void end_orphans();

}  // namespace dmr::command
