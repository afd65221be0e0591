// The predefined datatypes.
#include <algorithm>
#include <cstddef>

#include "datatype.hpp"
#include "layout.hpp"

namespace detmpi {

Datatype* g_basic_types[256];

namespace {

Datatype make_null_type() {
  Datatype type;
  type.elements = 0;
  type.dense = true;
  type.committed = true;
  type.builtin = true;
  type.layout = layout_block(0);
  type.name = "MPI_DATATYPE_NULL";
  return type;
}

// Keeps the types reachable for leak checkers when the tables are gone at exit.
Datatype* g_all[128];
size_t g_all_count = 0;

Datatype& make_basic(MPI_Datatype handle, const char* name, size_t size, size_t alignment) {
  auto* type = new Datatype;  // lives as long as the process
  g_all[g_all_count++] = type;
  type->handle = handle;
  type->size = size;
  type->extent = type->true_extent = static_cast<ptrdiff_t>(size);
  type->alignment = alignment;
  type->dense = type->committed = type->builtin = true;
  type->layout = layout_block(size);
  type->name = name;
  return *type;
}

void add_basic(MPI_Datatype handle, const char* name, size_t size, size_t alignment, Element element,
               Category category) {
  Datatype& type = make_basic(handle, name, size, alignment);
  type.element = element;
  type.category = category;
  g_basic_types[handle & 0xff] = &type;
}

// The old markers of bounds: no data.
void add_marker(MPI_Datatype handle, const char* name) {
  Datatype& type = make_basic(handle, name, 0, 1);
  type.elements = 0;
  type.sticky_lb = handle == MPI_LB;
  type.sticky_ub = handle == MPI_UB;
  g_basic_types[handle & 0xff] = &type;
}

void add_pair(MPI_Datatype handle, const char* name, size_t extent, size_t index_offset, MPI_Datatype value,
              MPI_Datatype index, Element element) {
  const Datatype& first = *datatype_from(value);
  const Datatype& second = *datatype_from(index);
  Datatype& type = make_basic(handle, name, first.size + second.size, std::max(first.alignment, second.alignment));
  type.extent = static_cast<ptrdiff_t>(extent);
  type.true_extent = static_cast<ptrdiff_t>(index_offset + second.size);
  type.elements = 2;
  type.element = element;
  type.category = Category::kPair;
  type.layout = layout_sequence({{0, first.layout}, {static_cast<ptrdiff_t>(index_offset), second.layout}});
  type.dense = type.layout->one_block() && extent == type.size;
  type.signature = {{1, TypeRef(first)}, {1, TypeRef(second)}};
  if (static_cast<uint32_t>(handle) >> 24 == 0x8c) {
    g_types.insert(&type);  // the first handles of the table, in the order of the list
  } else {
    g_basic_types[handle & 0xff] = &type;
  }
}

template <class Pair>
constexpr size_t index_offset() {
  return offsetof(Pair, index);
}

bool make_all() {
#define BASIC(handle, ctype, element, category) \
  add_basic(handle, #handle, sizeof(ctype), alignof(ctype), Element::element, Category::category);
#define PAIR(handle, first, second, value, index, element)                                                       \
  add_pair(handle, #handle, sizeof(ValueIndex<first, second>), index_offset<ValueIndex<first, second>>(), value, \
           index, Element::element);
#include "basic_types.def"
  add_marker(MPI_LB, "MPI_LB");
  add_marker(MPI_UB, "MPI_UB");
  return true;
}

[[maybe_unused]] const bool g_made = make_all();

}  // namespace

const Datatype g_null_type = make_null_type();

}  // namespace detmpi
