// The producer's side of a channel: a message is a sequence of records. Runs in the producer's space only.
#include <cerrno>
#include <cstddef>

#include "records.hpp"

namespace chan {
namespace {

int send(const char* call, chan_id id, const void* buf, size_t size, bool last) {
  Channel* channel = find_end(call, Kind::kChannel, id, Role::kProducer);
  if (channel == nullptr) return -1;
  if (check_buffer(call, *channel, buf, size) != 0) return -1;
  const bool visible = last || channel->policy == CHAN_EAGER;
  const auto* bytes = static_cast<const std::byte*>(buf);
  size_t done = 0;
  do {
    const ssize_t part = write_record(*channel, bytes + done, size - done, size, visible);
    if (part < 0) {
      // What is not visible yet can be written again; the rest cannot be taken back.
      const bool begun = done != 0 || channel->published > channel->offset;
      return begun ? break_off(call, *channel) : fail_below(call, *channel);
    }
    done += static_cast<size_t>(part);
  } while (done < size);
  return 0;
}

}  // namespace
}  // namespace chan

int chan_send(chan_id channel, const void* buf, size_t size) {
  return chan::send("chan_send", channel, buf, size, false);
}

int chan_sendLast(chan_id channel, const void* buf, size_t size) {
  return chan::send("chan_sendLast", channel, buf, size, true);
}

int chan_set_policy(chan_id id, int policy) {
  using namespace chan;
  Channel* channel = find_end("chan_set_policy", Kind::kChannel, id, Role::kProducer);
  if (channel == nullptr) return -1;
  if (policy != CHAN_EAGER && policy != CHAN_LAZY) {
    return fail(EINVAL, "chan_set_policy: there is no policy %d", policy);
  }
  if (policy == CHAN_EAGER && publish_all(*channel) != 0) return fail_below("chan_set_policy", *channel);
  channel->policy = static_cast<chan_policy>(policy);
  return 0;
}
