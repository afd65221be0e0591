#include "draft.hpp"

#include <algorithm>

#include "../object/errors.hpp"

namespace detmpi {
namespace {

constexpr ptrdiff_t kFar = ptrdiff_t{1} << 61;  // sums of a few such distances cannot overflow

bool is_far(ptrdiff_t distance) { return distance > kFar || distance < -kFar; }

bool is_marker(const Datatype& type) { return type.builtin && type.size == 0; }

}  // namespace

ptrdiff_t Draft::scaled(int64_t a, ptrdiff_t b) {
  ptrdiff_t product;
  if (!__builtin_mul_overflow(a, b, &product) && !is_far(product)) return product;
  too_large_ = true;
  return 0;
}

void Draft::lower(Bound& bound, ptrdiff_t value, bool sticky) {
  if (bound.sticky && !sticky) return;
  const bool first = !bound.known || (sticky && !bound.sticky);
  bound = {true, sticky, first ? value : std::min(bound.value, value)};
}

void Draft::raise(Bound& bound, ptrdiff_t value, bool sticky) {
  if (bound.sticky && !sticky) return;
  const bool first = !bound.known || (sticky && !bound.sticky);
  bound = {true, sticky, first ? value : std::max(bound.value, value)};
}

// Elements of `type` lie at displacements from `low` to `high`.
void Draft::widen(ptrdiff_t low, ptrdiff_t high, const Datatype& type) {
  if (low > high) std::swap(low, high);
  if (is_far(low) || is_far(high) || is_far(low + type.lb) || is_far(high + type.ub()) || is_far(low + type.true_lb) ||
      is_far(high + type.true_lb + type.true_extent)) {
    too_large_ = true;
    return;
  }
  const bool marker = is_marker(type);
  const bool empty = type.elements == 0;
  if (type.sticky_lb || !(marker || empty)) lower(lb_, low + type.lb, type.sticky_lb);
  if (type.sticky_ub || !(marker || empty)) raise(ub_, high + type.ub(), type.sticky_ub);
  if (type.size == 0) return;
  lower(true_lb_, low + type.true_lb, false);
  raise(true_ub_, high + type.true_lb + type.true_extent, false);
  alignment_ = std::max(alignment_, type.alignment);
}

void Draft::count_elements(int64_t n, const Datatype& type) {
  if (n > kFar) {
    too_large_ = true;
    return;
  }
  size_ += static_cast<size_t>(scaled(n, static_cast<ptrdiff_t>(type.size)));
  elements_ += scaled(n, type.elements);
  if (size_ > static_cast<size_t>(kFar)) too_large_ = true;
  if (!signature_.empty() && signature_.back().type.get() == &type) {
    signature_.back().count += n;
    if (signature_.back().count > kFar) too_large_ = true;
  } else {
    signature_.push_back({n, TypeRef(type)});
  }
}

void Draft::add(ptrdiff_t displacement, int64_t n, const Datatype& type) {
  if (n == 0 || too_large_) return;
  const ptrdiff_t last_element = scaled(n - 1, type.extent);
  if (is_far(displacement)) too_large_ = true;
  if (too_large_) return;
  widen(displacement, displacement + last_element, type);
  count_elements(n, type);
  if (too_large_) return;
  parts_.push_back({displacement, layout_repeat(type.layout, static_cast<size_t>(n), type.extent)});
}

void Draft::add_strided(ptrdiff_t displacement, int64_t count, int64_t n, ptrdiff_t stride, const Datatype& type) {
  if (count == 0 || n == 0 || too_large_) return;
  const ptrdiff_t last_block = displacement + scaled(count - 1, stride);
  const ptrdiff_t last_element = scaled(n - 1, type.extent);
  widen(displacement, displacement + last_element, type);
  widen(last_block, last_block + last_element, type);
  count_elements(scaled(count, n), type);
  if (too_large_) return;
  const LayoutPtr block = layout_repeat(type.layout, static_cast<size_t>(n), type.extent);
  parts_.push_back({displacement, layout_repeat(block, static_cast<size_t>(count), stride)});
}

void Draft::resize(ptrdiff_t lb, ptrdiff_t extent) {
  if (is_far(lb) || is_far(extent)) too_large_ = true;
  if (too_large_) return;
  lb_ = {true, true, lb};
  ub_ = {true, true, lb + extent};
}

int Draft::check() const {
  if (!too_large_) return MPI_SUCCESS;
  return make_error(MPI_ERR_TYPE, "the datatype would be larger than the address space");
}

void Draft::fill(Datatype& type) {
  type.size = size_;
  type.elements = elements_;
  type.alignment = alignment_;
  type.lb = lb_.value;
  type.extent = ub_.value - lb_.value;
  type.sticky_lb = lb_.sticky;
  type.sticky_ub = ub_.sticky;
  if (pad_ && !ub_.sticky) {
    const auto unit = static_cast<ptrdiff_t>(alignment_);
    type.extent += (unit - type.extent % unit) % unit;  // rounded up, also where it is negative
  }
  type.true_lb = true_lb_.value;
  type.true_extent = true_ub_.value - true_lb_.value;
  type.layout = parts_.size() == 1 ? layout_shift(parts_[0].layout, parts_[0].offset) : layout_sequence(parts_);
  type.dense =
      type.size == 0 ? type.extent == 0 : type.layout->one_block() && type.extent == static_cast<ptrdiff_t>(type.size);
  type.signature = std::move(signature_);
}

int Draft::make(Envelope envelope, MPI_Datatype* out) {
  if (const int code = check()) return code;
  Datatype& type = datatype_register();
  fill(type);
  type.envelope = std::move(envelope);
  *out = type.handle;
  return MPI_SUCCESS;
}

int Draft::make_part(TypeRef& out) {
  if (const int code = check()) return code;
  auto* type = new Datatype;
  fill(*type);
  out = TypeRef(*type);
  datatype_release(*type);  // `out` holds it alone
  return MPI_SUCCESS;
}

}  // namespace detmpi
