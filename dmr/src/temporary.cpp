#include <dmr/temporary.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <dmr/error.hpp>

namespace dmr {

using spmc::base::UniqueFd;

std::string temporary_folder(const std::string& wanted) {
  if (!wanted.empty()) return wanted;
  const char* const named = std::getenv("TMPDIR");
  return named != nullptr && *named != '\0' ? named : "/tmp";
}

UniqueFd temporary_file(const std::string& folder) {
  UniqueFd file(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (file.valid()) return file;
  // Where the file system has no files without a name.
  std::string name = folder + "/.dmr-XXXXXX";
  file.reset(::mkostemp(name.data(), O_CLOEXEC));
  if (!file.valid()) throw JobError(folder + ": no temporary file can be made: " + std::strerror(errno));
  ::unlink(name.c_str());
  return file;
}

}  // namespace dmr
