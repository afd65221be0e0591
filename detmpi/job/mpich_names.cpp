#include "mpich_names.hpp"

#include <base/program.hpp>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

namespace detmpi {
namespace {

constexpr const char* kSearchPath = "LD_LIBRARY_PATH";

}  // namespace

std::string mpich_names_folder() {
  const std::filesystem::path here = std::filesystem::path(spmc::base::own_file()).parent_path();
  for (const auto& folder : {here.parent_path() / DETMPI_MPICH_DIR, here / "mpich"}) {
    std::error_code ignored;
    if (std::filesystem::is_directory(folder, ignored)) return folder;
  }
  return "";
}

void offer_mpich_names() {
  std::string path = mpich_names_folder();
  if (path.empty()) return;
  if (const char* others = std::getenv(kSearchPath); others != nullptr && *others != '\0') {
    path += std::string(":") + others;
  }
  ::setenv(kSearchPath, path.c_str(), 1);
}

}  // namespace detmpi
