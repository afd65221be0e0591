// How many elements a number of received bytes make up.
#include <algorithm>

#include "datatype.hpp"

namespace detmpi {
namespace {

// Basic elements in the first `bytes` bytes of one element, fewer than its size; -1 when they end inside a
// basic one.
int64_t partial_elements(const Datatype& type, uint64_t bytes) {
  if (bytes == 0) return 0;
  int64_t elements = 0;
  for (const auto& item : type.signature) {
    const uint64_t size = item.type->size;
    if (size == 0) continue;
    const uint64_t whole = std::min(static_cast<uint64_t>(item.count), bytes / size);
    elements += static_cast<int64_t>(whole) * item.type->elements;
    bytes -= whole * size;
    if (whole == static_cast<uint64_t>(item.count)) continue;
    const int64_t rest = partial_elements(*item.type, bytes);
    return rest < 0 ? -1 : elements + rest;
  }
  return -1;
}

}  // namespace

int64_t elements_in(const Datatype& type, uint64_t bytes) {
  if (type.size == 0) return bytes == 0 ? 0 : -1;
  const int64_t rest = partial_elements(type, bytes % type.size);
  return rest < 0 ? -1 : static_cast<int64_t>(bytes / type.size) * type.elements + rest;
}

uint64_t bytes_of(const Datatype& type, int64_t elements) {
  if (type.elements == 0) return 0;
  uint64_t bytes = static_cast<uint64_t>(elements / type.elements) * type.size;
  int64_t rest = elements % type.elements;
  for (const auto& item : type.signature) {
    if (rest == 0) break;
    if (item.type->elements == 0) continue;
    const int64_t taken = std::min(rest, item.count * item.type->elements);
    bytes += bytes_of(*item.type, taken);
    rest -= taken;
  }
  return bytes;
}

int64_t count_in(const Datatype& type, uint64_t bytes) {
  if (type.size == 0) return bytes == 0 ? 0 : -1;
  return bytes % type.size == 0 ? static_cast<int64_t>(bytes / type.size) : -1;
}

}  // namespace detmpi
