// Failures: one sentence and errno, private to the space.
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include <spmc/spmc.h>

#include "channel_state.hpp"

namespace chan {
namespace {
char g_last_error[320] = "";

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
}  // namespace

int fail(int code, const char* format, ...) {
  va_list args;
  va_start(args, format);
  std::vsnprintf(g_last_error, sizeof(g_last_error), format, args);
  va_end(args);
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

const char* noun(Kind kind) { return kind == Kind::kStream ? "stream" : "channel"; }

Channel* find_end(const char* call, Kind kind, chan_id id) {
  Channel* channel = Table::mine().find(id);
  const auto number = static_cast<long long>(id);
  const char* what = noun(kind);
  if (channel == nullptr) {
    fail(EBADF, "%s: there is no %s %lld, or this space has freed its end", call, what, number);
  } else if (channel->kind != kind) {
    fail(EBADF, "%s: there is no %s %lld: it is a %s", call, what, number, noun(channel->kind));
    channel = nullptr;
  } else if (channel->role == Role::kForeign) {
    fail(EPERM, "%s: %s %lld was not handed to this space", call, what, number);
    channel = nullptr;
  } else if (channel->role == Role::kGiven) {
    fail(EPERM, "%s: %s %lld was given away by this space", call, what, number);
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

const char* chan_last_error(void) { return chan::g_last_error; }
