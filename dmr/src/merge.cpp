#include "merge.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <base/files.hpp>

#include "worker.hpp"

namespace dmr {

namespace {

void append_from_file(int file, uint64_t offset, uint64_t bytes, std::string& to) {
  const size_t kept = to.size();
  to.resize(kept + bytes);
  for (uint64_t done = 0; done < bytes;) {
    auto got = spmc::base::read_at(file, offset + done, to.data() + kept + done, bytes - done);
    const int error = !got ? got.error().code : got.value() == 0 ? EIO : 0;
    if (error != 0) throw JobError(std::string("reading a temporary file: ") + std::strerror(error));
    done += got.value();
  }
}

}  // namespace

MoreBytes bytes_of_blocks(std::vector<std::string> blocks) {
  return [blocks = std::move(blocks), next = size_t{0}](std::string& to) mutable {
    if (next == blocks.size()) return false;
    std::string& block = blocks[next++];
    if (to.empty()) to = std::move(block);
    else to += std::exchange(block, {});
    return true;
  };
}

MoreBytes bytes_of_file(int file, uint64_t offset, uint64_t bytes, size_t buffer) {
  return [=](std::string& to) mutable {
    const uint64_t wanted = std::min<uint64_t>(bytes, buffer);
    outside_turn([&] { append_from_file(file, offset, wanted, to); });
    offset += wanted;
    bytes -= wanted;
    return wanted > 0;
  };
}

bool RunReader::next(PairView& pair) {
  for (;;) {
    const std::string_view rest = std::string_view(bytes_).substr(at_);
    if (const size_t bytes = read_pair(rest, pair)) {
      at_ += bytes;
      return true;
    }
    bytes_.erase(0, at_);
    at_ = 0;
    if (more_(bytes_)) continue;
    if (!bytes_.empty()) throw JobError("the last pair of a run is not whole");
    return false;
  }
}

void Merger::add(RunReader run) { runs_.push_back({std::move(run), {}, 0}); }

bool Merger::advance(uint32_t number) {
  Run& run = runs_[number];
  if (!run.reader.next(run.pair)) return false;
  run.prefix = order_.prefix(run.pair.key);
  return true;
}

bool Merger::before(uint32_t a, uint32_t b) const {
  const Run &x = runs_[a], &y = runs_[b];
  if (x.prefix != y.prefix) return x.prefix < y.prefix;
  const int order = order_.compare(x.pair.key, y.pair.key);
  if (order != 0) return order < 0;
  return x.pair.piece != y.pair.piece ? x.pair.piece < y.pair.piece : a < b;
}

void Merger::start() {
  for (uint32_t run = 0; run < runs_.size(); ++run) {
    if (advance(run)) heap_.push_back(run);
  }
  std::sort(heap_.begin(), heap_.end(), [this](uint32_t a, uint32_t b) { return before(a, b); });
}

void Merger::pop() {
  if (!advance(heap_.front())) {
    heap_.front() = heap_.back();
    heap_.pop_back();
  }
  sift_down();
}

void Merger::sift_down() {
  size_t at = 0;
  for (;;) {
    size_t child = 2 * at + 1;
    if (child >= heap_.size()) return;
    if (child + 1 < heap_.size() && before(heap_[child + 1], heap_[child])) ++child;
    if (!before(heap_[child], heap_[at])) return;
    std::swap(heap_[at], heap_[child]);
    at = child;
  }
}

}  // namespace dmr
