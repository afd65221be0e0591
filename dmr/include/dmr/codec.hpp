// How keys and values travel between spaces: as bytes. Keys compare as their bytes do, by memcmp.
//
// Strings, integers, floating-point numbers and arrays of those have codecs; a type of the program's gets one by
// specialising KeyCodec (encode must keep the order of keys) or ValueCodec, or is a value as its bytes if it is
// trivially copyable.
#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace dmr {

// --- keys ---

template <typename T>
struct KeyCodec;

template <typename T>
concept StringLike = std::same_as<T, std::string> || std::same_as<T, std::string_view>;

template <StringLike T>
struct KeyCodec<T> {
  static void encode(std::string_view key, std::string& to) { to.append(key); }
  static T decode(std::string_view bytes) { return T(bytes); }
};

namespace detail {

template <size_t kBytes>
using UnsignedOf =
    std::conditional_t<kBytes == 1, uint8_t,
                       std::conditional_t<kBytes == 2, uint16_t, std::conditional_t<kBytes == 4, uint32_t, uint64_t>>>;

template <std::unsigned_integral U>
void append_big_endian(U bits, std::string& to) {
  for (size_t i = sizeof(U); i-- > 0;) to.push_back(static_cast<char>(static_cast<uint8_t>(uint64_t{bits} >> (8 * i))));
}

template <std::unsigned_integral U>
U read_big_endian(std::string_view bytes) {
  uint64_t bits = 0;
  for (size_t i = 0; i < sizeof(U); ++i) bits = bits << 8 | static_cast<uint8_t>(bytes[i]);
  return static_cast<U>(bits);
}

// Ordered as unsigned numbers: integers with their sign turned round, floating-point numbers in the total order.
template <typename T>
auto ordered_bits(T value) {
  using U = UnsignedOf<sizeof(T)>;
  constexpr U kSign = static_cast<U>(U{1} << (8 * sizeof(T) - 1));
  const U bits = std::bit_cast<U>(value);
  if constexpr (std::unsigned_integral<T>) return bits;
  else if constexpr (std::integral<T>) return static_cast<U>(bits ^ kSign);
  else return static_cast<U>((bits & kSign) != 0 ? ~bits : bits | kSign);
}

template <typename T>
T from_ordered_bits(UnsignedOf<sizeof(T)> bits) {
  using U = UnsignedOf<sizeof(T)>;
  constexpr U kSign = static_cast<U>(U{1} << (8 * sizeof(T) - 1));
  if constexpr (std::unsigned_integral<T>) return bits;
  else if constexpr (std::integral<T>) return std::bit_cast<T>(static_cast<U>(bits ^ kSign));
  else return std::bit_cast<T>(static_cast<U>((bits & kSign) != 0 ? bits & ~kSign : ~bits));
}

}  // namespace detail

template <typename T>
concept Number = (std::integral<T> || std::floating_point<T>)&&sizeof(T) <= 8;

template <Number T>
struct KeyCodec<T> {
  static constexpr size_t kBytes = sizeof(T);
  static void encode(T key, std::string& to) { detail::append_big_endian(detail::ordered_bits(key), to); }
  static T decode(std::string_view bytes) {
    return detail::from_ordered_bits<T>(detail::read_big_endian<detail::UnsignedOf<sizeof(T)>>(bytes));
  }
};

template <Number T, size_t n>
struct KeyCodec<std::array<T, n>> {
  static void encode(const std::array<T, n>& key, std::string& to) {
    for (const T& part : key) KeyCodec<T>::encode(part, to);
  }
  static std::array<T, n> decode(std::string_view bytes) {
    std::array<T, n> key;
    for (size_t i = 0; i < n; ++i) key[i] = KeyCodec<T>::decode(bytes.substr(i * sizeof(T)));
    return key;
  }
};

// Encodes keys one after the other: what it gives is good until the next.
template <typename Key>
class KeyEncoder {
 public:
  std::string_view operator()(const auto& key) {
    if constexpr (StringLike<Key>) {
      return key;
    } else {
      encoded_.clear();
      KeyCodec<Key>::encode(key, encoded_);
      return encoded_;
    }
  }

 private:
  std::string encoded_;
};

// --- values ---
//
// A codec either has bytes(value), where the bytes lie in memory as they travel, or encode(value, to), which appends
// them.

template <typename T>
struct ValueCodec;

template <typename T>
requires(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T> && !StringLike<T>) struct ValueCodec<T> {
  static std::string_view bytes(const T& value) { return {reinterpret_cast<const char*>(&value), sizeof(T)}; }
  static T decode(std::string_view bytes) {
    T value;
    std::memcpy(&value, bytes.data(), sizeof(T));
    return value;
  }
};

template <StringLike T>
struct ValueCodec<T> {
  static std::string_view bytes(std::string_view value) { return value; }
  static T decode(std::string_view bytes) { return T(bytes); }
};

template <typename T>
requires(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>) struct ValueCodec<std::vector<T>> {
  static std::string_view bytes(const std::vector<T>& value) {
    return {reinterpret_cast<const char*>(value.data()), value.size() * sizeof(T)};
  }
  static std::vector<T> decode(std::string_view bytes) {
    std::vector<T> value(bytes.size() / sizeof(T));
    if (!value.empty()) std::memcpy(value.data(), bytes.data(), bytes.size());
    return value;
  }
};

// Values as bytes, one after the other: what it gives is good until the next, and no longer than the value.
template <typename Value>
class ValueEncoder {
 public:
  std::string_view operator()(const Value& value) {
    if constexpr (requires { ValueCodec<Value>::bytes(value); }) {
      return ValueCodec<Value>::bytes(value);
    } else {
      encoded_.clear();
      ValueCodec<Value>::encode(value, encoded_);
      return encoded_;
    }
  }

 private:
  std::string encoded_;
};

}  // namespace dmr
