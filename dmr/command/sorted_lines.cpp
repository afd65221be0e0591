#include "sorted_lines.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <queue>
#include <utility>

#include <base/files.hpp>
#include <dmr/engine.hpp>
#include <dmr/key_prefix.hpp>
#include <dmr/temporary.hpp>

namespace dmr::command {

namespace base = spmc::base;

namespace {

constexpr size_t kBlockBytes = 1 << 16;

// Writes to a temporary file, many lines at once.
class Writer {
 public:
  explicit Writer(int file) : file_(file) {}
  void add(std::string_view line) {
    buffer_ += line;
    if (buffer_.size() >= kBlockBytes) flush();
  }
  uint64_t flush() {  // how many bytes there were in all
    const base::Status wrote = base::write_all(file_, buffer_.data(), buffer_.size());
    if (!wrote) throw JobError(std::string("writing a temporary file: ") + std::strerror(wrote.error().code));
    written_ += buffer_.size();
    buffer_.clear();
    return written_;
  }

 private:
  int file_;
  std::string buffer_;
  uint64_t written_ = 0;
};

// Goes through the lines of a sorted run.
class Run {
 public:
  Run(int file, uint64_t begin, uint64_t end, size_t block_bytes)
      : file_(file), at_(begin), end_(end), block_bytes_(block_bytes) {}

  // To the next line; false: there is none.
  bool next() {
    line_ += line_bytes_;
    line_bytes_ = 0;
    size_t found, looked = line_;
    while ((found = buffer_.find('\n', looked)) == buffer_.npos) {
      looked = buffer_.size() - line_;
      if (!read()) return false;
    }
    line_bytes_ = found + 1 - line_;
    key_bytes_ = buffer_.find('\t', line_) - line_;
    return true;
  }
  std::string_view line() const { return std::string_view(buffer_).substr(line_, line_bytes_); }
  std::string_view key() const { return std::string_view(buffer_).substr(line_, key_bytes_); }

 private:
  // Lines that were passed make room. False: there is no more.
  bool read() {
    buffer_.erase(0, std::exchange(line_, 0));
    const size_t kept = buffer_.size(), wanted = std::min<uint64_t>(block_bytes_, end_ - at_);
    if (wanted == 0) return false;
    buffer_.resize(kept + wanted);
    auto got = base::read_at(file_, at_, buffer_.data() + kept, wanted);
    if (!got || got.value() == 0) {
      throw JobError(std::string("reading a temporary file: ") + std::strerror(got ? EIO : got.error().code));
    }
    buffer_.resize(kept + got.value());
    at_ += got.value();
    return true;
  }

  int file_;
  uint64_t at_, end_;
  size_t block_bytes_;
  std::string buffer_;
  size_t line_ = 0, line_bytes_ = 0, key_bytes_ = 0;  // where the line is in it
};

}  // namespace

void SortedLines::add(std::string_view line) {
  const size_t key_bytes = std::min(line.find('\t'), line.size()), room = line.size() + 2 + sizeof(Place);
  if (!places_.empty() && text_.size() + places_.size() * sizeof(Place) + room > most_bytes_) {
    outside_turn([this] { spill(); });
  }
  places_.push_back({prefix_of(line.substr(0, key_bytes)), text_.size(), key_bytes});
  text_ += line;
  text_ += key_bytes == line.size() ? "\t\n" : "\n";
}

void SortedLines::sort() {
  const auto key = [this](const Place& place) { return std::string_view(text_).substr(place.at, place.key_bytes); };
  std::sort(places_.begin(), places_.end(), [&](const Place& a, const Place& b) {
    if (a.start != b.start) return a.start < b.start;
    const int order = key(a).compare(key(b));
    return order != 0 ? order < 0 : a.at < b.at;
  });
}

void SortedLines::write_to(int file) {
  sort();
  Writer writer(file);
  for (const auto& [start, at, key_bytes] : places_) {
    const size_t end = text_.find('\n', at + key_bytes) + 1;
    writer.add(std::string_view(text_).substr(at, end - at));
  }
  const uint64_t begin = runs_.empty() ? 0 : runs_.back().end;
  runs_.push_back({begin, begin + writer.flush()});
}

void SortedLines::spill() {
  if (!file_.valid()) file_ = temporary_file(folder_);
  write_to(file_.get());
  text_.clear();
  places_.clear();
}

void SortedLines::merge_to(int file) const {
  constexpr size_t kLeastBlock = 4096;
  const size_t block_bytes = std::clamp(most_bytes_ / runs_.size(), kLeastBlock, kBlockBytes);
  std::vector<Run> runs;
  for (const auto& [begin, end] : runs_) runs.emplace_back(file_.get(), begin, end, block_bytes);
  // The least key first, then what came first.
  const auto behind = [&](size_t a, size_t b) {
    const int order = runs[a].key().compare(runs[b].key());
    return order != 0 ? order > 0 : a > b;
  };
  std::priority_queue<size_t, std::vector<size_t>, decltype(behind)> next(behind);
  for (size_t i = 0; i < runs.size(); ++i) {
    if (runs[i].next()) next.push(i);
  }
  Writer writer(file);
  while (!next.empty()) {
    const size_t least = next.top();
    next.pop();
    writer.add(runs[least].line());
    if (runs[least].next()) next.push(least);
  }
  writer.flush();
}

base::UniqueFd SortedLines::take() {
  base::UniqueFd all = temporary_file(folder_);
  const bool fits = runs_.empty();
  if (fits) write_to(all.get());
  else spill();
  std::string().swap(text_);
  std::vector<Place>().swap(places_);  // = {} would keep the memory
  if (!fits) merge_to(all.get());
  file_.reset();
  if (::lseek(all.get(), 0, SEEK_SET) != 0) {
    throw JobError(std::string("reading a temporary file: ") + std::strerror(errno));
  }
  return all;
}

}  // namespace dmr::command
