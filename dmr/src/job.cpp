// What every job has: the partition of keys, and how they are written in messages.
#include <dmr/engine.hpp>

#include <base/text.hpp>

#include <dmr/key_hash.hpp>

namespace dmr {

uint32_t ByteJob::partition(std::string_view key, uint32_t parts) const {
  return detail::part_of(detail::hash_of_key(key), parts);
}

std::string ByteJob::describe(std::string_view key) const { return "key '" + spmc::base::printable(key) + "'"; }

}  // namespace dmr
