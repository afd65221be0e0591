#include <dmr/error.hpp>
#include <dmr/input.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <base/files.hpp>
#include <base/sys.hpp>
#include <base/unique_fd.hpp>
#include <dmr/temporary.hpp>

namespace dmr {

using spmc::base::Mapping;
using spmc::base::UniqueFd;

namespace {

[[noreturn]] void fail(const std::string& name, const char* what, int error) {
  throw JobError(name + ": " + what + ": " + std::strerror(error));
}

// Without waiting for whoever writes to a FIFO; of regular files O_NONBLOCK means nothing.
UniqueFd open_file(const std::string& path) {
  UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat info;
  if (!file.valid() || ::fstat(file.get(), &info) != 0) fail(path, "opening", errno);
  if (S_ISDIR(info.st_mode)) fail(path, "reading", EISDIR);
  if (!S_ISREG(info.st_mode))
    throw JobError(path + ": is no regular file; jobs that read standard input can read it from there");
  return file;
}

uint64_t size_of(int file, const std::string& name) {
  struct stat info;
  if (::fstat(file, &info) != 0) fail(name, "reading", errno);
  return static_cast<uint64_t>(info.st_size);
}

}  // namespace

// A temporary file for what cannot be mapped. It is made when there are bytes for it.
class Input::Copies {
 public:
  explicit Copies(const std::string& folder) : folder_(temporary_folder(folder)) {}
  // Appends all that can be read from there; how much it was.
  uint64_t append(int from, const std::string& name) {
    std::string buffer(kPieceBytes, '\0');
    const uint64_t before = size_;
    for (;;) {
      const ssize_t got = ::read(from, buffer.data(), buffer.size());
      if (got == 0) return size_ - before;
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) fail(name, "reading", errno);
      if (!file_.valid()) file_ = temporary_file(folder_);
      const auto wrote = spmc::base::write_all(file_.get(), buffer.data(), static_cast<size_t>(got));
      if (!wrote) fail(folder_, "writing a temporary file", wrote.error().code);
      size_ += static_cast<uint64_t>(got);
    }
  }
  // Of at least one byte.
  Mapping map() const {
    auto mapping = Mapping::try_read_only(size_, file_.get());
    if (!mapping) fail(folder_, "reading a temporary file", mapping.error().code);
    return std::move(mapping).value();
  }
  uint64_t size() const { return size_; }

 private:
  std::string folder_;
  UniqueFd file_;
  uint64_t size_ = 0;
};

uint64_t Records::first_begin(std::string_view file, uint64_t position, uint64_t limit) const {
  if (position == 0 || position >= limit) return std::min(position, limit);
  switch (kind_) {
    case Kind::kSize: return std::min((position + size_ - 1) / size_ * size_, limit);
    case Kind::kBorder: return std::min(std::max(border_(file, position), position), limit);
    case Kind::kLines: {
      const size_t at = file.substr(0, limit).find('\n', position - 1);
      return at == file.npos ? limit : at + 1;
    }
    case Kind::kBlanks: break;
  }
  uint64_t at = position;
  while (at < limit && !is_blank(file[at - 1])) ++at;
  return at;
}

bool Records::is_open_at_end(std::string_view file) const {
  if (file.empty()) return false;
  return (kind_ == Kind::kLines && file.back() != '\n') || (kind_ == Kind::kBlanks && !is_blank(file.back()));
}

Input::Input(Records records, uint64_t piece_bytes) : records_(records), piece_bytes_(piece_bytes) {
  if (piece_bytes == 0) throw JobError("pieces of 0 bytes");
}

void Input::add(std::string name, std::string_view data, bool mapped) {
  if (records_.size() > 0 && data.size() % records_.size() != 0) {
    throw JobError(name + ": " + std::to_string(data.size()) + " bytes are no whole number of records of " +
                   std::to_string(records_.size()));
  }
  sources_.push_back({std::move(name), data, pieces_, mapped});
  pieces_ += pieces_of(data.size());
  bytes_ += data.size();
}

uint64_t Input::pieces_of(uint64_t bytes) const { return bytes / piece_bytes_ + (bytes % piece_bytes_ != 0); }

void Input::cut(uint64_t piece_bytes) {
  if (piece_bytes == 0) throw JobError("pieces of 0 bytes");
  piece_bytes_ = piece_bytes;
  if (joined_) {
    pieces_ = pieces_of(joined_bytes_);
    return;
  }
  pieces_ = 0;
  for (Source& source : sources_) {
    source.first_piece = pieces_;
    pieces_ += pieces_of(source.data.size());
  }
}

// One that cannot be mapped, or is one too many, is copied. What says that its size is 0 may have something all the
// same, like the files of /proc; those of /sys say that they have a page.
void Input::add_file(std::string name, int file, Copies& copies) {
  const uint64_t size = size_of(file, name);
  if (size > 0 && mappings_.size() < kMostMapped) {
    auto mapping = Mapping::try_read_only(size, file);
    if (mapping) {
      mappings_.push_back(std::move(mapping).value());
      return add(std::move(name), {reinterpret_cast<const char*>(mappings_.back().base()), size}, true);
    }
    if (mapping.error().code != ENODEV) fail(name, "reading", mapping.error().code);
  }
  add_copy(std::move(name), file, copies);
}

// Where its bytes lie is known when all are copied.
void Input::add_copy(std::string name, int file, Copies& copies) {
  const uint64_t size = copies.append(file, name);
  add(std::move(name), {static_cast<const char*>(nullptr), size}, true);
}

// The bytes of sources that have none yet, one behind the other.
void Input::map_copies(const Copies& copies) {
  if (copies.size() == 0) return;
  mappings_.push_back(copies.map());
  const char* next = reinterpret_cast<const char*>(mappings_.back().base());
  for (Source& source : sources_) {
    if (source.data.data() != nullptr) continue;
    source.data = {next, source.data.size()};
    next += source.data.size();
  }
}

Input Input::files(const std::vector<std::string>& paths, Records records, uint64_t piece_bytes,
                   const std::string& folder) {
  Input input(records, piece_bytes);
  Copies copies(folder);
  for (const std::string& path : paths) input.add_file(path, open_file(path).get(), copies);
  input.map_copies(copies);
  return input;
}

Input Input::standard_input(Records records, const std::string& folder, uint64_t piece_bytes) {
  const std::string name = "standard input";
  Input input(records, piece_bytes);
  Copies copies(folder);
  struct stat info;
  if (::fstat(STDIN_FILENO, &info) != 0) fail(name, "reading", errno);
  const bool whole_file = S_ISREG(info.st_mode) && ::lseek(STDIN_FILENO, 0, SEEK_CUR) == 0;
  if (whole_file) input.add_file(name, STDIN_FILENO, copies);
  else input.add_copy(name, STDIN_FILENO, copies);
  input.map_copies(copies);
  return input;
}

Input Input::memory(std::string_view data, Records records, uint64_t piece_bytes) {
  Input input(records, piece_bytes);
  input.add("memory", data, false);
  return input;
}

Input Input::numbers(uint64_t count, uint64_t each) {
  Input input(Records::lines(), kPieceBytes);
  input.count_ = count;
  input.each_ = std::max<uint64_t>(each, 1);
  input.pieces_ = count / input.each_ + (count % input.each_ != 0);
  input.sources_.push_back({"numbers", {}, 0, false});
  return input;
}

void Input::join() {
  if (each_ > 0) return;
  joined_ = true;
  joined_bytes_ = 0;
  for (Source& source : sources_) {
    source.open_at_end = records_.is_open_at_end(source.data);
    source.joined_begin = joined_bytes_;
    joined_bytes_ += source.joined_bytes();
  }
  cut(piece_bytes_);
}

// The last one that begins there or before.
const Input::Source& Input::source_at(uint64_t joined) const {
  const auto after = std::upper_bound(sources_.begin(), sources_.end(), joined,
                                      [](uint64_t at, const Source& source) { return at < source.joined_begin; });
  return *std::prev(after);
}

// Where in the joined files the first record begins from `position` on.
uint64_t Input::joined_record(uint64_t position) const {
  if (position >= joined_bytes_) return joined_bytes_;
  const Source& source = source_at(position);
  const uint64_t size = source.data.size(), at = std::min(position - source.joined_begin, size);
  const uint64_t begin = records_.first_begin(source.data, at, size);
  // Every file that has bytes begins with a record.
  return source.joined_begin + (begin < size ? begin : source.joined_bytes());
}

std::string_view Input::copy_joined(uint64_t begin, uint64_t end) const {
  copied_.clear();
  for (const Source* source = &source_at(begin); begin < end; ++source) {
    const uint64_t from = begin - source->joined_begin;
    copied_ += source->data.substr(from, std::min(end - begin, source->data.size() - from));
    begin = std::min(end, source->joined_begin + source->joined_bytes());
    if (source->open_at_end && begin == source->joined_begin + source->joined_bytes()) copied_ += '\n';
  }
  return copied_;
}

Piece Input::joined_piece(uint64_t number) const {
  const uint64_t begin = joined_record(number * piece_bytes_), end = joined_record((number + 1) * piece_bytes_);
  const Source& source = source_at(begin);
  const uint64_t from = begin - source.joined_begin;
  const bool in_one = end <= source.joined_begin + source.joined_bytes();
  const auto data =
      in_one ? source.data.substr(std::min<uint64_t>(from, source.data.size()), end - begin) : copy_joined(begin, end);
  return {data, from, from + data.size(), static_cast<uint32_t>(&source - sources_.data()), number};
}

std::string Input::describe(const Piece& piece, uint64_t begin, uint64_t end) const {
  uint32_t first = piece.file;
  for (; joined_ && first + 1 < files() && begin >= sources_[first].joined_bytes(); ++first) {
    begin -= sources_[first].joined_bytes();
    end -= sources_[first].joined_bytes();
  }
  uint32_t last = first;
  for (; joined_ && last + 1 < files() && end > sources_[last].joined_bytes(); ++last) {
    end -= sources_[last].joined_bytes();
  }
  const std::string begins = name(first) + (bytes_ > 0 ? ", bytes " : ", numbers ") + std::to_string(begin) + " to ";
  return begins + (last == first ? "" : name(last) + ", byte ") + std::to_string(end);
}

Piece Input::piece(uint64_t number) const {
  if (joined_) return joined_piece(number);
  if (each_ > 0) {
    const uint64_t begin = number * each_;
    return {{}, begin, begin + std::min(each_, count_ - begin), 0, number};
  }
  const auto after = std::upper_bound(sources_.begin(), sources_.end(), number,
                                      [](uint64_t n, const Source& source) { return n < source.first_piece; });
  const Source& source = *std::prev(after);
  const uint64_t at = (number - source.first_piece) * piece_bytes_;
  const uint64_t limit = std::min<uint64_t>(at + piece_bytes_, source.data.size());
  const uint64_t begin = records_.first_begin(source.data, at, limit);
  // In the midst of a long record there is none, and nobody looks for its end but who has its begin.
  const uint64_t end = begin == limit ? limit : records_.first_begin(source.data, limit, source.data.size());
  const auto file = static_cast<uint32_t>(std::prev(after) - sources_.begin());
  return {source.data.substr(begin, end - begin), begin, end, file, number};
}

// Without touching what may be gone: the kernel reads it.
const std::string* Input::cut_off_file() const {
  for (const Source& source : sources_) {
    if (!source.mapped || source.data.empty()) continue;
    char last;
    const auto at = reinterpret_cast<uintptr_t>(&source.data.back());
    const auto got = spmc::base::read_memory(::getpid(), at, &last, 1);
    if (!got && got.error().code == EFAULT) return &source.name;
  }
  return nullptr;
}

void Input::release(const Piece& piece) const {
  if (piece.data.empty()) return;
  uint64_t begin = piece.begin, end = piece.end;
  for (uint32_t file = piece.file;; ++file) {
    const Source& source = sources_[file];
    if (source.mapped) release(source, begin, end);
    if (!joined_ || end <= source.joined_bytes() || file + 1 == files()) break;
    begin = 0;
    end -= source.joined_bytes();
  }
}

// With a margin, because the kernel maps more than was touched, on either side; it is read again where it is needed.
void Input::release(const Source& source, uint64_t begin, uint64_t end) {
  constexpr uintptr_t kPage = 4096, kMargin = 2 << 20;
  const std::string_view data = source.data;
  begin -= std::min<uint64_t>(begin, kMargin);
  end = std::min<uint64_t>(end + kMargin, data.size());
  const auto from = reinterpret_cast<uintptr_t>(data.data() + begin) & ~(kPage - 1);
  const auto to = (reinterpret_cast<uintptr_t>(data.data() + end) + kPage - 1) & ~(kPage - 1);
  if (from < to) (void)spmc::base::discard(reinterpret_cast<void*>(from), to - from);
}

}  // namespace dmr
