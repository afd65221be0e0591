// The command `dmr`, and files for it to read.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "support/run_child.hpp"

namespace dmr_test {

namespace fs = std::filesystem;

// A folder that is gone at the end.
class Folder {
 public:
  Folder() {
    std::string name = fs::temp_directory_path() / "dmr-test-XXXXXX";
    path_ = mkdtemp(name.data());
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string path(const std::string& name) const { return path_ / name; }
  std::string path() const { return path_; }
  // Makes the file, and the folders that its name lies in; its path.
  std::string file(const std::string& name, const std::string& content) const {
    fs::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::binary) << content;
    return path_ / name;
  }
  std::string read(const std::string& name) const {
    std::ifstream file(path_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  size_t entries() const { return static_cast<size_t>(std::distance(fs::directory_iterator(path_), {})); }

 private:
  fs::path path_;
};

inline std::vector<std::string> dmr_command(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), std::getenv("DMR_COMMAND"));
  return arguments;
}
inline test_support::RunResult run_dmr(std::vector<std::string> arguments, const std::string& input = "") {
  return test_support::run_command(dmr_command(std::move(arguments)), input);
}

// Words of a text of about so many bytes, the same in every call.
inline std::string words(size_t bytes) {
  std::string text;
  uint64_t state = 1;
  while (text.size() < bytes) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const uint64_t word = (state >> 40) % 5000 * ((state >> 20) % 100) / 100;
    for (uint64_t rest = word + 1; rest > 0; rest /= 7) text += "Aeiokt'"[rest % 7];
    text += state >> 60 == 0 ? '\n' : ' ';
  }
  return text + "\n";
}

}  // namespace dmr_test
