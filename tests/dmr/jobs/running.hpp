// Runs the jobs of the command `dmr`, whose path is in the environment (DMR), on files that a test makes.
#pragma once

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "../root.hpp"

namespace dmr_jobs_test {

using dmr_test::Random;
using Arguments = std::vector<std::string>;

// For the files of one test; gone at its end.
class Folder {
 public:
  Folder();
  ~Folder();
  // Makes the file; its path. The name may lie in folders, which are made.
  std::string file(const std::string& name, const std::string& content) const;
  std::string path(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

test_support::RunResult run_dmr(const Arguments& arguments, const std::string& input = "");

// What the job prints. CHECKs that it is the same for several numbers of workers and for little memory, and that
// nothing is said on standard error.
std::string same_output(const Arguments& arguments);

// The message of a job that must fail with this exit status, for any number of workers; no output.
std::string failure(const Arguments& arguments, int exit_code = 1);

// The bytes of numbers as they lie in memory.
template <typename Number>
std::string bytes_of(const std::vector<Number>& numbers) {
  static_assert(std::is_trivially_copyable_v<Number>);
  return std::string(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Number));
}

std::vector<std::string> split(std::string_view text, char at);
std::string read_file(const std::string& path);

// A number from -1 to 1 with all its bits.
double any_double(Random& random);
// Shortest that is read back as the same.
std::string shortest(double number);

}  // namespace dmr_jobs_test
