// How a fold gets at packed elements. Each has one of these, with memory of its own.
#pragma once

#include "../types/layout.hpp"
#include "../types/typed_room.hpp"

namespace detmpi {

// Packed elements laid out as in a program's memory, as operations want them; a dense type needs no copy.
class Laid {
 public:
  Laid(const Datatype& type, int64_t most) : type_(type), room_(type, type.dense ? 0 : most) {}
  const void* from(const std::byte* packed, int64_t count) {
    if (type_.dense) return place(reinterpret_cast<const char*>(packed), -type_.true_lb);
    unpack_all(room_.base(), count, type_, packed);
    return room_.base();
  }

 private:
  const Datatype& type_;
  TypedRoom room_;
};

}  // namespace detmpi
