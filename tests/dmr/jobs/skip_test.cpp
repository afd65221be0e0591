// dmr --skip: lines that are wrong are left out and told of, and the result is that of the others.
#include "running.hpp"

using namespace dmr_jobs_test;

namespace {

constexpr char kWrong[] = "3 four";

struct Job {
  Arguments before, behind;  // the file
  Arguments on(const std::string& file, const Arguments& options = {}) const {
    Arguments all = before;
    all.insert(all.end(), options.begin(), options.end());
    all.push_back(file);
    all.insert(all.end(), behind.begin(), behind.end());
    return all;
  }
};

std::vector<Job> jobs_on_pairs(const Folder& folder) {
  const std::string right = folder.file("right", "1 2 3\n4 5 6\n");
  return {{{"regression", "--format=text"}, {}}, {{"kmeans", "--means=3"}, {}}, {{"pca"}, {}}, {{"matmul"}, {right}}};
}

std::string pairs() {
  Random random(9);
  std::vector<double> numbers;
  while (numbers.size() < 4000) numbers.push_back(1e6 + any_double(random));
  return lines_of(numbers, 2);
}

// With a wrong line at a position at which a line begins.
std::string with_wrong(const std::string& text, size_t at) {
  return text.substr(0, at) + kWrong + '\n' + text.substr(at);
}

std::string complaint(const std::string& file, size_t at) {
  return "worker 0: 'four' is no number, in the map of " + file + ", bytes " + std::to_string(at) + " to " +
         std::to_string(at + sizeof kWrong - 1) + '\n';
}

}  // namespace

TEST_CASE("skip: a line that is wrong") {
  const Folder folder;
  const std::string good = pairs(), good_file = folder.file("good", good);
  for (const Job& job : jobs_on_pairs(folder)) {
    INFO(job.before[0]);
    const auto expected = run_dmr(job.on(good_file));
    CHECK(expected.exit_code == 0);
    CHECK(expected.out.size() > 10);
    for (const size_t at : {size_t{0}, good.find('\n', good.size() / 2) + 1, good.size()}) {
      const std::string file = folder.file("wrong", with_wrong(good, at));
      CHECK(failure(job.on(file)) == "dmr: " + complaint(file, at));
      for (const char* workers : {"-w1", "-w3"}) {
        const auto run = run_dmr(job.on(file, {workers, "--skip=1"}));
        CHECK(run.exit_code == 0);
        CHECK(run.err == "dmr: left out: " + complaint(file, at));
        CHECK((run.out == expected.out));
      }
    }
  }
}

TEST_CASE("skip: more lines are wrong than are left out") {
  const Folder folder;
  const std::string good = pairs();
  const std::string file = folder.file("wrong", with_wrong(with_wrong(good, good.size()), 0));
  for (const Job& job : jobs_on_pairs(folder)) {
    INFO(job.before[0]);
    CHECK(failure(job.on(file, {"--skip=1"})) ==
          "dmr: left out: " + complaint(file, 0) + "dmr: " + complaint(file, good.size() + sizeof kWrong));
    CHECK(run_dmr(job.on(file, {"--skip=2"})).exit_code == 0);
  }
}
