// Datatypes: size and bounds, the layout of the data in memory in a normalised form, and what the type was
// made from.
//
// Types are immutable after construction but for name, attributes and commit state, and reference-counted: the
// program's handle holds one reference, pending communication and types made from the type others.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "../object/handle_table.hpp"
#include "../object/keyvals.hpp"
#include "element.hpp"

namespace detmpi {

struct Layout;
using LayoutPtr = std::shared_ptr<const Layout>;

struct Datatype;

// A reference that keeps the type alive.
class TypeRef {
 public:
  TypeRef() = default;
  explicit TypeRef(const Datatype& type);
  TypeRef(const TypeRef& other);
  TypeRef(TypeRef&& other) noexcept : type_(other.type_) { other.type_ = nullptr; }
  TypeRef& operator=(TypeRef other) noexcept {
    std::swap(type_, other.type_);
    return *this;
  }
  ~TypeRef();

  const Datatype* get() const { return type_; }
  const Datatype& operator*() const { return *type_; }
  const Datatype* operator->() const { return type_; }
  explicit operator bool() const { return type_ != nullptr; }

 private:
  const Datatype* type_ = nullptr;
};

// What a type was made from, in the argument order of MPI_Type_get_contents.
struct Envelope {
  int combiner = MPI_COMBINER_NAMED;
  std::vector<int> integers;
  std::vector<MPI_Aint> addresses;
  std::vector<MPI_Count> large_counts;  // of the form for large counts, in place of some of the others
  std::vector<TypeRef> types;
};

// The sequence of basic types: `count` times `type`, one entry after the other.
struct SignatureItem {
  int64_t count;
  TypeRef type;
};

// What a copy of a type takes over.
struct TypeShape {
  size_t size = 0;  // bytes of data
  ptrdiff_t lb = 0;
  ptrdiff_t extent = 0;
  ptrdiff_t true_lb = 0;
  ptrdiff_t true_extent = 0;
  size_t alignment = 1;  // of the strictest basic type
  int64_t elements = 1;  // basic elements
  Element element = Element::kNone;
  Category category = Category::kNone;
  bool dense = false;  // the data lie consecutively from true_lb, and extent == size
  bool committed = false;
  bool sticky_lb = false;  // lb or ub was set by MPI_Type_create_resized in this type or one inside it
  bool sticky_ub = false;
  LayoutPtr layout;

  ptrdiff_t ub() const { return lb + extent; }
};

struct Datatype : TypeShape {
  MPI_Datatype handle = MPI_DATATYPE_NULL;
  bool builtin = false;
  int opened = 1;  // how often the program has to free the handle; null when 0
  mutable int refs = 1;
  std::vector<SignatureItem> signature;  // empty for a basic type
  Envelope envelope;
  Attributes attributes;
  std::string name;
};

inline HandleTable<Datatype, HandleKind::kDatatype> g_types;
extern Datatype* g_basic_types[256];  // by the low byte of the handle
extern const Datatype g_null_type;    // of size 0: stands for an argument that is not significant

// The type of a handle, null if the handle is not valid.
inline const Datatype* datatype_from(MPI_Datatype handle) {
  const uint32_t bits = static_cast<uint32_t>(handle);
  if ((bits & 0xffff0000U) == 0x4c000000U) [[likely]] {
    const Datatype* type = g_basic_types[bits & 0xffU];
    return type != nullptr && type->handle == handle ? type : nullptr;
  }
  return g_types.get(handle);
}

// The same for an argument that may be insignificant.
inline const Datatype& datatype_or_null(MPI_Datatype handle) {
  const Datatype* type = datatype_from(handle);
  return type != nullptr ? *type : g_null_type;
}

// For what may change: no type with a handle was made const.
inline Datatype& writable(const Datatype& type) { return const_cast<Datatype&>(type); }

// For messages: its name, or what it is.
std::string datatype_label(const Datatype& type);

// A new type with a handle, not committed. The caller fills in the rest.
Datatype& datatype_register();

// A handle that the program has to free once more than before: the type's own, or a new one if it has none any more. A
// predefined type is never freed.
MPI_Datatype datatype_open(const Datatype& type);

// The handle of a new type that is the same, without name and attributes; of a predefined type, its own.
MPI_Datatype datatype_copy(const Datatype& type);

// The program frees the handle: the last time deletes the attributes, makes the handle invalid and drops its reference.
// Not for a predefined type. Returns the error of a delete callback, which leaves the type open.
int datatype_close(Datatype& type);

void datatype_destroy(const Datatype& type);
inline void datatype_retain(const Datatype& type) { ++type.refs; }
inline void datatype_release(const Datatype& type) {
  if (--type.refs == 0) datatype_destroy(type);
}

inline TypeRef::TypeRef(const Datatype& type) : type_(&type) { datatype_retain(type); }
inline TypeRef::TypeRef(const TypeRef& other) : type_(other.type_) {
  if (type_ != nullptr) datatype_retain(*type_);
}
inline TypeRef::~TypeRef() {
  if (type_ != nullptr) datatype_release(*type_);
}

// Copies `count` elements at `base` into or out of consecutive bytes, in pieces of any size: a piece may
// begin and end in the middle of an element. Holds a reference to the type. The buffer must outlive the
// cursor.
class Cursor {
 public:
  Cursor() = default;
  Cursor(const Datatype& type, const void* base, int64_t count);

  // Copies the next at most `max` bytes to `dst`; returns how many.
  size_t pack(void* dst, size_t max);

  // Copies `n` bytes of `src` into the typed buffer; bytes beyond its end are ignored. Returns how many were
  // taken.
  size_t unpack(const void* src, size_t n);

  // Passes over `n` bytes without a copy.
  void skip(size_t n) { position_ += n < left() ? n : left(); }

  void rewind() { position_ = 0; }

  size_t left() const { return total_ - position_; }
  size_t total() const { return total_; }
  size_t position() const { return position_; }

  // Where the next byte lies if all that is left is consecutive in memory, null otherwise.
  char* consecutive() const { return flat_ ? base_ + position_ : nullptr; }

 private:
  TypeRef type_;
  char* base_ = nullptr;  // of the data where flat_, of the buffer otherwise
  size_t position_ = 0;
  size_t total_ = 0;
  bool flat_ = true;
};

// All elements at once; `packed` holds count * type.size bytes.
void pack_all(void* packed, const void* base, int64_t count, const Datatype& type);
void unpack_all(void* base, int64_t count, const Datatype& type, const void* packed);

// Copies the data of `count` elements from one typed buffer to another of the same type; gaps are left alone.
void copy_typed(void* to, const void* from, int64_t count, const Datatype& type);

// The number of basic elements in the first `bytes` bytes of data of a sequence of `type`; -1 when they end
// in the middle of a basic element.
int64_t elements_in(const Datatype& type, uint64_t bytes);

// The bytes of the first `elements` basic elements of a sequence of `type`.
uint64_t bytes_of(const Datatype& type, int64_t elements);

// The number of whole elements; -1 when the bytes end in the middle of one.
int64_t count_in(const Datatype& type, uint64_t bytes);

// Byte count of a status, in the layout of the binary interface.
inline void status_set_bytes(MPI_Status& status, uint64_t bytes) {
  status.count_lo = static_cast<int>(bytes & 0xffffffffU);
  status.count_hi_and_cancelled =
      static_cast<int>((bytes >> 32 << 1) | (static_cast<uint32_t>(status.count_hi_and_cancelled) & 1U));
}
inline uint64_t status_bytes(const MPI_Status& status) {
  return static_cast<uint64_t>(static_cast<uint32_t>(status.count_hi_and_cancelled) >> 1) << 32 |
         static_cast<uint32_t>(status.count_lo);
}

}  // namespace detmpi
