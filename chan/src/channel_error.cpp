// Failures: one sentence and errno, private to the space.
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <new>

#include <spmc/spmc.h>
#include <spmc/self.hpp>

#include "channel_state.hpp"

namespace chan {
namespace {
char g_last_error[320] = "";
// The space that it is of: one forked from that has a copy, and had no failure yet. The numbers of its ancestors are in
// use as long as it runs.
spmc::SpaceId g_failed_space;

const char* role_name(Role role) {
  switch (role) {
    case Role::kProducer: return "the producer";
    case Role::kConsumer: return "a consumer";
    case Role::kSetup: return "neither producer nor consumer any more";
    case Role::kGiven: return "no longer part of it";
    case Role::kForeign: return "not part of it";
  }
  return "";
}

// find_known, as a part of those below: every message passes here.
Channel* look_up(const char* call, Kind kind, chan_id id) try {
  if (check_space(call) != 0) return nullptr;
  Channel* channel = Table::mine().find(id);
  const auto number = static_cast<long long>(id);
  if (channel == nullptr) {
    fail(EBADF, "%s: there is no %s %lld, or this space has freed its end", call, noun(kind), number);
  } else if (channel->kind != kind) {
    fail(EBADF, "%s: there is no %s %lld: it is a %s", call, noun(kind), number, noun(channel->kind));
    channel = nullptr;
  }
  return channel;
} catch (const std::bad_alloc&) {
  fail_without_memory(call);
  return nullptr;
}
}  // namespace

int fail(int code, const char* format, ...) {
  va_list args;
  va_start(args, format);
  std::vsnprintf(g_last_error, sizeof(g_last_error), format, args);
  va_end(args);
  g_failed_space = spmc::current_space();
  errno = code;
  return -1;
}

int fail_below(const char* call, const Channel& channel) {
  const int code = errno;
  const char* why = spmc_last_error();
  if (why == nullptr || *why == '\0') why = std::strerror(code);
  return fail(code, "%s: %s %lld: %s", call, noun(channel.kind), static_cast<long long>(channel.id), why);
}

int check_buffer(const char* call, const Channel& channel, const void* buf, size_t size) {
  if (buf != nullptr || size == 0) return 0;
  return fail(EINVAL, "%s: %s %lld: no buffer", call, noun(channel.kind), static_cast<long long>(channel.id));
}

int fail_without_memory(const char* call) { return fail(ENOMEM, "%s: no private memory is left", call); }

int fail_outside_space(const char* call) {
  return fail(EPERM, "%s: this process was forked without space_start: it is no space", call);
}

const char* noun(Kind kind) { return kind == Kind::kStream ? "stream" : "channel"; }

Channel* find_known(const char* call, Kind kind, chan_id id) { return look_up(call, kind, id); }

Channel* find_end(const char* call, Kind kind, chan_id id) {
  Channel* channel = look_up(call, kind, id);
  if (channel == nullptr) return nullptr;
  if (channel->role == Role::kForeign) {
    fail(EPERM, "%s: %s %lld was not handed to this space", call, noun(kind), static_cast<long long>(id));
    channel = nullptr;
  } else if (channel->role == Role::kGiven) {
    fail(EPERM, "%s: %s %lld was given away by this space", call, noun(kind), static_cast<long long>(id));
    channel = nullptr;
  }
  return channel;
}

Channel* find_end(const char* call, Kind kind, chan_id id, Role role) {
  Channel* channel = find_end(call, kind, id);
  if (channel == nullptr || channel->role == role) return channel;
  fail(EPERM, "%s: only %s may do this, and on %s %lld this space is %s", call,
       role == Role::kProducer ? "the producer" : "a consumer", noun(kind), static_cast<long long>(id),
       role_name(channel->role));
  return nullptr;
}

}  // namespace chan

const char* chan_last_error(void) { return chan::g_failed_space == spmc::current_space() ? chan::g_last_error : ""; }
