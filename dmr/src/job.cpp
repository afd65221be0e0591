// What every job has: the partition of keys, and how they are written in messages.
#include <dmr/engine.hpp>

#include <cstdio>
#include <cstring>

#include "worker.hpp"

namespace dmr {

uint64_t hash_of(std::string_view key) {
  uint64_t hash = 0x9e3779b97f4a7c15u ^ key.size();
  for (; key.size() >= 8; key.remove_prefix(8)) {
    uint64_t word;
    std::memcpy(&word, key.data(), 8);
    hash = (hash ^ word) * 0xff51afd7ed558ccdu;
    hash ^= hash >> 32;
  }
  uint64_t word = 0;
  if (!key.empty()) std::memcpy(&word, key.data(), key.size());
  hash = (hash ^ word) * 0xc4ceb9fe1a85ec53u;
  // Again, for keys that differ in a few bits only: the highest bits must depend on all.
  hash = (hash ^ hash >> 32) * 0x9fb21c651e98df25u;
  return hash ^ hash >> 29;
}

uint32_t ByteJob::partition(std::string_view key, uint32_t parts) const {
  return static_cast<uint32_t>((hash_of(key) >> 32) * parts >> 32);
}

std::string ByteJob::describe(std::string_view key) const {
  std::string text = "key '";
  for (const char c : key) {
    const auto byte = static_cast<unsigned char>(c);
    char escaped[8];
    if (byte >= ' ' && byte != 0x7f) text += c;
    else text.append(escaped, static_cast<size_t>(std::snprintf(escaped, sizeof escaped, "\\x%02x", byte)));
  }
  return text + "'";
}

}  // namespace dmr
