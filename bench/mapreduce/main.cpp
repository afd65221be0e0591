// mapreduce_threads JOB THREADS ARGUMENT...: one job on threads; prints what `dmr JOB` prints.
#include <cstring>

#include "common.hpp"

namespace {

struct Job {
  const char* name;
  const char* arguments;
  int count;  // of arguments, at least
  void (*run)(size_t threads, threads::Arguments arguments);
};
constexpr Job kJobs[] = {
    {"wordcount", "FILE...", 1, threads::word_count},
    {"histogram", "FILE...", 1, threads::histogram},
    {"regression", "FILE...", 1, threads::regression},
    {"stringmatch", "FILE KEY...", 2, threads::string_match},
    {"kmeans", "FILE DIMENSIONS MEANS ITERATIONS", 4, threads::kmeans},
    {"matmul", "LEFT RIGHT INNER", 3, threads::matrix_product},
    {"pca", "FILE COLUMNS", 2, threads::pca},
    {"index", "FILE...", 1, threads::reverse_index},
};

}  // namespace

int main(int argc, char** argv) {
  for (const Job& job : kJobs) {
    if (argc < 3 + job.count || std::strcmp(argv[1], job.name) != 0) continue;
    const size_t threads = std::max<size_t>(threads::number_of(argv[2]), 1);
    job.run(threads, {argv + 3, static_cast<size_t>(argc - 3)});
    return std::fflush(stdout) == 0 ? 0 : 1;
  }
  for (const Job& job : kJobs) std::fprintf(stderr, "mapreduce_threads %s THREADS %s\n", job.name, job.arguments);
  return 2;
}
