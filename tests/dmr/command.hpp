// The command `dmr`, and a text for it to read.
#pragma once

#include <catch2/catch.hpp>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "folder.hpp"
#include "support/run_child.hpp"

namespace dmr_test {

inline std::vector<std::string> dmr_command(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), std::getenv("DMR_COMMAND"));
  return arguments;
}
inline test_support::RunResult run_dmr(std::vector<std::string> arguments, const std::string& input = "") {
  return test_support::run_command(dmr_command(std::move(arguments)), input);
}
// The same where `shell` runs "$@", with what it puts before or behind that.
inline test_support::RunResult run_dmr_in(const std::string& shell, const std::vector<std::string>& arguments,
                                          const std::string& input = "") {
  std::vector<std::string> command = {"sh", "-c", shell, "sh"};
  for (const std::string& word : dmr_command(arguments)) command.push_back(word);
  return test_support::run_command(command, input);
}
// The message of a command that must end with this exit status. CHECKs that, and that there is no output.
inline std::string message_of_failure(const std::vector<std::string>& arguments, int exit_code) {
  const auto run = run_dmr(arguments);
  INFO(run.err);
  CHECK(run.exit_code == exit_code);
  CHECK(run.out.empty());
  return run.err;
}

// Words of a text of about so many bytes, the same in every call.
inline std::string words(size_t bytes) {
  std::string text;
  uint64_t state = 1;
  while (text.size() < bytes) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const uint64_t word = (state >> 40) % 5000 * ((state >> 20) % 100) / 100;
    for (uint64_t rest = word + 1; rest > 0; rest /= 7) text += "Aeiokt'"[rest % 7];
    text += state >> 60 == 0 ? '\n' : ' ';
  }
  return text + "\n";
}

}  // namespace dmr_test
