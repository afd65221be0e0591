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

// What a chain of links leads to, whether that is there or not.
std::string end_of_links(const std::string& name) {
  constexpr int kMostLinks = 40;
  std::filesystem::path path = name;
  std::error_code error;
  for (int i = 0; i < kMostLinks && std::filesystem::is_symlink(path, error); ++i) {
    path = path.parent_path() / std::filesystem::read_symlink(path, error);
  }
  return path;
}

// True: there is one.
bool look_at(const std::string& name, struct stat& info) {
  return (name.empty() ? ::fstat(STDOUT_FILENO, &info) : ::stat(name.c_str(), &info)) == 0;
}

}  // namespace

void Output::choose_place(const Arguments& arguments) {
  struct stat info;
  const bool is_there = look_at(arguments.output, info);
  if (arguments.output.empty()) {
    stream_ = STDOUT_FILENO;
    name_ = "standard output";
    if ((::fcntl(stream_, F_GETFL) & O_ACCMODE) == O_RDONLY) throw JobError(name_ + ": is not open for writing");
  } else if (is_there && !S_ISREG(info.st_mode)) {
    opened_.reset(::open(name_.c_str(), O_WRONLY | O_CLOEXEC));
    if (!opened_.valid()) fail(name_, "opening");
    stream_ = opened_.get();
  } else if (!is_there && errno != ENOENT) {
    fail(name_, "opening");
  } else {
    name_ = end_of_links(name_);  // the links stay
  }
  const size_t slash = name_.rfind('/');
  if (is_copied()) folder_ = temporary_folder(arguments.options.temporary_folder);
  else folder_ = slash == name_.npos ? "." : name_.substr(0, slash + 1);
}

Output::Output(const Arguments& arguments) : name_(arguments.output) {
  choose_place(arguments);
  if (!is_copied()) open_beside();
}

// Until it has its own. Calls make(name) with names that nobody has, as far as can be known: some may have been left by
// a process of the same number, and a job may have several outputs.
template <typename Make>
void Output::name_beside(Make&& make) {
  constexpr int kMostTries = 10000;
  for (int number = 0; number < kMostTries; ++number) {
    beside_ = folder_ + "/.dmr-" + std::to_string(::getpid()) + '-' + std::to_string(number);
    if (make(beside_.c_str())) return;
    if (errno != EEXIST) break;
  }
  beside_.clear();
  fail(folder_, "making a file");
}

void Output::open_beside() {
  // One that was there keeps its mode and, where that is allowed, its owner.
  struct stat before;
  const bool is_there = ::stat(name_.c_str(), &before) == 0;
  const mode_t mode = is_there ? 0600 : 0666;
  file_.reset(::open(folder_.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, mode));
  if (!file_.valid()) {
    // Where the file system has no files without a name.
    name_beside([&](const char* name) {
      file_.reset(::open(name, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, mode));
      return file_.valid();
    });
  }
  if (!is_there) return;
  [[maybe_unused]] const int kept = ::fchown(file_.get(), before.st_uid, before.st_gid);
  if (::fchmod(file_.get(), before.st_mode & 0777) != 0) fail(name_, "keeping its mode");
}

Output::~Output() {
  if (!beside_.empty()) ::unlink(beside_.c_str());
}

void Output::flush() {
  if (!file_.valid()) file_ = temporary_file(folder_);
  write_all(file_.get(), buffer_, is_copied() ? folder_ : name_);
  buffer_.clear();
}

void Output::complete(std::initializer_list<Output*> outputs) {
  for (Output* output : outputs) {
    if (!output->is_copied()) output->flush();
  }
  if (outputs.size() > 1) {
    for (Output* output : outputs) output->ensure_name();
  }
  for (Output* output : outputs) output->copy_to_stream();
  for (Output* output : outputs) output->appear();
}

void Output::copy_to_stream() {
  if (!is_copied()) return;
  if (file_.valid()) each_block(file_.get(), [this](std::string_view block) { write_all(stream_, block, name_); });
  write_all(stream_, buffer_, name_);
}

void Output::write_file(int file) {
  each_block(file, [this](std::string_view block) { write(block); });
}

bool Output::link_as(const char* name) const {
  const std::string open_file = "/proc/self/fd/" + std::to_string(file_.get());
  return ::linkat(AT_FDCWD, open_file.c_str(), AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0;
}

void Output::ensure_name() {
  if (is_copied() || !beside_.empty()) return;
  name_beside([this](const char* name) { return link_as(name); });
}

void Output::appear() {
  if (is_copied()) return;
  // A process that is killed between two steps leaves a name, so it is one step where it can be.
  if (beside_.empty() && link_as(name_.c_str())) return;
  ensure_name();
  if (::rename(beside_.c_str(), name_.c_str()) != 0) fail(name_, "renaming the output");
  beside_.clear();
}

void finish(std::initializer_list<Output*> outputs, const Arguments& arguments, const char* job,
            const Statistics& statistics) {
  write_statistics(arguments, job, statistics);
  Output::complete(outputs);
}

bool same_file(const std::string& one, const std::string& other) {
  struct stat a, b;
  const bool has_one = look_at(one, a), has_other = look_at(other, b);
  if (has_one && has_other) return S_ISREG(a.st_mode) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
  if (has_one || has_other) return false;
  std::error_code error;
  const auto path = [&](const std::string& name) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(end_of_links(name)), error);
  };
  return path(one) == path(other);
}

}  // namespace dmr::command
