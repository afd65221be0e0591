// dmr: deterministic MapReduce from the command line.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>

#include <base/descendants.hpp>
#include <base/files.hpp>
#include <base/signals.hpp>
#include <base/unique_fd.hpp>
#include <dmr/engine.hpp>

#include "command.hpp"

namespace dmr::command {

namespace {

struct Job {
  const char* name;
  const char* what;
  int (*run)(int argc, char** argv);
  bool runs_commands = false;  // of the user's
};
constexpr Job kJobs[] = {
    {"wordcount", "how often each word is in a text", word_count},
    {"histogram", "how often each colour is in images", histogram},
    {"regression", "the line through points", regression},
    {"kmeans", "means of groups of points", kmeans},
    {"stringmatch", "where keys are in files", string_match},
    {"matmul", "the product of two matrices", matrix_product},
    {"pca", "mean, covariance and principal components", pca},
    {"index", "which files link to what, or have which words", reverse_index},
    {"run", "commands of the shell as map and reduction (Hadoop Streaming)", run, true},
};

void print_usage(FILE* to) {
  std::fprintf(to,
               "Usage: dmr JOB [OPTION...] [FILE...]\nDeterministic MapReduce: the same output in every run, for any "
               "number of workers.\n\n");
  for (const Job& job : kJobs) std::fprintf(to, "  %-14s%s\n", job.name, job.what);
  std::fprintf(to, "\ndmr JOB --help tells more of a job. dmr --version prints the version.\n");
}

// Executed a second time, the program and what it runs have addresses that repeat (space_init). On those nothing of the
// ready jobs depends, and it takes a millisecond.
void begin(const Job& job) {
  constexpr const char* kOnce = "DLINUX_NO_REEXEC";
  const bool once = !job.runs_commands && std::getenv(kOnce) == nullptr;
  if (once) ::setenv(kOnce, "1", 1);
  dmr::init();
  if (once) ::unsetenv(kOnce);
  spmc::base::end_descendants_on_signals();
}

int run_job(int argc, char** argv) {
  if (argc < 2) {
    print_usage(stderr);
    return kUsageExit;
  }
  if (std::strcmp(argv[1], "--help") == 0) {
    print_usage(stdout);
    return 0;
  }
  if (std::strcmp(argv[1], "--version") == 0) {
    std::printf("dmr (DLinux) %s\n", DLINUX_VERSION);
    return 0;
  }
  for (const Job& job : kJobs) {
    if (std::strcmp(argv[1], job.name) != 0) continue;
    begin(job);
    return job.run(argc - 1, argv + 1);
  }
  std::fprintf(stderr, "dmr: there is no job '%s'; dmr --help lists them\n", argv[1]);
  return kUsageExit;
}

// Standard input and output that are closed cannot be read from and written to from now on, also after the program has
// been executed again: that is an error then, and neither an empty input nor an output that gets lost.
void keep_closed() {
  const auto is_closed = [](int file) { return ::fcntl(file, F_GETFD) < 0; };
  const auto nothing = [](int way) { return spmc::base::UniqueFd(::open("/dev/null", way | O_CLOEXEC)); };
  const bool no_input = is_closed(STDIN_FILENO), no_output = is_closed(STDOUT_FILENO);
  spmc::base::open_standard_files();
  const spmc::base::UniqueFd unreadable = nothing(O_WRONLY), unwritable = nothing(O_RDONLY);
  if (no_input && unreadable.valid()) (void)spmc::base::make_standard_input(unreadable.get());
  if (no_output && unwritable.valid()) (void)spmc::base::make_standard_output(unwritable.get());
}

// The exit status of a job that has ended with `status`.
int flush_output(int status) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return status;
  std::fprintf(stderr, "dmr: standard output: writing: %s\n", std::strerror(errno));
  return kJobFailedExit;
}

int run_main(int argc, char** argv) {
  try {
    const int status = run_job(argc, argv);
    spmc::base::end_descendants();
    return flush_output(status);
  } catch (const Printed&) {
    return flush_output(0);
  } catch (const UsageError& error) {
    std::fprintf(stderr, "dmr: %s; try dmr %s --help\n", error.what.c_str(), argv[1]);
    return kUsageExit;
  } catch (const std::exception& error) {
    spmc::base::end_descendants();
    clear_progress();
    std::fprintf(stderr, "dmr: %s\n", error.what());
    return kJobFailedExit;
  }
}

}  // namespace
}  // namespace dmr::command

int main(int argc, char** argv) {
  dmr::command::keep_closed();
  spmc::base::spare_present_children();
  spmc::base::ignore_broken_pipes();
  std::signal(SIGXFSZ, SIG_IGN);  // a file that gets too large is an error (EFBIG)
  return dmr::command::run_main(argc, argv);
}
