// Which libraries a program asks for, also of files that are no program, and of damaged ones.
#include "../../detmpi/job/needed_libraries.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

using detmpi::needed_libraries;

namespace {

std::string bytes_of(const std::string& path) {
  std::ostringstream bytes;
  bytes << std::ifstream(path, std::ios::binary).rdbuf();
  return bytes.str();
}

class File {
 public:
  explicit File(const std::string& bytes) { std::ofstream(path_, std::ios::binary) << bytes; }
  ~File() { std::filesystem::remove(path_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_ = std::filesystem::temp_directory_path() / ("needed." + std::to_string(::getpid()));
};

}  // namespace

TEST_CASE("a program asks for the C library") {
  const auto names = needed_libraries("/proc/self/exe");
  CHECK(std::ranges::count(names, "libc.so.6") == 1);
}

TEST_CASE("what is no program asks for nothing") {
  CHECK(needed_libraries("/no/such/file").empty());
  CHECK(needed_libraries("/").empty());
  const File pipe("");  // that nobody writes to
  std::filesystem::remove(pipe.path());
  REQUIRE(::mkfifo(pipe.path().c_str(), 0600) == 0);
  CHECK(needed_libraries(pipe.path()).empty());
  std::filesystem::remove(pipe.path());
  CHECK(needed_libraries(File("").path()).empty());
  CHECK(needed_libraries(File("#!/bin/sh\nexit\n").path()).empty());
}

TEST_CASE("damaged programs do no harm") {
  const std::string whole = bytes_of("/proc/self/exe").substr(0, 1 << 20);
  constexpr size_t kTables = 4096;  // at the beginning
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    std::string bytes = whole;
    if (round % 3 == 0) bytes.resize(random() % kTables);
    for (size_t left = 1 + random() % 20; left > 0 && !bytes.empty(); --left) {
      bytes[random() % std::min(bytes.size(), kTables)] = static_cast<char>(random());
    }
    for (const std::string& name : needed_libraries(File(bytes).path())) CHECK(name.size() < 256);
  }
}
