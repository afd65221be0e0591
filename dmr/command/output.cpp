#include "output.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include <base/files.hpp>
#include <dmr/error.hpp>
#include <dmr/temporary.hpp>

namespace dmr::command {

namespace base = spmc::base;

namespace {

[[noreturn]] void fail(const std::string& name, const char* what, int error = errno) {
  throw JobError(name + ": " + what + ": " + std::strerror(error));
}

void write_all(int file, std::string_view bytes, const std::string& name) {
  const base::Status wrote = base::write_all(file, bytes.data(), bytes.size());
  if (!wrote) fail(name, "writing", wrote.error().code);
}

// All of a temporary file.
template <typename Take>
void each_block(int file, Take&& take) {
  std::string bytes(1 << 18, '\0');
  for (uint64_t at = 0;;) {
    auto got = base::read_at(file, at, bytes.data(), bytes.size());
    if (!got) fail("a temporary file", "reading", got.error().code);
    if (got.value() == 0) return;
    take(std::string_view(bytes).substr(0, got.value()));
    at += got.value();
  }
}

// Until it has its own; a job may have several outputs.
std::string name_beside(const std::string& folder) {
  static int number = 0;
  return folder + "/.dmr-" + std::to_string(::getpid()) + '-' + std::to_string(number++);
}

}  // namespace

void Output::choose_place(const Arguments& arguments) {
  struct stat info;
  if (arguments.output.empty()) {
    stream_ = STDOUT_FILENO;
    name_ = "standard output";
  } else if (::stat(name_.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) {
    opened_.reset(::open(name_.c_str(), O_WRONLY | O_CLOEXEC));
    if (!opened_.valid()) fail(name_, "opening");
    stream_ = opened_.get();
  } else {
    // What a link leads to is the file, not the link.
    std::error_code error;
    const auto target = std::filesystem::canonical(name_, error);
    if (!error) name_ = target;
  }
  const size_t slash = name_.rfind('/');
  if (is_copied()) folder_ = temporary_folder(arguments.options.temporary_folder);
  else folder_ = slash == name_.npos ? "." : name_.substr(0, slash + 1);
}

Output::Output(const Arguments& arguments) : name_(arguments.output) {
  choose_place(arguments);
  if (is_copied()) file_ = temporary_file(folder_);
  else open_beside();
}

void Output::open_beside() {
  file_.reset(::open(folder_.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0666));
  if (file_.valid()) return;
  // Where the file system has no files without a name.
  beside_ = name_beside(folder_);
  file_.reset(::open(beside_.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0666));
  if (!file_.valid()) {
    beside_.clear();
    fail(folder_, "making a file");
  }
}

Output::~Output() {
  if (!beside_.empty()) ::unlink(beside_.c_str());
}

void Output::flush() {
  write_all(file_.get(), buffer_, is_copied() ? folder_ : name_);
  buffer_.clear();
}

void Output::complete() {
  flush();
  if (is_copied()) copy_to_stream();
  else rename_to_name();
}

void Output::copy_to_stream() {
  each_block(file_.get(), [this](std::string_view block) { write_all(stream_, block, name_); });
}

void Output::write_file(int file) {
  each_block(file, [this](std::string_view block) { write(block); });
}

void Output::rename_to_name() {
  if (beside_.empty()) {
    const std::string wanted = name_beside(folder_);
    const std::string open_file = "/proc/self/fd/" + std::to_string(file_.get());
    if (::linkat(AT_FDCWD, open_file.c_str(), AT_FDCWD, wanted.c_str(), AT_SYMLINK_FOLLOW) != 0) {
      fail(wanted, "naming the output");
    }
    beside_ = wanted;
  }
  if (::rename(beside_.c_str(), name_.c_str()) != 0) fail(name_, "renaming the output");
  beside_.clear();
}

void finish(Output& output, const Arguments& arguments, const char* job, const Statistics& statistics) {
  write_statistics(arguments, job, statistics);
  output.complete();
}

}  // namespace dmr::command
