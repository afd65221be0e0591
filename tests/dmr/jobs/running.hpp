// Runs the jobs of the command `dmr`, on files that a test makes.
#pragma once

#include <catch2/catch.hpp>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "../command.hpp"
#include "../root.hpp"

namespace dmr_jobs_test {

using dmr_test::Folder;
using dmr_test::Random;
using dmr_test::run_dmr;
using Arguments = std::vector<std::string>;

// What the job prints. CHECKs that it is the same for several numbers of workers and for little memory, and that
// nothing is said on standard error.
std::string same_output(const Arguments& arguments);

// The message of a job that must fail with this exit status and no output. CHECKs that it is the same for several
// numbers of workers, but for which worker it was; that is told of one alone.
std::string failure(const Arguments& arguments, int exit_code = 1);

// The bytes of numbers as they lie in memory.
template <typename Number>
std::string bytes_of(const std::vector<Number>& numbers) {
  static_assert(std::is_trivially_copyable_v<Number>);
  return std::string(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Number));
}

std::vector<std::string> split(std::string_view text, char at);

// A number from -1 to 1 with all its bits.
double any_double(Random& random);
// Shortest that is read back as the same.
std::string shortest(double number);
// A line for every row of a matrix.
std::string lines_of(const std::vector<double>& numbers, size_t columns, std::string_view between = " ");

}  // namespace dmr_jobs_test
