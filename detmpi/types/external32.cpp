#include "external32.hpp"

#include <algorithm>
#include <cstring>

#include "../object/errors.hpp"

namespace detmpi {
namespace {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);

// How numbers change on their way.
enum class Change : uint8_t {
  kSwap,      // only the order of the bytes
  kSigned,    // an integer that is shorter outside
  kUnsigned,  // the same without a sign
  kExtended,  // x87's 80 bits, IEEE's 128 bits outside
};

struct Form {
  size_t numbers;  // in one element: 2 in a complex one
  size_t inside;   // bytes of a number
  size_t outside;
  Change change;
};

Form form_of(const Datatype& basic) {
  switch (basic.handle) {
    case MPI_LONG: return {1, sizeof(long), 4, Change::kSigned};
    case MPI_UNSIGNED_LONG: return {1, sizeof(long), 4, Change::kUnsigned};
    case MPI_WCHAR: return {1, sizeof(wchar_t), 2, Change::kUnsigned};
    default: break;
  }
  const size_t numbers = basic.category == Category::kComplex ? 2 : 1;
  const size_t bytes = basic.size / numbers;
  const bool extended = basic.element == Element::kF80 || basic.element == Element::kC80;
  return {numbers, bytes, bytes, extended ? Change::kExtended : Change::kSwap};
}

template <class T>
T load(const char* from) {
  T value;
  memcpy(&value, from, sizeof value);
  return value;
}

template <class T>
void store(char* to, T value) {
  memcpy(to, &value, sizeof value);
}

void copy_swapped(char* to, const char* from, size_t n) { std::reverse_copy(from, from + n, to); }

// A number of x87 takes as many bytes in memory as one of 128 bits, so that both sizes of a form are the same.
static_assert(sizeof(long double) == sizeof(Quad));

void encode(const Form& form, char* to, const char* from) {
  if (form.change != Change::kExtended) return copy_swapped(to, from, form.outside);
  char number[sizeof(Quad)];
  store(number, static_cast<Quad>(load<long double>(from)));
  copy_swapped(to, number, sizeof number);
}

void decode(const Form& form, char* to, const char* from) {
  char number[sizeof(Quad)];
  copy_swapped(number, from, form.outside);
  if (form.change == Change::kExtended) return store(to, static_cast<long double>(load<Quad>(number)));
  const bool negative = form.change == Change::kSigned && (number[form.outside - 1] & 0x80) != 0;
  memset(to, negative ? 0xff : 0, form.inside);
  memcpy(to, number, form.outside);
}

// An integer fits if it is the same after the way back.
bool fits(const Form& form, const char* outside, const char* inside) {
  if (form.inside == form.outside) return true;
  char back[sizeof(Quad)];
  decode(form, back, outside);
  return memcmp(back, inside, form.inside) == 0;
}

// Numbers of the common sizes, of which only the order of the bytes changes: one instruction each.
template <class T>
void swap_numbers(char* to, const char* from, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    const T value = load<T>(from + i * sizeof value);
    if constexpr (sizeof value == 4) store(to + i * sizeof value, __builtin_bswap32(value));
    if constexpr (sizeof value == 8) store(to + i * sizeof value, __builtin_bswap64(value));
  }
}
// False where the numbers are of another form.
bool swap_all(const Form& form, char* to, const char* from, size_t n) {
  if (form.change != Change::kSwap) return false;
  switch (form.inside) {
    case 1: memcpy(to, from, n); return true;
    case 4: swap_numbers<uint32_t>(to, from, n); return true;
    case 8: swap_numbers<uint64_t>(to, from, n); return true;
    default: return false;
  }
}

int encode_all(const Form& form, char* to, const char* from, size_t n) {
  if (swap_all(form, to, from, n)) return MPI_SUCCESS;
  for (size_t i = 0; i < n; ++i) {
    encode(form, to, from);
    if (!fits(form, to, from)) {
      return make_error(MPI_ERR_CONVERSION, "an integer does not fit into the %zu bytes of external32", form.outside);
    }
    to += form.outside;
    from += form.inside;
  }
  return MPI_SUCCESS;
}

void decode_all(const Form& form, char* to, const char* from, size_t n) {
  if (swap_all(form, to, from, n)) return;
  for (size_t i = 0; i < n; ++i) decode(form, to + i * form.inside, from + i * form.outside);
}

// Calls run(basic type, how many) for the numbers of `count` elements, in order, until it returns an error.
template <class Run>
int each_run(const Datatype& type, int64_t count, Run& run) {
  if (type.size == 0 || count == 0) return MPI_SUCCESS;
  if (type.signature.empty()) return run(type, count);
  if (type.signature.size() == 1) {
    const SignatureItem& item = type.signature[0];
    return each_run(*item.type, count * item.count, run);
  }
  for (int64_t i = 0; i < count; ++i) {
    for (const SignatureItem& item : type.signature) {
      if (const int code = each_run(*item.type, item.count, run)) return code;
    }
  }
  return MPI_SUCCESS;
}

// Calls piece(buffer, numbers) for the numbers of a run, as many at a time as the buffer holds.
template <class Piece>
int each_piece(const Form& form, int64_t count, Piece piece) {
  char buffer[4096];
  size_t numbers = static_cast<size_t>(count) * form.numbers;
  while (numbers > 0) {
    const size_t n = std::min(numbers, sizeof buffer / form.inside);
    if (const int code = piece(buffer, n)) return code;
    numbers -= n;
  }
  return MPI_SUCCESS;
}

}  // namespace

size_t external_size(const Datatype& type) {
  if (type.size == 0) return 0;
  if (type.signature.empty()) {
    const Form form = form_of(type);
    return form.numbers * form.outside;
  }
  size_t bytes = 0;
  for (const SignatureItem& item : type.signature) bytes += static_cast<size_t>(item.count) * external_size(*item.type);
  return bytes;
}

int external_pack(char* external, const void* base, int64_t count, const Datatype& type) {
  Cursor cursor(type, base, count);
  const auto run = [&](const Datatype& basic, int64_t elements) {
    const Form form = form_of(basic);
    return each_piece(form, elements, [&](char* buffer, size_t n) {
      cursor.pack(buffer, n * form.inside);
      const int code = encode_all(form, external, buffer, n);
      external += n * form.outside;
      return code;
    });
  };
  return each_run(type, count, run);
}

int external_unpack(void* base, int64_t count, const Datatype& type, const char* external) {
  Cursor cursor(type, base, count);
  const auto run = [&](const Datatype& basic, int64_t elements) {
    const Form form = form_of(basic);
    return each_piece(form, elements, [&](char* buffer, size_t n) {
      decode_all(form, buffer, external, n);
      cursor.unpack(buffer, n * form.inside);
      external += n * form.outside;
      return MPI_SUCCESS;
    });
  };
  return each_run(type, count, run);
}

}  // namespace detmpi
