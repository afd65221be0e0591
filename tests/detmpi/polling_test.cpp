// The hint that a job does nothing but poll for what does not come: once, for those jobs, which go on; for no other.
// All cases run at once, since each takes longer than the hint's five seconds.
#include <deque>

#include "run_mpi.hpp"
#include "running.hpp"
#include "support/leak_check.hpp"

using namespace mpi_test;

namespace {

constexpr const char* kSeconds = "9";

struct Case {
  std::string name;
  int ranks;
  const char* option;
  std::vector<std::string> hint;  // parts of the message; none: no message
};

const std::vector<Case> kCases = {
    {"iprobe_loop",
     3,
     "--start=fork",
     {"hint: all that happens is that rank 0 polls for what does not come; the job goes on\n",
      "  rank 0  MPI_Iprobe at ", "polls for a message from rank 1, tag 9, on MPI_COMM_WORLD\n",
      "  ranks 1, 2 are blocked\n"}},
    {"iprobe_loop", 3, "--start=exec", {"rank 0 polls", "polls for a message from rank 1, tag 9, on MPI_COMM_WORLD\n"}},
    {"wrong_tag",
     2,
     "--start=exec",
     {"polls for a message from any rank, tag 9", "has a message from rank 1 that no receive takes: tag 10"}},
    {"wrong_tags",
     2,
     "--start=exec",
     {"has a message from rank 0 that no receive takes: tag 10, on MPI_COMM_WORLD, sent at ",
      "has a message from rank 1 that no receive takes: tag 10, on MPI_COMM_WORLD, sent at "}},
    {"test_each_other",
     2,
     "--start=fork",
     {"ranks 0, 1 poll", "  rank 0  MPI_Test at ", "polls for a message from rank 1, tag 9",
      "polls for a message from rank 0, tag 9"}},
    {"other_computes", 2, "--start=fork", {}},
    {"other_makes_calls", 3, "--start=fork", {}},
    {"computes_between", 2, "--start=fork", {}},
    {"stopped", 2, "--order=arrival", {}},
};

size_t count_of(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

}  // namespace

TEST_CASE("jobs that do nothing but poll get a hint, others do not") {
  std::deque<Running> jobs;
  for (const Case& c : kCases) jobs.emplace_back(job(c.ranks, "polling", {c.option}, {c.name, kSeconds}));
  for (size_t i = 0; i < kCases.size(); ++i) {
    const Case& c = kCases[i];
    const RunResult result = jobs[i].finish();
    INFO(c.name << " " << c.option << ": " << result.err);
    CHECK(result.exit_code == 0);
    CHECK(result.out == "went on\n");
    CHECK(count_of(result.err, "detmpirun: hint: ") == (c.hint.empty() ? 0 : 1));
    for (const std::string& part : c.hint) {
      INFO("should contain: " << part);
      CHECK(count_of(result.err, part) == 1);
    }
    if (c.hint.empty()) CHECK(result.err.empty());
  }
}
