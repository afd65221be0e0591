#include "running.hpp"

#include <charconv>
#include <optional>
#include <regex>

#include "../workers.hpp"

namespace dmr_jobs_test {

std::string same_output(const Arguments& arguments) {
  std::optional<std::string> first;
  for (const int workers : dmr_test::kWorkers) {
    for (const char* memory : {"-m1G", "-m1M"}) {
      Arguments all = arguments;
      all.insert(all.begin() + 1, {"-w" + std::to_string(workers), memory});
      const auto run = run_dmr(all);
      INFO(arguments[0] << " -w" << workers << ' ' << memory << ": " << run.err);
      CHECK(run.exit_code == 0);
      CHECK(run.err.empty());
      if (!first) first = run.out;
      const bool same = run.out == first;  // not shown: it may be long
      CHECK(same);
    }
  }
  return *first;
}

namespace {

// Which worker has a piece depends on how many there are.
std::string without_workers(const std::string& message) {
  return std::regex_replace(message, std::regex("worker [0-9]+:"), "worker:");
}

}  // namespace

std::string failure(const Arguments& arguments, int exit_code) {
  std::optional<std::string> first;
  for (const int workers : dmr_test::kWorkers) {
    Arguments all = arguments;
    all.insert(all.begin() + 1, "-w" + std::to_string(workers));
    const std::string message = dmr_test::message_of_failure(all, exit_code);
    if (!first) first = message;
    CHECK(without_workers(message) == without_workers(*first));
  }
  return *first;
}

std::vector<std::string> split(std::string_view text, char at) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == at) parts.emplace_back();
    else parts.back() += c;
  }
  return parts;
}

double any_double(Random& random) {
  return static_cast<double>(random.below(1ull << 31)) / (1 << 30) - 1 +
         static_cast<double>(random.below(1000)) * 1e-14;
}

std::string shortest(double number) {
  char text[32];
  return std::string(text, std::to_chars(text, text + sizeof text, number).ptr);
}

std::string lines_of(const std::vector<double>& numbers, size_t columns, std::string_view between) {
  std::string text;
  for (size_t i = 0; i < numbers.size(); ++i) {
    text += shortest(numbers[i]);
    text += (i + 1) % columns == 0 ? "\n" : between;
  }
  return text;
}

}  // namespace dmr_jobs_test
