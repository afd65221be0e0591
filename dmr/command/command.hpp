// What the jobs of the command `dmr` have in common: options, input, statistics.
#pragma once

#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <dmr/input.hpp>
#include <dmr/options.hpp>

namespace dmr::command {

inline constexpr int kJobFailedExit = 1, kUsageExit = 2;

// Something is wrong with the command line: main says so, and exits with kUsageExit.
struct UsageError {
  std::string what;
};

// An option of one job's, besides those that all have.
struct Option {
  const char* name;         // "top"
  bool takes_value = true;  // `--top=10`, `--top 10`
  std::function<void(const std::string& value)> take;
};

// What was asked for, like the help, is printed.
struct Printed {};

struct Arguments {
  Options options;
  std::string output;              // "": standard output
  std::string statistics_file;     // "": none; "-": standard error
  std::vector<std::string> files;  // none, or "-": standard input
  bool writes_statistics_file() const { return !statistics_file.empty() && statistics_file != "-"; }
};

// Parses argv[1...]. Throws UsageError, and Printed: --help prints `help` and the options that all jobs have.
Arguments parse(int argc, char** argv, const char* help, const std::vector<Option>& more = {});

// Numbers as people write them: 12, and 64K, 256M, 4G for sizes in bytes. Throw UsageError, which names the option.
uint64_t parse_count(const char* option, const std::string& text, uint64_t least, uint64_t most);
uint64_t parse_size(const char* option, const std::string& text);
double parse_seconds(const char* option, const std::string& text);

// The name of a file to write, which may not be "": where a variable of a script has nothing in it, standard output is
// not meant. Throws UsageError.
std::string parse_file(const char* option, const std::string& text);

// Throws UsageError where two files that a job writes are the same. `other` may be "", standard output.
void check_different(const char* what, const std::string& file, const char* other_what, const std::string& other);

// A progress that is shown gives way to a message.
void clear_progress();

// The files, or standard input.
Input open_input(const Arguments& arguments, Records records, uint64_t piece_bytes = kPieceBytes);

// Of one job after the other.
void add_statistics(const Statistics& next, Statistics& to);
// Writes them where --statistics asks for them. Throws JobError.
void write_statistics(const Arguments& arguments, const char* job, const Statistics& statistics);
// For jobs over what the input became: they need all of it.
Options without_skipping(const Options& options);
// For jobs of so few keys that to start a reducer takes longer than to reduce them.
Options with_one_reducer(const Options& options);

// The jobs: what main calls with their own arguments; the result is the exit status.
int word_count(int argc, char** argv);
int run(int argc, char** argv);
int histogram(int argc, char** argv);
int regression(int argc, char** argv);
int kmeans(int argc, char** argv);
int string_match(int argc, char** argv);
int matrix_product(int argc, char** argv);
int pca(int argc, char** argv);
int reverse_index(int argc, char** argv);

}  // namespace dmr::command
