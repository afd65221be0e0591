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

void ExactSum::keep(uint32_t first, uint32_t end) {
  if (end > kMostWords) throw JobError("a sum of more than 2^64 numbers");
  const uint32_t sign = negative() ? UINT32_MAX : 0;
  uint32_t kept[kMostWords];
  for (uint32_t word = first; word < end; ++word) {
    const bool is_there = word >= first_ && word < first_ + uint32_t{count_};
    kept[word - first] = is_there ? words()[word - first_] : word < first_ ? 0 : sign;
  }
  make_room(end - first);
  first_ = static_cast<uint8_t>(first);
  count_ = static_cast<uint8_t>(end - first);
  std::copy_n(kept, count_, words());
}

void ExactSum::make_ready_for(uint32_t word) {
  uint32_t first = word, end = word + 3;
  if (count_ != 0) {
    first = std::min<uint32_t>(first, first_);
    end = std::max(end, first_ + uint32_t{count_} + (has_slack() ? 0 : 1));
  }
  if (end - first > room_) {
    const uint32_t *const all = words(), *const end_of_all = all + count_;
    const uint32_t* const used = std::find_if(all, end_of_all, [](uint32_t w) { return w != 0; });
    first = std::min(word, first_ + static_cast<uint32_t>(used - all));
    if (used == end_of_all) first = word, end = word + 3;
  }
  keep(first, end);
}

void ExactSum::add_special(bool no_number, bool negative) {
  seen_ |= no_number ? kNoNumber : negative ? kMinusInfinity : kInfinity;
}

void ExactSum::add(const ExactSum& other) {
  if (&other == this) return add(ExactSum(other));
  seen_ |= other.seen_;
  // Words that only repeat the sign would make this one's window longer with each sum.
  const uint32_t *const theirs = other.words(), sign = other.negative() ? UINT32_MAX : 0;
  uint32_t count = other.count_;
  while (count > 1 && theirs[count - 1] == sign && (theirs[count - 2] ^ sign) >> 31 == 0) --count;
  for (uint32_t i = 0; i < count; i += 2) {
    const int words = i + 1 < count ? 2 : 1;
    Wide part = theirs[i];
    if (words == 2) part |= Wide{theirs[i + 1]} << 32;
    // The last one has the sign.
    if (i + 2 >= count && sign != 0) part -= Wide{1} << 32 * words;
    if (part != 0) add_at(other.first_ + i, part);
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
  const auto* const all = reinterpret_cast<const uint8_t*>(words());
  const uint8_t sign = negative() ? UINT8_MAX : 0;
  size_t first = 0, end = count_ * sizeof(uint32_t);
  while (first < end && all[first] == 0) ++first;
  while (end > first + 1 && all[end - 1] == sign && (all[end - 2] ^ sign) < 0x80) --end;
  const size_t position = first == end ? 0 : first_ * sizeof(uint32_t) + first;
  const size_t head = seen_ | (end - first) << kSeenBits | position << (kSeenBits + kSizeBits);
  for (size_t i = 0; i < kHeadBytes; ++i) bytes.push_back(static_cast<char>(static_cast<uint8_t>(head >> 8 * i)));
  bytes.append(reinterpret_cast<const char*>(all) + first, end - first);
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
  sum.keep(static_cast<uint32_t>(position / kWord), static_cast<uint32_t>((position + size + kWord - 1) / kWord));
  auto* const all = reinterpret_cast<uint8_t*>(sum.words());
  std::memset(all, negative ? UINT8_MAX : 0, sum.count_ * kWord);
  std::memset(all, 0, position % kWord);
  std::memcpy(all + position % kWord, bytes.data(), size);
  bytes.remove_prefix(size);
  return sum;
}

}  // namespace dmr
