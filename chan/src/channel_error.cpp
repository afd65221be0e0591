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
}

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
  return fail(code, "%s: channel %lld: %s", call, static_cast<long long>(channel.id), why);
}

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

Channel* find_end(const char* call, chan_id id) {
  Channel* channel = Table::mine().find(id);
  const auto number = static_cast<long long>(id);
  if (channel == nullptr) {
    fail(EBADF, "%s: there is no channel %lld, or this space has freed its end", call, number);
  } else if (channel->role == Role::kForeign) {
    fail(EPERM, "%s: channel %lld was not handed to this space", call, number);
    channel = nullptr;
  } else if (channel->role == Role::kGiven) {
    fail(EPERM, "%s: channel %lld was given away by this space", call, number);
    channel = nullptr;
  }
  return channel;
}

Channel* find_end(const char* call, chan_id id, Role role) {
  Channel* channel = find_end(call, id);
  if (channel == nullptr || channel->role == role) return channel;
  fail(EPERM, "%s: only %s may do this, and on channel %lld this space is %s", call,
       role == Role::kProducer ? "the producer" : "a consumer", static_cast<long long>(id), role_name(channel->role));
  return nullptr;
}

}  // namespace chan

const char* chan_last_error(void) { return chan::g_last_error; }
