#include "exposure.hpp"

#include <base/check.hpp>
#include <base/sys.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "../engine/engine.hpp"
#include "../object/errors.hpp"

namespace detmpi {

// What a member publishes.
struct Exposure::Exposed {
  uint64_t address;  // in the member's memory; of a copy: its first page in the segment
  uint64_t bytes;
  bool is_copy;
};

namespace {

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
  static_assert(sizeof(Exposed) <= chan::kPlaceBytes);
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

uint64_t Exposure::shared_copy(const void* data, size_t bytes) {
  copy_pages_ = static_cast<uint32_t>((bytes + spmc::kPageSize - 1) >> spmc::kPageShift);
  auto run = g_engine.frames().try_alloc_run(copy_pages_);
  CHECK(run.ok(), "no shared memory for a copy of %zu bytes that other ranks are to read: %s", bytes, run.error().what);
  copy_ = run.value();
  std::memcpy(spmc::segment::frame(copy_), data, bytes);
  return copy_.value;
}

void Exposure::expose(const TypedBytes& data) {
  const void* lies = data.flat();
  if (lies == nullptr && data.size() > 0) {
    packed_.resize(data.size());
    TypedBytes(data).read(packed_.data(), data.size());
    lies = packed_.data();
  }
  Exposed exposed{reinterpret_cast<uint64_t>(lies), data.size(), false};
  if (rounds_.transport().reading == Reading::kByCopies && data.size() > 0) {
    exposed = {shared_copy(lies, data.size()), data.size(), true};
  }
  std::memcpy(rounds_.prepare_for(lies, data.size()), &exposed, sizeof exposed);
  rounds_.publish();
}

size_t Exposure::read(uint32_t member, size_t at, void* to, size_t bytes) {
  Exposed exposed;
  std::memcpy(&exposed, rounds_.await(member, sizeof exposed, 0), sizeof exposed);
  bytes = std::min(bytes, exposed.bytes - std::min<uint64_t>(at, exposed.bytes));  // of members that differ
  if (bytes == 0) return 0;
  if (exposed.is_copy) {
    const spmc::EPageIndex first{static_cast<uint32_t>(exposed.address)};
    std::memcpy(to, static_cast<const std::byte*>(spmc::segment::frame(first)) + at, bytes);
  } else {
    const pid_t process = process_of(rounds_.comm(), member);
    const auto copied = spmc::base::read_memory(process, exposed.address + at, to, bytes);
    if (!copied && copied.error().code == ESRCH) wait_for_the_end();
    if (!copied) {
      rounds_.fail(make_error(MPI_ERR_BUFFER, "the data of rank %u cannot be read: %s (see --direct-from)", member,
                              std::strerror(copied.error().code)));
    }
  }
  rounds_.has_read(to, bytes);
  return bytes;
}

// What is not there, of members that differ, is zeros.
void Exposure::read(uint32_t member, size_t at, TypedBytes to) {
  if (to.flat() != nullptr) {
    const size_t n = read(member, at, to.flat(), to.size());
    std::memset(to.flat() + n, 0, to.size() - n);
    return;
  }
  alignas(64) std::byte piece[kPieceBytes];
  do {
    const size_t wanted = std::min(to.left(), sizeof piece);
    const size_t n = read(member, at, piece, wanted);
    std::memset(piece + n, 0, wanted - n);
    to.write(piece, wanted);
    at += wanted;
  } while (to.left() > 0);
}

void Exposure::close() {
  rounds_.finish();
  rounds_.prepare(0);
  rounds_.publish();
  rounds_.await_all(0);
  rounds_.finish();
}

}  // namespace detmpi
