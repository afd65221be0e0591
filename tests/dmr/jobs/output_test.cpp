// Where the output of a job goes: what is no regular file is written to and never replaced.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "running.hpp"

using namespace dmr_jobs_test;

namespace {

constexpr char kText[] = "b a b\n", kCounts[] = "a\t1\nb\t2\n";

}  // namespace

TEST_CASE("output: a file, new or there before") {
  const Folder folder;
  for (int i = 0; i < 2; ++i) {
    CHECK(run_dmr({"wordcount", "-o", folder.path("out")}, i == 0 ? "other" : kText).exit_code == 0);
  }
  CHECK(folder.read("out") == kCounts);
  CHECK(run_dmr({"wordcount", "-o", folder.path("none/out")}, kText).exit_code == 1);
}

TEST_CASE("output: a pipe stays one") {
  const Folder folder;
  const std::string pipe = folder.path("pipe");
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  const int end = open(pipe.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);  // so that nobody waits
  REQUIRE(end >= 0);
  const auto run = run_dmr({"wordcount", "-o", pipe}, kText);
  CHECK(run.exit_code == 0);
  CHECK(run.out.empty());
  struct stat info;
  REQUIRE(stat(pipe.c_str(), &info) == 0);
  CHECK(S_ISFIFO(info.st_mode));
  char bytes[100];
  const ssize_t got = read(end, bytes, sizeof bytes);
  close(end);
  REQUIRE(got > 0);
  CHECK(std::string(bytes, static_cast<size_t>(got)) == kCounts);
}

TEST_CASE("output: a link stays one") {
  const Folder folder;
  const std::string target = folder.file("there/target", "old"), link = folder.path("link");
  std::filesystem::create_symlink("there/target", link);
  CHECK(run_dmr({"wordcount", "-o", link}, kText).exit_code == 0);
  CHECK(std::filesystem::is_symlink(link));
  CHECK(folder.read("there/target") == kCounts);
}

TEST_CASE("output: a folder is an error") {
  const Folder folder;
  const std::string place = folder.path("place");
  std::filesystem::create_directory(place);
  const auto run = run_dmr({"wordcount", "-o", place}, kText);
  CHECK(run.exit_code == 1);
  CHECK(run.err == "dmr: " + place + ": opening: Is a directory\n");
}
