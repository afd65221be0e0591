#include "dedup_stages.hpp"

#include <xxhash.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <new>
#include <stdexcept>
#include <system_error>

#include <base/long_memory.h>

#include "archive.hpp"

namespace pipelines::dedup {
namespace {

constexpr int kLevel = 3;
constexpr uint32_t kShortest = 2 * 1024, kLongest = 64 * 1024;
// A border where these bits of the rolling hash are 0: every 8 KiB on average.
constexpr uint64_t kBorderBits = uint64_t{0x1fff} << 48;

// A random number for every value of a byte.
constexpr std::array<uint64_t, 256> make_gear() {
  std::array<uint64_t, 256> gear{};
  uint64_t state = 1;
  for (uint64_t& number : gear) {
    state += 0x9e37'79b9'7f4a'7c15u;
    uint64_t mixed = (state ^ (state >> 30)) * 0xbf58'476d'1ce4'e5b9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d0'49bb'1331'11ebu;
    number = mixed ^ (mixed >> 31);
  }
  return gear;
}
constexpr std::array<uint64_t, 256> kGear = make_gear();

// The hash is of the last 64 bytes: each step shifts the oldest one out.
uint32_t length_of_chunk(const std::byte* bytes, uint32_t most) {
  const uint32_t last = std::min(most, kLongest);
  uint64_t rolling = 0;
  for (uint32_t i = std::min(kShortest, last); i < last; ++i) {
    rolling = (rolling << 1) + kGear[static_cast<uint8_t>(bytes[i])];
    if ((rolling & kBorderBits) == 0) return i + 1;
  }
  return last;
}

const std::byte* bytes_of(const Tree& tree, const Piece& place) {
  return tree.files()[place.file].bytes + place.offset;
}

// In huge pages, so that starting a space does not copy a long page table.
Memory huge_pages(uint64_t bytes) {
  const size_t size = (bytes / kHugePage + 1) * size_t{kHugePage};
  Memory memory(static_cast<std::byte*>(std::aligned_alloc(kHugePage, size)), std::free);
  if (!memory) throw std::bad_alloc();
  prefer_huge_pages(memory.get(), size);
  return memory;
}

void read_file(const std::string& path, std::byte* to, uint64_t size) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
  if (!file || std::fread(to, 1, size, file.get()) != size) {
    throw std::system_error(errno, std::generic_category(), path);
  }
}

// One for each thread, and so for each space.
ZSTD_CCtx* compressor() {
  thread_local const std::unique_ptr<ZSTD_CCtx, size_t (*)(ZSTD_CCtx*)> context(ZSTD_createCCtx(), ZSTD_freeCCtx);
  return context.get();
}

}  // namespace

Tree Tree::open(const std::string& folder) {
  namespace fs = std::filesystem;
  Tree tree;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    tree.files_.push_back({fs::relative(entry.path(), folder).string(), entry.file_size(), nullptr});
  }
  std::sort(tree.files_.begin(), tree.files_.end(), [](const File& a, const File& b) { return a.path < b.path; });
  uint64_t bytes = 0;
  for (const File& file : tree.files_) bytes += file.size;
  tree.content_ = huge_pages(bytes);
  std::byte* at = tree.content_.get();
  for (File& file : tree.files_) {
    read_file(folder + "/" + file.path, at, file.size);
    file.bytes = at;
    at += file.size;
  }
  return tree;
}

std::optional<Piece> Pieces::operator()() {
  const auto& files = tree_->files();
  while (file_ < files.size() && offset_ == files[file_].size) {
    file_ += 1;
    offset_ = 0;
  }
  if (file_ == files.size()) return std::nullopt;
  const uint64_t size = std::min<uint64_t>(files[file_].size - offset_, kPieceBytes);
  const Piece piece{file_, static_cast<uint32_t>(size), offset_};
  offset_ += size;
  return piece;
}

std::vector<Chunk> cut(const Tree& tree, const Piece& piece) {
  std::vector<Chunk> chunks;
  const std::byte* bytes = bytes_of(tree, piece);
  for (uint32_t done = 0; done < piece.size;) {
    const uint32_t size = length_of_chunk(bytes + done, piece.size - done);
    const XXH128_hash_t hash = XXH3_128bits(bytes + done, size);
    chunks.push_back({{piece.file, size, piece.offset + done}, {hash.low64, hash.high64}});
    done += size;
  }
  return chunks;
}

std::vector<Entry> Known::operator()(std::span<const Chunk> chunks) {
  std::vector<Entry> entries;
  for (const Chunk& chunk : chunks) {
    const auto [found, is_new] = numbers_.try_emplace({chunk.hash[0], chunk.hash[1]}, numbers_.size());
    entries.push_back({chunk, found->second, is_new ? 1u : 0u});
  }
  return entries;
}

std::vector<std::byte> pack(const Tree& tree, std::span<const Entry> entries) {
  std::vector<std::byte> packed;
  for (const Entry& entry : entries) {
    const Piece& place = entry.chunk.place;
    RecordOfChunk record{entry.number, place.size, 0};
    const size_t at = packed.size();
    packed.resize(at + sizeof(record));
    if (entry.is_new != 0) {
      const size_t bound = ZSTD_compressBound(place.size);
      packed.resize(at + sizeof(record) + bound);
      const size_t size = ZSTD_compressCCtx(compressor(), packed.data() + at + sizeof(record), bound,
                                            bytes_of(tree, place), place.size, kLevel);
      if (ZSTD_isError(size) != 0) throw std::runtime_error(ZSTD_getErrorName(size));
      packed.resize(at + sizeof(record) + size);
      record.packed_bytes = static_cast<uint32_t>(size);
    }
    std::memcpy(packed.data() + at, &record, sizeof(record));
  }
  return packed;
}

}  // namespace pipelines::dedup
