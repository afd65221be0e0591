#include <dmr/temporary.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <base/files.hpp>
#include <dmr/error.hpp>

namespace dmr {

using spmc::base::UniqueFd;

std::string temporary_folder(const std::string& wanted) {
  if (!wanted.empty()) return wanted;
  const char* const named = std::getenv("TMPDIR");
  return named != nullptr && *named != '\0' ? named : "/tmp";
}

namespace {

UniqueFd open_without_name(const std::string& folder) {
  UniqueFd file(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (file.valid()) return file;
  // Where the file system has no files without a name.
  std::string name = folder + "/.dmr-XXXXXX";
  file.reset(::mkostemp(name.data(), O_CLOEXEC));
  if (file.valid()) ::unlink(name.c_str());
  return file;
}

}  // namespace

UniqueFd temporary_file(const std::string& folder) {
  UniqueFd file = spmc::base::above_standard_files(open_without_name(folder));
  if (!file.valid()) throw JobError(folder + ": no temporary file can be made: " + std::strerror(errno));
  return file;
}

}  // namespace dmr
