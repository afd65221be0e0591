#include "sorter.hpp"

namespace dmr {

void Sorter::sort() {
  std::sort(entries_.begin(), entries_.end(), [this](const Entry& a, const Entry& b) {
    if (a.prefix != b.prefix) return a.prefix < b.prefix;
    const int order = order_.compare(key_at(a.place), key_at(b.place));
    return order != 0 ? order < 0 : a.place < b.place;
  });
}

}  // namespace dmr
