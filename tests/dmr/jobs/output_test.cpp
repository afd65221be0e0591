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

TEST_CASE("output: a link to a file that is not there yet stays one") {
  const Folder folder;
  const std::string link = folder.path("link"), second = folder.path("second");
  std::filesystem::create_directory(folder.path("there"));
  std::filesystem::create_symlink("there/target", link);
  std::filesystem::create_symlink(link, second);
  CHECK(run_dmr({"wordcount", "-o", second}, kText).exit_code == 0);
  CHECK(std::filesystem::is_symlink(link));
  CHECK(std::filesystem::is_symlink(second));
  CHECK(folder.read("there/target") == kCounts);
  std::filesystem::create_symlink("circle", folder.path("circle"));
  CHECK(run_dmr({"wordcount", "-o", folder.path("circle")}, kText).exit_code == 1);
  CHECK(std::filesystem::is_symlink(folder.path("circle")));
}

TEST_CASE("output: a file that was there keeps its mode") {
  const Folder folder;
  const std::string file = folder.file("out", "old");
  for (const mode_t mode : {0600u, 0644u, 0755u, 0666u}) {
    REQUIRE(chmod(file.c_str(), mode) == 0);
    CHECK(run_dmr({"wordcount", "-o", file}, kText).exit_code == 0);
    struct stat info;
    REQUIRE(stat(file.c_str(), &info) == 0);
    CHECK((info.st_mode & 07777) == mode);
  }
  CHECK(folder.read("out") == kCounts);
}

TEST_CASE("output: names that an earlier run has left are passed over") {
  const Folder folder;
  // The name has the number of the process, which a shell knows beforehand.
  const std::string leave = "for i in 0 1 2 3; do echo left > " + folder.path() + "/.dmr-$$-$i; done; exec \"$@\"";
  std::vector<std::string> shell = {"sh", "-c", leave, "sh"};
  for (const std::string& word : dmr_test::dmr_command({"wordcount", "-o", folder.path("out")})) shell.push_back(word);
  const auto run = test_support::run_command(shell, kText);
  CHECK(run.exit_code == 0);
  CHECK(run.err.empty());
  CHECK(folder.read("out") == kCounts);
  CHECK(folder.entries() == 5);
}

TEST_CASE("output: a name that is too long is told of before the work") {
  const Folder folder;
  const std::string name = folder.path(std::string(300, 'n'));
  const auto run = run_dmr({"wordcount", "-o", name}, kText);
  CHECK(run.exit_code == 1);
  CHECK(run.err == "dmr: " + name + ": opening: File name too long\n");
}

TEST_CASE("output: nothing is lost when standard output takes nothing") {
  for (const char* to : {">/dev/full", ">&-", "1</dev/null"}) {
    INFO(to);
    for (const Arguments& arguments :
         {Arguments{"wordcount"}, Arguments{"--help"}, Arguments{"--version"}, Arguments{"wordcount", "--help"}}) {
      std::vector<std::string> shell = {"sh", "-c", std::string("\"$@\" ") + to, "sh"};
      for (const std::string& word : dmr_test::dmr_command(arguments)) shell.push_back(word);
      const auto run = test_support::run_command(shell, kText);
      CHECK(run.exit_code == 1);
      CHECK(run.err.starts_with("dmr: standard output: "));
    }
  }
  // A pipe that nobody reads any more.
  const auto run = test_support::run_command(
      {"sh", "-c", "(sleep 0.2; \"$@\"; echo $? >&2) | true", "sh", dmr_test::dmr_command({})[0], "wordcount"}, kText);
  CHECK(run.err == "dmr: standard output: writing: Broken pipe\n1\n");
}

TEST_CASE("output: a folder is an error") {
  const Folder folder;
  const std::string place = folder.path("place");
  std::filesystem::create_directory(place);
  const auto run = run_dmr({"wordcount", "-o", place}, kText);
  CHECK(run.exit_code == 1);
  CHECK(run.err == "dmr: " + place + ": opening: Is a directory\n");
}
