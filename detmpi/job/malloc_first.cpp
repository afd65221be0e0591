#include "malloc_first.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <system_error>

#include "mpich_names.hpp"
#include "needed_libraries.hpp"

namespace detmpi {
namespace {

constexpr const char* kList = "LD_PRELOAD";  // heap/preload.c takes it off again

// Where execvp finds it: a name without a slash in one of the folders of PATH.
std::string file_of(const std::string& program) {
  const char* folders = std::getenv("PATH");
  if (program.find('/') != program.npos || folders == nullptr) return program;
  std::istringstream path(folders);
  for (std::string folder; std::getline(path, folder, ':');) {
    const std::string file = (std::filesystem::path(folder) / program).string();
    if (::access(file.c_str(), X_OK) == 0) return file;
  }
  return program;
}

bool brings_sanitizer(const char* program) {
  return std::ranges::any_of(needed_libraries(file_of(program)), [](const std::string& name) {
    return name.find("asan") != name.npos || name.find("tsan") != name.npos || name.find("lsan") != name.npos;
  });
}

}  // namespace

void put_malloc_first(const char* program) {
  const std::filesystem::path folder = mpich_names_folder();
  std::string list = (folder.parent_path() / "libdetmpi-malloc.so").string();
  std::error_code ignored;
  if (folder.empty() || !std::filesystem::exists(list, ignored)) return;
  if (list.find_first_of(" :") != list.npos) return;  // which would be two names
  if (brings_sanitizer(program)) return;
  if (const char* others = std::getenv(kList); others != nullptr && *others != '\0') {
    list.insert(0, std::string(others) + ":");
  }
  ::setenv(kList, list.c_str(), 1);
}

}  // namespace detmpi
