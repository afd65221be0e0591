// The same output whatever the scheduler does, and nothing left when processes are killed.
#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <random>
#include <set>
#include <thread>

#include "../determinism/disturb.hpp"
#include "../detmpi/running.hpp"
#include "command.hpp"
#include "support/sanitized.hpp"

using namespace dmr_test;
using determinism_test::kDisturbances;
using determinism_test::run_disturbed;

namespace {

// DMR_SEEDS in the environment: how often each way of disturbing is tried.
uint64_t seeds(uint64_t usual) {
  const char* const wanted = std::getenv("DMR_SEEDS");
  if (wanted != nullptr) return std::strtoull(wanted, nullptr, 10);
  return test_support::kAddressSanitizer ? (usual + 2) / 3 : usual;
}

// Runs the command in each way of being disturbed, so many `times` each, by 2, 3 and 8 workers in turns; all outputs
// that were seen.
std::set<std::string> outputs(const std::vector<std::string>& arguments, uint64_t times) {
  constexpr const char* kWorkers[] = {"2", "3", "8"};
  static size_t turn = 0;
  ++turn;  // else a way of disturbing would have the same number in every job
  std::set<std::string> seen;
  for (const auto& how : kDisturbances) {
    for (uint64_t seed = 1; seed <= times; ++seed) {
      const std::string workers = kWorkers[turn++ % std::size(kWorkers)];
      auto command = dmr_command(arguments);
      command.push_back("--workers=" + workers);
      const auto run = run_disturbed(how, command, seed);
      INFO(how.name << ", seed " << seed << ", " << workers << " workers\n" << run.err);
      CHECK(run.exit_code == 0);
      seen.insert(run.out);
    }
  }
  return seen;
}

}  // namespace

TEST_CASE("counting words under disturbance") {
  const Folder folder;
  const std::string file = folder.file("text", words(4 << 20));
  const std::string expected = run_dmr({"wordcount", "-w", "1", file}).out;
  CHECK(expected.size() > 10000);
  CHECK((outputs({"wordcount", "--memory=1M", file}, seeds(9)) == std::set{expected}));
}

TEST_CASE("every other job under disturbance") {
  const Folder folder;
  const std::string text = folder.file("text", words(1 << 20));
  // 16384 points of two bytes each, and as many lines of four numbers.
  std::string bytes, rows;
  for (uint64_t i = 0; i < 1 << 14; ++i) {
    bytes += {static_cast<char>(i * 37 % 251), static_cast<char>(i * i % 241)};
    for (const uint64_t factor : {3, 5, 7, 11})
      rows += std::to_string(1.0 / static_cast<double>(1 + i * factor % 97)) + ' ';
    rows.back() = '\n';
  }
  const std::string points = folder.file("points", bytes), matrix = folder.file("matrix", rows);
  // A bitmap of 64 by 85 pixels.
  std::string image = "BM" + std::string(8, '\0') + std::string("\x36\0\0\0\x28\0\0\0\x40\0\0\0\x55\0\0\0\1\0\x18", 19);
  image.resize(54);
  for (size_t i = 0; i < 64 * 85 * 3; ++i) image += static_cast<char>(i * i % 253);
  const std::string right = folder.file("right", "1 0.1 0.3\n0.7 1 0.9\n0.2 0.6 1\n5 0.4 1\n");
  const std::vector<std::string> jobs[] = {
      {"histogram", folder.file("image", image), folder.path("image")},
      {"regression", points},
      {"kmeans", "--means=5", "--iterations=2", matrix},
      {"matmul", matrix, right},
      {"pca", "--components=2", matrix},
      {"stringmatch", "--words", "--key=e", "--key=oi", "--positions", text},
      {"index", "--words", text, right},
  };
  for (const auto& job : jobs) {
    const auto plain = run_dmr(job);
    INFO(job[0] << ": " << plain.err);
    CHECK(plain.out.size() > 50);
    CHECK((outputs(job, seeds(1)) == std::set{plain.out}));
  }
}

TEST_CASE("commands under disturbance") {
  const Folder folder;
  const std::string file = folder.file("text", words(1 << 20));
  const std::vector<std::string> job = {"run", "--split=128K", "--map=tr ' ' '\\n'", "--reduce=uniq -c", file};
  const std::string expected = run_dmr(job).out;
  CHECK(expected.size() > 10000);
  CHECK((outputs(job, seeds(3)) == std::set{expected}));
}

TEST_CASE("the disturbance is noticed by a job that is not deterministic") {
  const Folder folder;
  const std::string file = folder.file("text", words(1 << 20)), log = folder.path("log");
  // Each part asks how many have come before it.
  const std::string map = "echo >> " + log + "; echo $mapreduce_map_input_start $(wc -l < " + log + ")";
  std::set<std::string> seen;
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    folder.file("log", "");
    const auto& how = kDisturbances[seed % std::size(kDisturbances)];
    seen.insert(run_disturbed(how, dmr_command({"run", "--workers=4", "--split=32K", "--map=" + map, file}), seed).out);
  }
  CHECK(seen.size() > 1);
}

namespace {

std::vector<int> children_of(int process) {
  std::ifstream list("/proc/" + std::to_string(process) + "/task/" + std::to_string(process) + "/children");
  return {std::istream_iterator<int>(list), {}};
}

bool tells_of_killed_worker(const test_support::RunResult& end) {
  const bool in_piece = end.err.starts_with("dmr: worker ") && end.err.find(": died of SIGKILL") != std::string::npos;
  return end.exit_code == 1 && (in_piece || end.err == "dmr: a worker, outside of any piece: died of SIGKILL\n");
}

}  // namespace

TEST_CASE("whoever is killed at whatever moment, there is no part of an output, and nothing is left") {
  const Folder folder;
  const std::string file = folder.file("text", words(6 << 20)), out = folder.path("out");
  const auto job_to_kill =
      dmr_command({"wordcount", "--workers=3", "--memory=1M", "--temporary=" + folder.path(), "-o", out, file});
  const mpi_test::Stopwatch watch;
  CHECK(test_support::run_command(job_to_kill).exit_code == 0);
  const double usual_us = watch.seconds() * 1e6;
  const std::string expected = folder.read("out");
  CHECK((expected == run_dmr({"wordcount", file}).out));
  fs::remove(out);

  const unsigned seed = std::random_device{}();
  INFO("seed " << seed);
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> any_moment(0, 1.5 * usual_us);
  int failed = 0, done = 0;
  for (int i = 0; i < 40; ++i) {
    const bool root = i % 4 == 0;
    const auto moment = std::chrono::microseconds(static_cast<int64_t>(any_moment(random)));
    mpi_test::Running job(job_to_kill);
    std::this_thread::sleep_for(moment);
    const auto workers = children_of(job.pid());
    if (root) job.signal(SIGKILL);
    else if (!workers.empty()) kill(workers[random() % workers.size()], SIGKILL);
    const auto end = job.finish();
    INFO((root ? "root" : "worker") << " after " << moment.count() << " us: " << end.exit_code << "\n" << end.err);
    const bool complete = fs::exists(out);
    ++(complete ? done : failed);
    if (complete) CHECK((folder.read("out") == expected));
    if (!complete && root) CHECK(end.signal == SIGKILL);
    if (!complete && !root) CHECK(tells_of_killed_worker(end));
    if (end.exit_code == 0) CHECK(complete);
    CHECK(mpi_test::all_gone(workers));
    fs::remove(out);
    CHECK(folder.entries() == 1);
  }
  CHECK(failed > 0);
  CHECK(done > 0);
}
