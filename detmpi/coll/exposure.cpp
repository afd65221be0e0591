#include "exposure.hpp"

#include <base/sys.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "../engine/engine.hpp"
#include "../engine/out_of_memory.hpp"
#include "../object/errors.hpp"

namespace detmpi {

// Where data lie: what a member publishes in its place; or in its area, one for each other member, in the order of the
// members, and for itself whether it exposes anything (kTold).
struct Exposure::Exposed {
  uint64_t at;  // address in the member's memory, or of a copy in shared memory; or where in its area; or one of below
  uint64_t bytes;
};

// What a member says that has written its part.
struct Exposure::Written {
  uint64_t bytes;  // that it had
  int64_t error;   // 0, or of the system
};

namespace {

constexpr uint64_t kAlong = 1;  // no address: behind the Exposed if there is room, else in the area
constexpr uint64_t kTold = 2;
constexpr uint64_t kByMessage = 3;
constexpr size_t kMostInPlace = chan::kPlaceBytes - 16;

// Between the memory of another process and a buffer that is not consecutive; stays in the first-level cache.
constexpr size_t kPieceBytes = 16384;

// Read and written by the neighbour, which so learns whether it can.
constexpr uint64_t kToken = 0x6578706f73757265;
const uint64_t g_token = kToken;
uint64_t g_written_token = 0;
struct Tokens {
  uint64_t read, written;  // where they are
};

pid_t process_of(const Comm& comm, uint32_t member) {
  return rank_record(comm.world_rank[member]).pid.load(std::memory_order_relaxed);
}

// The job is being ended: without a word about what this rank cannot read any more.
[[noreturn]] void wait_for_the_end() {
  for (;;) spmc::base::sleep_ns(1'000'000'000);
}

}  // namespace

Exposure::Exposure(Rounds& rounds) : rounds_(rounds) {
  static_assert(sizeof(Exposed) + kMostInPlace == chan::kPlaceBytes);
  if (rounds.transport().reading == Reading::kUnknown) [[unlikely]]
    find_out();
}

Exposure::~Exposure() {
  if (copy_pages_ > 0) spmc::FramePool::free(copy_, copy_pages_);
}

// Each member reads from its neighbour, and writes to it; so all learn the same.
void Exposure::find_out() {
  const auto publish = [this](Tokens tokens) {
    std::memcpy(rounds_.prepare(sizeof tokens, 0), &tokens, sizeof tokens);
    rounds_.publish();
  };
  const auto published = [this](uint32_t member) {
    Tokens tokens;
    std::memcpy(&tokens, rounds_.await(member, sizeof tokens, 0), sizeof tokens);
    return tokens;
  };
  publish({reinterpret_cast<uint64_t>(&g_token), reinterpret_cast<uint64_t>(&g_written_token)});
  const uint32_t neighbour = (rounds_.me() + 1) % rounds_.members();
  const Tokens there = published(neighbour);
  uint64_t token = 0;
  const pid_t process = process_of(rounds_.comm(), neighbour);
  const bool can = g_job->direct_from.one_way != DirectFrom::kNever &&
                   spmc::base::read_memory(process, there.read, &token, sizeof token).ok() && token == kToken &&
                   spmc::base::write_memory(process, there.written, &token, sizeof token).ok();
  rounds_.finish();
  publish({can, can});
  bool all_can = true;
  for (uint32_t member = 0; member < rounds_.members(); ++member) all_can = published(member).read == 1 && all_can;
  rounds_.finish();
  rounds_.transport().reading = all_can ? Reading::kDirect : Reading::kByCopies;
}

std::byte* Exposure::room_for_copy(size_t bytes) {
  if (!by_copies()) {
    packed_.resize(bytes);
    return packed_.data();
  }
  copy_pages_ = static_cast<uint32_t>((bytes + spmc::kPageSize - 1) >> spmc::kPageShift);
  auto run = g_engine.frames().try_alloc_run(copy_pages_);
  if (!run) end_out_of_memory("a copy of " + std::to_string(bytes) + " bytes that other ranks are to reach");
  copy_ = run.value();
  return spmc::segment::frame(copy_);
}

// Where others may read it.
const void* Exposure::place_of(const TypedBytes& data) {
  if ((data.flat() != nullptr && !by_copies()) || data.size() == 0) return data.flat();
  std::byte* const copy = room_for_copy(data.size());
  TypedBytes(data).read(copy, data.size());
  return copy;
}

void Exposure::expose(const TypedBytes& data) {
  const void* lies = place_of(data);
  const Exposed exposed{reinterpret_cast<uint64_t>(lies), data.size()};
  std::memcpy(rounds_.prepare(sizeof exposed), &exposed, sizeof exposed);
  rounds_.publishes(lies, data.size());
  exposes_ = exposed_ = true;
  rounds_.publish();
}

// The lengths that messages are for depend on the number of members alone.
size_t Exposure::most_along(const Rounds& rounds) {
  const size_t members = rounds.members(), table = members * sizeof(Exposed);
  if (members == 2) return kMostAlong;
  return table < rounds.block() / 2 ? std::min(kMostAlong, (rounds.block() - table) / members) : 0;
}

void Exposure::expose_blocks(std::span<TypedBytes> blocks) {
  const auto is_exposed = [this](size_t bytes) { return bytes > most_along(rounds_) && !leaves_to_messages(bytes); };
  const auto is_copied = [this](const TypedBytes& data) { return data.flat() == nullptr || by_copies(); };
  size_t along = 0, copied = 0;
  for (const TypedBytes& data : blocks) {
    exposes_ = exposes_ || is_exposed(data.size());
    if (is_exposed(data.size()) && is_copied(data)) copied += data.size();
    if (data.size() <= most_along(rounds_)) along += data.size();
  }
  const size_t table = blocks.size() * sizeof(Exposed);
  std::byte* const area = rounds_.prepare(rounds_.block(), table + along);
  std::byte* to = area + table;
  std::byte* copy = copied > 0 ? room_for_copy(copied) : nullptr;
  const auto copy_to = [](std::byte*& room, TypedBytes& data) {
    data.read(room, data.size());
    room += data.size();
    return room - data.size();
  };
  for (size_t member = 0; member < blocks.size(); ++member) {
    TypedBytes& data = blocks[member];
    Exposed exposed{kByMessage, data.size()};
    if (member == rounds_.me()) exposed = {kTold, exposes_};
    else if (data.size() <= most_along(rounds_)) exposed.at = static_cast<uint64_t>(copy_to(to, data) - area);
    else if (is_exposed(data.size()))
      exposed.at = reinterpret_cast<uint64_t>(is_copied(data) ? copy_to(copy, data) : place_of(data));
    std::memcpy(area + member * sizeof exposed, &exposed, sizeof exposed);
  }
  rounds_.publishes(area + table, along);
  rounds_.publish();
}

void Exposure::expose_to_other(const TypedBytes& data) {
  const size_t bytes = data.size();
  const bool left = leaves_to_messages(bytes);
  const void* lies = nullptr;
  exposes_ = bytes > kMostAlong && !left;
  if (exposes_) {
    lies = place_of(data);
  } else if (bytes > kMostInPlace && !left) {
    std::byte* const area = rounds_.prepare(rounds_.block(), bytes);
    TypedBytes(data).read(area, bytes);
    lies = area;
  }
  const Exposed exposed{exposes_ ? reinterpret_cast<uint64_t>(lies) : kAlong, bytes};
  std::byte* const place = rounds_.prepare(chan::kPlaceBytes);
  std::memcpy(place, &exposed, sizeof exposed);
  if (bytes <= kMostInPlace) {
    TypedBytes(data).read(place + sizeof exposed, bytes);
    lies = place + sizeof exposed;
  }
  rounds_.publishes(lies, left ? 0 : bytes);
  rounds_.publish();
}

// Where the data of a member lie in this process; nullptr: nowhere.
const std::byte* Exposure::find(uint32_t member, const Exposed& from) const {
  if (from.at != kAlong && from.at < chan::Board::kLargestArea) return rounds_.data(member, rounds_.block()) + from.at;
  if (from.at != kAlong) return by_copies() ? reinterpret_cast<const std::byte*>(from.at) : nullptr;
  if (from.bytes > kMostInPlace) return rounds_.data(member, rounds_.block());
  return rounds_.data(member, sizeof from) + sizeof from;
}

void Exposure::read_away(uint32_t member, uint64_t address, void* to, size_t bytes) {
  const auto copied = spmc::base::read_memory(process_of(rounds_.comm(), member), address, to, bytes);
  if (!copied) cannot_reach(member, copied.error().code);
  rounds_.has_read(to, bytes);
}

void Exposure::cannot_reach(uint32_t member, int error) {
  if (error == ESRCH) wait_for_the_end();
  // Nobody but the rank itself can open it.
  const char* const advice =
      error == EFAULT ? "for memory that opens when it is touched: --direct-from=never" : "see --direct-from";
  rounds_.fail(make_error(MPI_ERR_BUFFER, "data cannot be copied between here and rank %u: %s (%s)", member,
                          std::strerror(error), advice));
}

// What lies `at` bytes behind the beginning, as far as there is room.
void Exposure::copy(uint32_t member, const Exposed& from, size_t at, TypedBytes& to) {
  const size_t bytes = std::min<uint64_t>(to.left(), from.bytes - std::min<uint64_t>(at, from.bytes));
  if (bytes == 0) return;
  if (const std::byte* data = find(member, from)) {
    to.write(data + at, bytes);
    rounds_.has_read(data + at, bytes);
  } else if (to.flat() != nullptr) {
    read_away(member, from.at + at, to.flat(), bytes);
    to.skip(bytes);
  } else {
    alignas(64) std::byte piece[kPieceBytes];
    for (size_t done = 0; done < bytes; done += sizeof piece) {
      const size_t n = std::min(bytes - done, sizeof piece);
      read_away(member, from.at + at + done, piece, n);
      to.write(piece, n);
    }
  }
}

// What is not there, of members that differ, is zeros.
void Exposure::read(uint32_t member, size_t at, TypedBytes to) {
  Exposed from;
  std::memcpy(&from, rounds_.await(member, sizeof from, 0), sizeof from);
  copy(member, from, at, to);
  constexpr std::byte kZeros[256]{};
  while (to.left() > 0) to.write(kZeros, sizeof kZeros);
}

uint64_t Exposure::read_part(uint32_t owner, TypedBytes to) {
  Exposed from;
  std::memcpy(&from, rounds_.await(owner, sizeof from, 0), sizeof from);
  const uint64_t each = from.bytes / rounds_.members();
  TypedBytes part = to.part(0, each);
  copy(owner, from, each * rounds_.me(), part);
  return each;
}

void Exposure::close_parts(uint32_t owner) {
  rounds_.finish();
  if (rounds_.me() == owner) {
    rounds_.await_each([](uint32_t) {});
  } else {
    rounds_.prepare(0);
    rounds_.publish(static_cast<int>(owner));
  }
  rounds_.finish();
}

// Where data are not consecutive, or others cannot write to them, the parts are copied once more.
void Exposure::open_parts(const TypedBytes& room) {
  room_ = room;
  const bool in_place = room.flat() != nullptr && !by_copies();
  written_ = in_place ? reinterpret_cast<std::byte*>(room.flat()) : room_for_copy(room.size());
  const Exposed open{reinterpret_cast<uint64_t>(written_), room.size()};
  std::memcpy(rounds_.prepare(sizeof open), &open, sizeof open);
  rounds_.publishes(nullptr, 0);
  rounds_.publish();
}

void Exposure::write_part(uint32_t owner, TypedBytes from) {
  const uint64_t bytes = from.size();
  const std::byte* data = reinterpret_cast<const std::byte*>(from.flat());
  if (data == nullptr && bytes > 0) {
    packed_.resize(bytes);
    from.read(packed_.data(), bytes);
    data = packed_.data();
  }
  Exposed open;
  std::memcpy(&open, rounds_.await(owner, sizeof open, 0), sizeof open);
  const uint64_t each = open.bytes / rounds_.members();
  const Written written{bytes, write_away(owner, open.at + each * rounds_.me(), data, std::min(bytes, each))};
  rounds_.finish();
  std::memcpy(rounds_.prepare(sizeof written), &written, sizeof written);
  rounds_.publishes(data, bytes);
  rounds_.publish(static_cast<int>(owner));
  rounds_.finish();
}

// 0, or why not.
int Exposure::write_away(uint32_t member, uint64_t address, const std::byte* from, size_t bytes) {
  if (bytes == 0) return 0;
  if (by_copies()) {
    copy_to_shared(reinterpret_cast<std::byte*>(address), from, bytes);
    return 0;
  }
  const auto copied = spmc::base::write_memory(process_of(rounds_.comm(), member), address, from, bytes);
  return copied ? 0 : copied.error().code;
}

uint64_t Exposure::take_part(uint32_t member) {
  Written written;
  std::memcpy(&written, rounds_.data(member, sizeof written), sizeof written);
  if (written.error != 0) cannot_reach(member, static_cast<int>(written.error));
  const size_t each = room_.size() / rounds_.members(), bytes = std::min<uint64_t>(written.bytes, each);
  const std::byte* const part = written_ + each * member;
  rounds_.has_read(part, bytes);
  if (room_.flat() == nullptr || by_copies()) room_.part(each * member, each).write(part, bytes);
  return written.bytes;
}

Exposure::Came Exposure::read_own(uint32_t member, TypedBytes to) {
  Exposed from;
  exposed_ = exposed_ || exposes_;
  if (rounds_.members() == 2) {
    std::memcpy(&from, rounds_.await(member, sizeof from, 0), sizeof from);
    exposed_ = exposed_ || from.at != kAlong;
    if (leaves_to_messages(from.bytes)) from.at = kByMessage;
  } else {
    const std::byte* const table = rounds_.await(member, rounds_.block(), 0);
    Exposed told;
    std::memcpy(&told, table + member * sizeof told, sizeof told);
    exposed_ = exposed_ || told.bytes != 0;
    std::memcpy(&from, table + rounds_.me() * sizeof from, sizeof from);
  }
  if (from.at != kByMessage) copy(member, from, 0, to);
  return {from.bytes, from.at == kByMessage};
}

void Exposure::close() {
  rounds_.finish();
  if (!exposed_) return;
  rounds_.prepare(0);
  rounds_.publish();
  if (exposes_) rounds_.await_all(0);
  rounds_.finish();
}

}  // namespace detmpi
