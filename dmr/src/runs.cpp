#include "runs.hpp"

#include <algorithm>
#include <cstring>

#include <base/files.hpp>

namespace dmr {

namespace {

constexpr size_t kBlockBytes = 128 << 10;

spmc::base::Mapping private_memory(uint64_t bytes) {
  auto memory = spmc::base::Mapping::try_private(bytes);
  if (!memory) throw JobError("no memory for pairs: " + memory.error().message());
  return std::move(memory).value();
}

}  // namespace

Runs::Runs(const ByteJob& job, uint32_t reducers, uint64_t memory_bytes, uint32_t mapper, int spill_file)
    : job_(job),
      order_(job.less()),
      memory_(memory_bytes),
      mapper_(mapper),
      spill_file_(spill_file),
      arena_(private_memory(memory_bytes)),
      of_reducer_(reducers),
      segments_(reducers) {}

void Runs::add(std::string_view key, std::string_view value) {
  if (key.size() > UINT32_MAX || value.size() > UINT32_MAX) throw JobError("a key or value has 4 GiB or more");
  const PairView pair{key, value, piece_};
  const size_t bytes = bytes_of(pair);
  if (bytes > arena_.size() - used_ || bytes_held() > memory_) grow_or_spill(bytes);
  write_pair(arena() + used_, pair);
  const auto parts = static_cast<uint32_t>(of_reducer_.size());
  const uint32_t part = parts == 1 ? 0 : job_.partition(key, parts);
  if (part >= parts)
    throw JobError("the partition of a key is " + std::to_string(part) + " of " + std::to_string(parts));
  of_reducer_[part].push_back({order_.prefix(key), used_});
  used_ += bytes;
  ++entries_;
  ++pairs_;
}

PairView Runs::pair_at(uint64_t offset, size_t* bytes) const {
  PairView pair;
  const size_t taken = read_pair({arena() + offset, used_ - offset}, pair);
  if (bytes != nullptr) *bytes = taken;
  return pair;
}

// Makes room for a pair of so many bytes.
void Runs::grow_or_spill(size_t bytes) {
  if (entries_ > 0) spill();
  // One pair alone may be larger than the memory allowed.
  if (bytes > arena_.size()) arena_ = private_memory(bytes);
}

void Runs::sort() {
  for (auto& entries : of_reducer_) {
    std::sort(entries.begin(), entries.end(), [&](const Entry& a, const Entry& b) {
      if (a.prefix != b.prefix) return a.prefix < b.prefix;
      const int order = order_.compare(pair_at(a.offset).key, pair_at(b.offset).key);
      return order != 0 ? order < 0 : a.offset < b.offset;
    });
  }
}

void Runs::each_block(uint32_t reducer, const std::function<void(std::string_view block)>& take) const {
  std::string block;
  block.reserve(kBlockBytes);
  for (const Entry& entry : of_reducer_[reducer]) {
    size_t bytes = 0;
    (void)pair_at(entry.offset, &bytes);
    if (!block.empty() && block.size() + bytes > kBlockBytes) {
      take(block);
      block.clear();
    }
    block.append(arena() + entry.offset, bytes);
  }
  if (!block.empty()) take(block);
}

void Runs::spill() {
  if (spill_file_ < 0) throw JobError("the pairs do not fit in memory, and there is no folder for temporary files");
  sort();
  for (uint32_t reducer = 0; reducer < of_reducer_.size(); ++reducer) {
    Segment segment{mapper_, 0, spilled_, 0};
    each_block(reducer, [&](std::string_view block) {
      const auto wrote = spmc::base::write_all(spill_file_, block.data(), block.size());
      if (!wrote) throw JobError(std::string("writing a temporary file: ") + std::strerror(wrote.error().code));
      spilled_ += block.size();
    });
    segment.bytes = spilled_ - segment.offset;
    if (segment.bytes > 0) segments_[reducer].push_back(segment);
    of_reducer_[reducer].clear();
  }
  used_ = entries_ = 0;
}

}  // namespace dmr
