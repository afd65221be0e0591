// The file that deduplication writes, its digest, and how the tree is made of it again.
//
//   Head | for each file: PathHead, path | for each chunk, in the order of the tree: RecordOfChunk, compressed bytes
//
// A chunk that was there before has no bytes, only the number of the first like it. Integers are those of the machine.
#pragma once

#include <xxhash.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <string>

namespace pipelines::dedup {

struct Head {
  char magic[8];
  uint64_t files;
};
struct PathHead {
  uint64_t size, path_bytes;
};
struct RecordOfChunk {
  uint64_t number;  // among the chunks that differ
  uint32_t bytes, packed_bytes;
};
static_assert(sizeof(Head) == 16 && sizeof(PathHead) == 16 && sizeof(RecordOfChunk) == 16);

class Tree;

// What it is given goes to the file and into the digest.
class ArchiveWriter {
 public:
  // Without a path nothing is written. Throws std::system_error.
  ArchiveWriter(const Tree& tree, const std::string& path);
  void append(std::span<const std::byte> bytes);
  void close();
  std::string digest() const;
  uint64_t size() const { return size_; }

 private:
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
  std::unique_ptr<XXH3_state_t, XXH_errorcode (*)(XXH3_state_t*)> state_;
  uint64_t size_ = 0;
};

// Makes the files of an archive below `folder`. Throws std::system_error, std::runtime_error.
void restore(const std::string& archive, const std::string& folder);

}  // namespace pipelines::dedup
