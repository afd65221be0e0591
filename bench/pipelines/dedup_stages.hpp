// The stages of deduplication: a file tree is cut into chunks whose borders depend on their content alone, chunks that
// were there before are told by their hash, the others are compressed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace pipelines::dedup {

using Memory = std::unique_ptr<std::byte, void (*)(void*)>;

// A file tree in memory; the same in every thread, and in every space that is made afterwards.
class Tree {
 public:
  // All regular files below `folder`, in the order of their paths. Throws std::system_error.
  static Tree open(const std::string& folder);

  struct File {
    std::string path;  // below the folder
    uint64_t size;
    const std::byte* bytes;
  };
  const std::vector<File>& files() const { return files_; }

 private:
  Tree() = default;
  std::vector<File> files_;
  Memory content_{nullptr, std::free};
};

// Places in the tree. A piece is what a worker gets at once; it does not cross the border of a file.
struct Piece {
  uint32_t file, size;
  uint64_t offset;
};
inline constexpr uint32_t kPieceBytes = 256 * 1024;

struct Chunk {
  Piece place;
  uint64_t hash[2];
};

// What the archive says of a chunk.
struct Entry {
  Chunk chunk;
  uint64_t number;  // of the chunk among those that differ
  uint64_t is_new;  // 1: its content follows; 0: it came before
};

// The pieces, one after the other.
class Pieces {
 public:
  explicit Pieces(const Tree& tree) : tree_(&tree) {}
  std::optional<Piece> operator()();

 private:
  const Tree* tree_;
  uint32_t file_ = 0;
  uint64_t offset_ = 0;
};

std::vector<Chunk> cut(const Tree& tree, const Piece& piece);

// Keeps the hashes of all chunks so far.
class Known {
 public:
  std::vector<Entry> operator()(std::span<const Chunk> chunks);

 private:
  struct Hasher {
    size_t operator()(const std::pair<uint64_t, uint64_t>& hash) const { return hash.first; }
  };
  std::unordered_map<std::pair<uint64_t, uint64_t>, uint64_t, Hasher> numbers_;
};

// The part of the archive for these chunks, the new ones compressed.
std::vector<std::byte> pack(const Tree& tree, std::span<const Entry> entries);

}  // namespace pipelines::dedup
