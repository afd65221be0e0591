// Making channels and streams, handing their ends to children, giving them up (paper 004, III.C.1 and 2).
#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <new>

#include <chan/stream.h>
#include <space/space.h>
#include <spmc/spmc.h>
#include <base/check.hpp>
#include <space/hooks.hpp>
#include <spmc/segment.hpp>

#include "channel_state.hpp"
#include "records.hpp"

namespace chan {
namespace {

// Makes all that the producer wrote visible; nothing to do at other ends. A stream that fails here is freed.
int show_everything(const char* call, Channel& channel) {
  if (channel.role != Role::kProducer) return 0;
  if (channel.kind == Kind::kStream) return flush_withheld(call, channel);
  return publish_all(channel) == 0 ? 0 : fail_below(call, channel);
}

constexpr size_t kSmallestWindow = 2 * spmc::kPageSize;

// Maps `channel` at `to` in the child, as producer or as one more consumer.
int give_region_at(int child, const Channel& channel, Role as, void* to) {
  return as == Role::kProducer ? spmcR_transown(child, channel.inode, to, channel.bytes)
                               : spmcR_copycons(child, channel.inode, to, channel.bytes);
}

// At the same address if the child has it free (it does unless something else was handed to it there), else
// at the lowest that is. Returns the address or null.
std::byte* give_region(int child, const Channel& channel, Role as) {
  if (give_region_at(child, channel, as, channel.inode) == 0) return channel.inode;
  if (errno != EEXIST) return nullptr;
  void* const place = spmcR_place(child, channel.bytes);
  if (place == nullptr || give_region_at(child, channel, as, place) != 0) return nullptr;
  return static_cast<std::byte*>(place);
}

// 0: the child can be handed an end.
int check_child(const char* call, const Channel& channel, int child) {
  const auto number = static_cast<long long>(channel.id);
  const char* what = noun(channel.kind);
  space_exit_info info;
  if (space_status(child, &info) != 0 || info.state == SPACE_ENDED) {
    return fail(ESRCH, "%s: %s %lld: this space has no child %d", call, what, number, child);
  }
  if (info.state != SPACE_ALLOCATED) {
    return fail(EBUSY, "%s: %s %lld: child %d has been started already", call, what, number, child);
  }
  if (Table::mine().has_handed(child, channel.id)) {
    return fail(EEXIST, "%s: %s %lld: child %d has an end of it already", call, what, number, child);
  }
  return 0;
}

// Hands an end to the child, which was checked; `channel` itself is unchanged.
int hand(const char* call, const Channel& channel, int child, Role as) try {
  Table& table = Table::mine();
  // First what may lack memory.
  Channel& end = table.hand_over({child, space::child_slot(child).value(), channel}).end;
  end.role = as;
  end.inode = give_region(child, channel, as);
  if (end.inode != nullptr) return 0;
  table.take_back_last_handover();
  return fail_below(call, channel);
} catch (const std::bad_alloc&) {
  return fail_without_memory(call);
}

// What chan_alloc_window, chan_setprod, chan_setcons and chan_free do, for both kinds.

chan_id allocate(const char* call, Kind kind, size_t window) {
  if (check_space(call) != 0) return -1;
  if (!space::initialised()) return fail(ENXIO, "%s: space_init was not called", call);
  const size_t bytes = std::max(page_up(window), kSmallestWindow);
  const size_t available = size_t{spmc::segment::header().vpages} << spmc::kPageShift;
  if (window > available || bytes > available) {
    return fail(EINVAL, "%s: a window of %zu bytes is more than SPMC memory has", call, window);
  }
  Channel channel;
  channel.inode = static_cast<std::byte*>(spmcR_alloc(bytes));
  if (channel.inode == nullptr) return fail(errno, "%s: %s", call, spmc_last_error());
  channel.bytes = bytes;
  channel.role = Role::kProducer;
  channel.kind = kind;
  try {
    return Table::mine().add(channel);
  } catch (const std::bad_alloc&) {
    spmcR_clear(channel.inode, bytes);
    return fail_without_memory(call);
  }
}

int give_producer(const char* call, Kind kind, chan_id id, int child, bool as_consumer) {
  Channel* channel = find_end(call, kind, id, Role::kProducer);
  if (channel == nullptr) return -1;
  if (check_child(call, *channel, child) != 0) return -1;
  if (show_everything(call, *channel) != 0) return -1;
  if (hand(call, *channel, child, Role::kProducer) != 0) return -1;
  channel->role = as_consumer ? Role::kConsumer : Role::kSetup;
  channel->producer_child = child;
  return 0;
}

int give_consumer(const char* call, Kind kind, chan_id id, int child) {
  Channel* channel = find_end(call, kind, id);
  if (channel == nullptr || check_child(call, *channel, child) != 0) return -1;
  // Of a stream the new end must stand behind all that was written, also what is withheld.
  if (kind == Kind::kStream && show_everything(call, *channel) != 0) return -1;
  return hand(call, *channel, child, Role::kConsumer);
}

int free_end(const char* call, Kind kind, chan_id id) {
  Channel* channel = find_known(call, kind, id);
  if (channel == nullptr) return -1;
  if (channel->role == Role::kGiven) {
    Table::mine().remove(id);
    return 0;
  }
  channel = find_end(call, kind, id);
  if (channel == nullptr) return -1;
  if (show_everything(call, *channel) != 0) return -1;
  if (spmcR_clear(channel->inode, channel->bytes) != 0) return fail_below(call, *channel);
  Table::mine().remove(id);
  return 0;
}

}  // namespace

void give_away(Channel& channel) {
  const int result = spmcR_clear(channel.inode, channel.bytes);
  CHECK(result == 0, "%s %lld: %s", noun(channel.kind), static_cast<long long>(channel.id), spmc_last_error());
  channel.role = Role::kGiven;
}

}  // namespace chan

using chan::Kind;

chan_id chan_alloc(void) { return chan::allocate("chan_alloc", Kind::kChannel, chan::kDefaultWindow); }

chan_id chan_alloc_window(size_t bytes) { return chan::allocate("chan_alloc_window", Kind::kChannel, bytes); }

int chan_setprod(chan_id id, int child, int ascons) {
  return chan::give_producer("chan_setprod", Kind::kChannel, id, child, ascons != 0);
}

int chan_setcons(chan_id id, int child) { return chan::give_consumer("chan_setcons", Kind::kChannel, id, child); }

int chan_free(chan_id id) { return chan::free_end("chan_free", Kind::kChannel, id); }

stream_id stream_alloc(void) { return chan::allocate("stream_alloc", Kind::kStream, chan::kDefaultWindow); }

stream_id stream_alloc_window(size_t bytes) { return chan::allocate("stream_alloc_window", Kind::kStream, bytes); }

int stream_setprod(stream_id id, int child, int ascons) {
  return chan::give_producer("stream_setprod", Kind::kStream, id, child, ascons != 0);
}

int stream_setcons(stream_id id, int child) { return chan::give_consumer("stream_setcons", Kind::kStream, id, child); }

int stream_free(stream_id id) { return chan::free_end("stream_free", Kind::kStream, id); }
