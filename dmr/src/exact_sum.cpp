#include <dmr/exact_sum.hpp>

#include <algorithm>

#include <dmr/error.hpp>

namespace dmr {

static_assert(std::endian::native == std::endian::little, "words are read as bytes");

namespace {

constexpr uint32_t kMostWords = 72;  // 2^64 numbers of almost 2^1024, a sign, and three words that they are added in

// The head of a sum as bytes: what was seen, how many bytes of words follow, and where they lie.
constexpr size_t kHeadBytes = 3;
constexpr int kSeenBits = 5, kSizeBits = 9;

}  // namespace

void ExactSum::copy_outside() {
  auto* const fresh = new uint32_t[room_];
  std::copy_n(outside(), count_, fresh);
  std::memcpy(inside_, &fresh, sizeof fresh);
}

void ExactSum::make_room(uint32_t count) {
  if (count <= room_) return;
  const uint32_t room = std::min(count + 3, kMostWords);  // numbers of other sizes will come
  auto* const fresh = new uint32_t[room];
  release();
  std::memcpy(inside_, &fresh, sizeof fresh);
  room_ = static_cast<uint8_t>(room);
}

uint32_t* ExactSum::keep_anew(uint32_t first, uint32_t end) {
  if (end > kMostWords) throw JobError("a sum of more than 2^64 numbers");
  make_room(end - first);
  first_ = static_cast<uint8_t>(first);
  count_ = static_cast<uint8_t>(end - first);
  return words();
}

void ExactSum::keep(uint32_t first, uint32_t end) {
  const auto [used_first, used_end] = used();
  uint32_t kept[kMostWords];
  const uint32_t *const from = words() + (used_first - first_), *const to = words() + (used_end - first_);
  const uint32_t above = sign();
  std::copy(from, to, kept);
  uint32_t* const all = keep_anew(first, end);
  uint32_t* const lowest = std::fill_n(all, used_first - first, 0);
  std::fill(std::copy_n(kept, used_end - used_first, lowest), all + count_, above);
}

ExactSum::Extent ExactSum::used() const {
  const uint32_t* const all = words();
  const uint32_t above = sign();
  uint32_t first = 0, end = count_;
  while (first < end && all[first] == 0) ++first;
  while (end > first + 1 && all[end - 1] == above && (all[end - 2] ^ above) >> 31 == 0) --end;
  return {first_ + first, first_ + end};
}

void ExactSum::make_ready_for(uint32_t first, uint32_t end) {
  if (count_ == 0) {
    // In the middle of as many as there is room for: the next number may be greater or smaller.
    if (end - first < kInside && first > 0) --first;
    end = std::max(end, std::min(first + kInside, kMostWords));
    std::fill_n(keep_anew(first, end), end - first, 0);
    return;
  }
  const Extent kept = {std::min<uint32_t>(first, first_),
                       std::max(end, first_ + uint32_t{count_} + (has_slack() ? 0 : 1))};
  if (kept.end - kept.first <= room_) return keep(kept.first, kept.end);
  const Extent need = used();
  if (need.first == need.end) {
    std::fill_n(keep_anew(first, end), end - first, 0);
    return;
  }
  const bool slack = (words()[need.end - 1 - first_] ^ sign()) >> 30 == 0;
  keep(std::min(first, need.first), std::max(end, need.end + (slack ? 0 : 1)));
}

void ExactSum::add_special(bool no_number, bool negative) {
  seen_ |= no_number ? kNoNumber : negative ? kMinusInfinity : kInfinity;
}

void ExactSum::add(const ExactSum& other) {
  if (&other == this) return add(ExactSum(other));
  seen_ |= other.seen_;
  const auto [first, end] = other.used();
  if (first == end) return;
  // The highest word gets the sign of the sum if neither has used the bit below its own.
  const uint32_t* const theirs = other.words() + (first - other.first_);
  const uint32_t above = other.sign(), count = end - first;
  const uint32_t ready_end = end + ((theirs[count - 1] ^ above) >> 30 == 0 ? 0 : 1);
  if (first < first_ || ready_end > first_ + uint32_t{count_} || !has_slack()) make_ready_for(first, ready_end);
  uint64_t carry = 0;
  uint32_t *at = words() + (first - first_), *const end_of_all = words() + count_;
  for (uint32_t i = 0; at != end_of_all; ++i, ++at) {
    carry += uint64_t{*at} + (i < count ? theirs[i] : above);
    *at = static_cast<uint32_t>(carry);
    carry >>= 32;
  }
}

// --- rounding ---

namespace {

// Without a sign, from the lowest word that is kept of a sum.
struct Magnitude {
  uint32_t words[kMostWords];
  uint32_t count;

  Magnitude(const uint32_t* from, uint32_t of, bool negative) : count(of) {
    uint64_t carry = negative ? 1 : 0;
    for (uint32_t i = 0; i < count; ++i) {
      carry += negative ? ~from[i] : from[i];
      words[i] = static_cast<uint32_t>(carry);
      carry >>= 32;
    }
    while (count > 0 && words[count - 1] == 0) --count;
  }
  // Bits that are not there are 0.
  uint64_t word(int64_t at) const { return at >= 0 && at < count ? words[at] : 0; }
  uint64_t bits(int64_t lowest, int size) const {
    __extension__ using Wide = unsigned __int128;
    const int64_t at = lowest >> 5;
    const Wide three = word(at) | Wide{word(at + 1)} << 32 | Wide{word(at + 2)} << 64;
    return static_cast<uint64_t>(three >> (lowest & 31)) & ((uint64_t{1} << size) - 1);
  }
  bool any_below(int64_t bit) const {
    for (int64_t at = 0; at < std::min<int64_t>(bit >> 5, count); ++at) {
      if (words[at] != 0) return true;
    }
    return bit > 0 && (word(bit >> 5) & ((uint64_t{1} << (bit & 31)) - 1)) != 0;
  }
  int64_t highest() const { return int64_t{32} * count - 1 - std::countl_zero(words[count - 1]); }
};

}  // namespace

template <Real T>
T ExactSum::rounded() const {
  using Of = Layout<T>;
  using Bits = typename Of::Bits;
  constexpr auto kInfinite = Bits{Of::kSpecial} << Of::kFraction, kSign = Bits{1} << (8 * sizeof(T) - 1);
  const auto number = [](bool negative, uint64_t bits) {
    return std::bit_cast<T>(static_cast<Bits>((negative ? kSign : 0) | bits));
  };
  constexpr uint8_t kBoth = kInfinity | kMinusInfinity;
  if ((seen_ & kNoNumber) != 0 || (seen_ & kBoth) == kBoth) return number(false, kInfinite | kInfinite >> 1);
  if ((seen_ & kBoth) != 0) return number((seen_ & kMinusInfinity) != 0, kInfinite);
  const Magnitude magnitude(words(), count_, negative());
  if (magnitude.count == 0) return number(seen_ == kMinusZero, 0);

  // From the lowest word on.
  const int64_t least = int64_t{kBitsBelowOne} - Of::kBitsBelowOne - int64_t{32} * first_;
  const int64_t lowest = std::max(magnitude.highest() - Of::kFraction, least);
  uint64_t mantissa = magnitude.bits(lowest, Of::kFraction + 1);
  const bool half = magnitude.bits(lowest - 1, 1) != 0;
  if (half && (mantissa % 2 != 0 || magnitude.any_below(lowest - 1))) ++mantissa;
  // The highest bit of the mantissa, if it is there, adds 1 to the exponent; so does one more that rounding gives.
  const uint64_t bits = (static_cast<uint64_t>(lowest - least) << Of::kFraction) + mantissa;
  return number(negative(), std::min<uint64_t>(bits, kInfinite));
}
template float ExactSum::rounded<float>() const;
template double ExactSum::rounded<double>() const;

// --- as bytes ---

// Without bytes at the bottom that are 0, and at the top that only repeat the sign.
void ExactSum::append_to(std::string& bytes) const {
  char coded[kHeadBytes + kMostWords * sizeof(uint32_t)];
  const auto [first_word, end_word] = used();
  size_t position = 0, size = 0;
  if (first_word != end_word) {
    const uint32_t *const lowest = words() + (first_word - first_), *const highest = words() + (end_word - 1 - first_);
    const size_t zeros = static_cast<size_t>(std::countr_zero(*lowest)) / 8;
    const size_t repeated = static_cast<size_t>(std::max(std::countl_zero(*highest ^ sign()) - 1, 0)) / 8;
    position = first_word * sizeof(uint32_t) + zeros;
    size = (end_word - first_word) * sizeof(uint32_t) - zeros - repeated;
    std::memcpy(coded + kHeadBytes, reinterpret_cast<const char*>(lowest) + zeros, size);
  }
  const size_t head = seen_ | size << kSeenBits | position << (kSeenBits + kSizeBits);
  for (size_t i = 0; i < kHeadBytes; ++i) coded[i] = static_cast<char>(static_cast<uint8_t>(head >> 8 * i));
  bytes.append(coded, kHeadBytes + size);
}

ExactSum ExactSum::take_from(std::string_view& bytes) {
  size_t head = 0;
  for (size_t i = 0; i < kHeadBytes && i < bytes.size(); ++i) head |= size_t{static_cast<uint8_t>(bytes[i])} << 8 * i;
  const size_t size = head >> kSeenBits & ((1u << kSizeBits) - 1), position = head >> (kSeenBits + kSizeBits);
  if (bytes.size() < kHeadBytes + size || position + size > kMostWords * sizeof(uint32_t)) {
    throw JobError("the bytes of a sum are not whole");
  }
  bytes.remove_prefix(kHeadBytes);
  ExactSum sum;
  sum.seen_ = static_cast<uint8_t>(head & ((1u << kSeenBits) - 1));
  if (size == 0) return sum;
  constexpr size_t kWord = sizeof(uint32_t);
  const bool negative = static_cast<uint8_t>(bytes[size - 1]) >= 0x80;
  uint32_t* const all = sum.keep_anew(static_cast<uint32_t>(position / kWord),
                                      static_cast<uint32_t>((position + size + kWord - 1) / kWord));
  // The bytes that are not there, at the top and then at the bottom.
  all[sum.count_ - 1] = negative ? UINT32_MAX : 0;
  std::memset(all, 0, position % kWord);
  std::memcpy(reinterpret_cast<char*>(all) + position % kWord, bytes.data(), size);
  bytes.remove_prefix(size);
  return sum;
}

}  // namespace dmr
