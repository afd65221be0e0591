#include "exposure.hpp"

#include <base/check.hpp>
#include <base/sys.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "../engine/engine.hpp"
#include "../object/errors.hpp"

namespace detmpi {

// Where data lie: what a member publishes in its place.
struct Exposure::Exposed {
  uint64_t at;  // address in the member's memory, or of a copy in shared memory; or kAlong
  uint64_t bytes;
};

namespace {

constexpr uint64_t kAlong = 1;  // no address: behind the Exposed if there is room, else in the area
constexpr size_t kMostInPlace = chan::kPlaceBytes - 16;

// Between the memory of another process and a buffer that is not consecutive; stays in the first-level cache.
constexpr size_t kPieceBytes = 16384;

// Read by the neighbour, which so learns whether it can.
constexpr uint64_t kToken = 0x6578706f73757265;
const uint64_t g_token = kToken;

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

// Each member reads from its neighbour; so all learn the same.
void Exposure::find_out() {
  const auto publish = [this](uint64_t value) {
    std::memcpy(rounds_.prepare(sizeof value, 0), &value, sizeof value);
    rounds_.publish();
  };
  const auto published = [this](uint32_t member) {
    uint64_t value;
    std::memcpy(&value, rounds_.await(member, sizeof value, 0), sizeof value);
    return value;
  };
  publish(reinterpret_cast<uint64_t>(&g_token));
  const uint32_t neighbour = (rounds_.me() + 1) % rounds_.members();
  const uint64_t address = published(neighbour);
  uint64_t token = 0;
  const bool allowed = g_job->direct_from.blocking != DirectFrom::kNever;
  const bool can =
      allowed && spmc::base::read_memory(process_of(rounds_.comm(), neighbour), address, &token, sizeof token).ok();
  rounds_.finish();
  publish(can && token == kToken ? 1 : 0);
  bool all_can = true;
  for (uint32_t member = 0; member < rounds_.members(); ++member) all_can = published(member) == 1 && all_can;
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
  CHECK(run.ok(), "no shared memory for a copy of %zu bytes that other ranks are to read: %s", bytes, run.error().what);
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

void Exposure::expose_any(const TypedBytes& data) {
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
  if (from.at != kAlong) return by_copies() ? reinterpret_cast<const std::byte*>(from.at) : nullptr;
  if (from.bytes > kMostInPlace) return rounds_.data(member, rounds_.block());
  return rounds_.data(member, sizeof from) + sizeof from;
}

void Exposure::read_away(uint32_t member, uint64_t address, void* to, size_t bytes) {
  const auto copied = spmc::base::read_memory(process_of(rounds_.comm(), member), address, to, bytes);
  if (!copied && copied.error().code == ESRCH) wait_for_the_end();
  if (!copied) {
    rounds_.fail(make_error(MPI_ERR_BUFFER, "the data of rank %u cannot be read: %s (see --direct-from)", member,
                            std::strerror(copied.error().code)));
  }
  rounds_.has_read(to, bytes);
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

size_t Exposure::read_any(uint32_t member, TypedBytes to) {
  Exposed from;
  std::memcpy(&from, rounds_.await(member, sizeof from, 0), sizeof from);
  if (!leaves_to_messages(from.bytes)) copy(member, from, 0, to);
  exposed_ = exposes_ || from.at != kAlong;
  return from.bytes;
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
