// What every job has: the partition of keys, and how they are written in messages.
#include <dmr/engine.hpp>

#include <cstdio>

#include <dmr/key_hash.hpp>

namespace dmr {

uint32_t ByteJob::partition(std::string_view key, uint32_t parts) const {
  return detail::part_of(detail::hash_of_key(key), parts);
}

std::string ByteJob::describe(std::string_view key) const { return "key '" + printable(key) + "'"; }

std::string printable(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    char escaped[8];
    if (byte >= ' ' && byte != 0x7f) text += c;
    else text.append(escaped, static_cast<size_t>(std::snprintf(escaped, sizeof escaped, "\\x%02x", byte)));
  }
  return text;
}

}  // namespace dmr
