// Packing and unpacking in pieces.
#include <algorithm>
#include <cstring>

#include "datatype.hpp"
#include "layout.hpp"

namespace detmpi {

Cursor::Cursor(const Datatype& type, const void* base, int64_t count)
    : base_(const_cast<char*>(static_cast<const char*>(base))),
      total_(type.size * static_cast<size_t>(count)),
      flat_(type.dense || total_ == 0 || (count == 1 && type.layout->one_block())) {
  if (flat_) {
    if (total_ > 0) base_ = place(base_, type.true_lb);
  } else {
    type_ = TypeRef(type);
  }
}

size_t Cursor::pack(void* dst, size_t max) {
  const size_t n = std::min(max, left());
  if (n == 0) return 0;
  if (flat_) {
    memcpy(dst, base_ + position_, n);
  } else {
    layout_pack(*type_->layout, type_->extent, base_, position_, static_cast<char*>(dst), n);
  }
  position_ += n;
  return n;
}

size_t Cursor::unpack(const void* src, size_t n) {
  n = std::min(n, left());
  if (n == 0) return 0;
  if (flat_) {
    memcpy(base_ + position_, src, n);
  } else {
    layout_unpack(*type_->layout, type_->extent, base_, position_, static_cast<const char*>(src), n);
  }
  position_ += n;
  return n;
}

void pack_all(void* packed, const void* base, int64_t count, const Datatype& type) {
  Cursor cursor(type, base, count);
  cursor.pack(packed, cursor.left());
}

void unpack_all(void* base, int64_t count, const Datatype& type, const void* packed) {
  Cursor cursor(type, base, count);
  cursor.unpack(packed, cursor.left());
}

void copy_typed(void* to, const void* from, int64_t count, const Datatype& type) {
  Cursor source(type, from, count);
  Cursor target(type, to, count);
  if (const char* flat = source.consecutive()) {
    target.unpack(flat, source.left());
    return;
  }
  char piece[8192];  // stays in the first-level cache
  while (const size_t n = source.pack(piece, sizeof piece)) target.unpack(piece, n);
}

}  // namespace detmpi
