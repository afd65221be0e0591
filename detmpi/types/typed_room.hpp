// Memory for elements of a type, laid out and aligned as in a program's own.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>

#include "datatype.hpp"

namespace detmpi {

class TypedRoom {
 public:
  TypedRoom() = default;
  // For `count` elements; none: no memory. The contents are of no meaning.
  TypedRoom(const Datatype& type, int64_t count) {
    if (count <= 0 || type.size == 0) return;
    const ptrdiff_t last = (count - 1) * type.extent;
    const ptrdiff_t low = type.true_lb + std::min<ptrdiff_t>(last, 0);
    const ptrdiff_t high = type.true_lb + type.true_extent + std::max<ptrdiff_t>(last, 0);
    const auto bytes = static_cast<size_t>(high - low);
    const bool is_long = bytes >= kPage;
    memory_ = std::make_unique_for_overwrite<char[]>(bytes + (is_long ? kPage : kAlign));
    base_ = reinterpret_cast<uintptr_t>(memory_.get()) - static_cast<uintptr_t>(low);
    base_ += is_long ? (kPage / 2 - base_) % kPage : (0 - base_) % kAlign;
  }
  // Where a program would say its buffer begins.
  char* base() const { return reinterpret_cast<char*>(base_); }

 private:
  static constexpr uintptr_t kAlign = 16;
  // Long ones lie in the middle of a page, programs' own at its begin: so copies are fast both ways (base/copy.hpp).
  static constexpr uintptr_t kPage = 4096;
  std::unique_ptr<char[]> memory_;
  uintptr_t base_ = 0;
};

}  // namespace detmpi
