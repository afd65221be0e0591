// Packing and unpacking in pieces.
#include <base/copy.hpp>

#include <algorithm>

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
    spmc::base::copy_memory(dst, base_ + position_, n);
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
    spmc::base::copy_memory(base_ + position_, src, n);
  } else {
    layout_unpack(*type_->layout, type_->extent, base_, position_, static_cast<const char*>(src), n);
  }
  position_ += n;
  return n;
}

void pack_all(void* packed, const void* base, int64_t count, const Datatype& type) {
  if (count == 0 || type.size == 0) return;
  const auto n = static_cast<size_t>(count);
  const auto* from = static_cast<const char*>(base);
  auto* to = static_cast<char*>(packed);
  if (type.dense) spmc::base::copy_memory(to, place(from, type.true_lb), n * type.size);
  else layout_pack_all(*type.layout, type.extent, n, from, to);
}

void unpack_all(void* base, int64_t count, const Datatype& type, const void* packed) {
  if (count == 0 || type.size == 0) return;
  const auto n = static_cast<size_t>(count);
  const auto* from = static_cast<const char*>(packed);
  auto* to = static_cast<char*>(base);
  if (type.dense) spmc::base::copy_memory(place(to, type.true_lb), from, n * type.size);
  else layout_unpack_all(*type.layout, type.extent, n, to, from);
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
