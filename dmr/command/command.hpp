// What the jobs of the command `dmr` have in common: options, input, output, statistics.
#pragma once

#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <base/unique_fd.hpp>
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

struct Arguments {
  Options options;
  std::string output;              // "": standard output
  std::string statistics_file;     // "": none; "-": standard error
  std::vector<std::string> files;  // none, or "-": standard input
};

// Parses argv[1...]; --help prints `help` and the options that all jobs have, and exits. Throws UsageError.
Arguments parse(int argc, char** argv, const char* help, const std::vector<Option>& more = {});

// Numbers as people write them: 12, and 64K, 256M, 4G for sizes in bytes. Throw UsageError, which names the option.
uint64_t parse_count(const char* option, const std::string& text, uint64_t least, uint64_t most);
uint64_t parse_size(const char* option, const std::string& text);
double parse_seconds(const char* option, const std::string& text);

// The files, or standard input.
Input open_input(const Arguments& arguments, Records records, uint64_t piece_bytes = kPieceBytes);

// The output of a job: it appears when it is complete, or not at all. A file is written beside and then renamed; what
// is for standard output, a device or a pipe is kept until then, and copied: these are never replaced.
class Output {
 public:
  explicit Output(const Arguments& arguments);  // throws JobError
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  void write(std::string_view bytes) {
    buffer_ += bytes;
    if (buffer_.size() >= kBufferBytes) flush();
  }
  void write_file(int file);  // all that is in it
  void complete();

 private:
  static constexpr size_t kBufferBytes = 1 << 16;
  void flush();
  void choose_place(const Arguments& arguments);
  void copy_to_stream();
  void rename_to_name();

  std::string name_, folder_, beside_;  // beside_: where it lies until then, if it has a name
  int file_ = -1;
  int stream_ = -1;  // to which it is copied; -1: it is renamed
  std::string buffer_;
};

// A file without a name, for output that is not yet in its place. Throws JobError.
spmc::base::UniqueFd temporary_output(const Arguments& arguments);

// Of one job after the other.
void add_statistics(const Statistics& next, Statistics& to);
// Writes them where --statistics asks for them.
void write_statistics(const Arguments& arguments, const char* job, const Statistics& statistics);

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
