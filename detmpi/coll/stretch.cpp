#include "stretch.hpp"

#include <algorithm>

#include "../engine/events.hpp"

namespace detmpi {

std::vector<Share> Stretch::shared_out(const Rounds& rounds, int64_t begin, int64_t n) {
  const int64_t members = rounds.members();
  std::vector<Share> shares;
  for (int64_t i = 0; i < members; ++i) shares.push_back({begin + n * i / members, begin + n * (i + 1) / members});
  return shares;
}

Stretch::Stretch(Rounds& rounds, CutVector& v, const std::vector<Share>& shares)
    : rounds_(rounds), v_(v), shares_(shares) {
  for (const Share& share : shares_) {
    starts_.push_back(size_);
    size_ += share.size();
    longest_ = std::max(longest_, share.size());
  }
}

int64_t Stretch::length(int64_t at) const { return std::min(v_.block, size_ - at); }

// What of a member's share lies in the round that begins at `at`; in the stretch.
Share Stretch::within(uint32_t member, int64_t at) const {
  const int64_t start = starts_[member];
  const Share both{std::max(at, start), std::min(at + length(at), start + shares_[member].size())};
  return both.size() > 0 ? both : Share{};
}

// Where in this member's vector.
const char* Stretch::lies(uint32_t member, int64_t in_stretch) const {
  return v_.at(shares_[member].first + in_stretch - starts_[member]);
}

void Stretch::publish(int64_t at) {
  std::byte* const area = rounds_.prepare(v_.bytes(length(at)));
  for (uint32_t member = 0; member < rounds_.members(); ++member) {
    if (member == rounds_.me() && !g_log_events) continue;  // nobody reads it
    const Share part = within(member, at);
    if (part.size() > 0)
      pack_to_shared(area + v_.bytes(part.first - at), lies(member, part.first), part.size(), v_.type);
  }
  rounds_.publish();
}

void Stretch::fold_own(int64_t at, Share own, char* result) {
  fold_in_order(rounds_, v_, result, lies(rounds_.me(), own.first), own.size(), [&](uint32_t member) {
    const std::byte* const theirs = rounds_.await(member, v_.bytes(length(at)), 0) + v_.bytes(own.first - at);
    rounds_.has_read(theirs, v_.bytes(own.size()));
    return theirs;
  });
}

void Stretch::fold_to(char* own) {
  const int64_t needed = (size_ + v_.block - 1) / v_.block;
  while (needed > rounds_.most_ahead() && !rounds_.out()) rounds_.finish();
  for (int64_t at = 0; at < size_; at += v_.block) publish(at);
  for (int64_t at = 0; at < size_; at += v_.block) {
    const Share part = within(rounds_.me(), at);
    if (part.size() > 0) fold_own(at, part, own + (part.first - starts_[rounds_.me()]) * v_.type.extent);
    rounds_.finish();
  }
}

// Each begins with another member.
void Stretch::collect(const char* own, char* out, int to) {
  const uint32_t me = rounds_.me(), members = rounds_.members();
  const bool gets = to == Rounds::kEverybody || me == static_cast<uint32_t>(to);
  const bool gives = to == Rounds::kEverybody || !gets;
  const size_t room = v_.bytes(std::min(v_.block, longest_));
  for (int64_t done = 0; done < longest_; done += v_.block) {
    const auto left = [&](uint32_t i) { return std::clamp(shares_[i].size() - done, int64_t{0}, v_.block); };
    if (gives) {
      std::byte* const place = rounds_.prepare(room, v_.bytes(left(me)));
      if (left(me) > 0) pack_to_shared(place, own + done * v_.type.extent, left(me), v_.type);
      rounds_.publish(to);
    }
    for (uint32_t step = 1; gets && step < members; ++step) {
      const uint32_t i = (me + members - step) % members;
      if (left(i) == 0) continue;
      const std::byte* const theirs = rounds_.await(i, room, v_.bytes(left(i)));
      unpack_all(out + (shares_[i].first + done) * v_.type.extent, left(i), v_.type, theirs);
    }
    rounds_.finish();
  }
}

}  // namespace detmpi
