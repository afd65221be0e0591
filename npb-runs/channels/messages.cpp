#include "messages.hpp"

#include <space/space.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace channels {

Messages g_messages;

namespace {

void check(bool well) {
  if (!well) fail("%s", chan_last_error());
}

void copy(void* to, const void* from, size_t bytes) {
  if (bytes > 0) std::memcpy(to, from, bytes);
}

// The message is there, and fits.
void accept(Receive& receive, const Envelope& envelope) {
  if (envelope.bytes > receive.envelope.bytes) {
    fail("a message of %llu bytes from rank %d with tag %d is longer than the %llu bytes of its receive",
         static_cast<unsigned long long>(envelope.bytes), receive.source, envelope.tag,
         static_cast<unsigned long long>(receive.envelope.bytes));
  }
  receive.envelope.bytes = envelope.bytes;
  receive.done = true;
}

}  // namespace

void fail(const char* format, ...) {
  std::fprintf(stderr, "rank %d: ", g_messages.rank());
  va_list arguments;
  va_start(arguments, format);
  std::vfprintf(stderr, format, arguments);
  va_end(arguments);
  std::fputc('\n', stderr);
  space_exit(3);  // others find that this rank has ended
}

void Messages::start(int rank, int ranks, std::vector<chan_id> channels) {
  rank_ = rank;
  ranks_ = ranks;
  channels_ = std::move(channels);
  sources_.resize(static_cast<size_t>(ranks));
}

// The envelope is withheld until the data are there: channels are lazy.
void Messages::send(int to, Envelope envelope, const void* data) {
  counts_.messages += 1;
  counts_.bytes += envelope.bytes;
  if (to == rank_) return send_to_self(envelope, data);
  const chan_id out = channel(rank_, to);
  counts_.sends += 1;
  if (envelope.bytes == 0) return check(chan_sendLast(out, &envelope, sizeof envelope) == 0);
  check(chan_send(out, &envelope, sizeof envelope) == 0);
  counts_.sends += 1;
  check(chan_sendLast(out, data, envelope.bytes) == 0);
}

void Messages::send_to_self(const Envelope& envelope, const void* data) {
  Source& self = sources_[static_cast<size_t>(rank_)];
  if (Receive* receive = match(self, envelope)) {
    accept(*receive, envelope);
    return copy(receive->to, data, envelope.bytes);
  }
  const auto* bytes = static_cast<const std::byte*>(data);
  self.unexpected.push_back({envelope, {bytes, bytes + envelope.bytes}});
}

// The first of the posted receives that takes such a message.
Receive* Messages::match(Source& source, const Envelope& envelope) {
  for (auto it = source.posted.begin(); it != source.posted.end(); ++it) {
    Receive* receive = *it;
    if (!receive->envelope.matches(envelope)) continue;
    source.posted.erase(it);
    return receive;
  }
  return nullptr;
}

void Messages::post(Receive& receive) {
  Source& source = sources_[static_cast<size_t>(receive.source)];
  for (auto it = source.unexpected.begin(); it != source.unexpected.end(); ++it) {
    if (!it->envelope.matches(receive.envelope)) continue;
    accept(receive, it->envelope);
    copy(receive.to, it->data.data(), it->data.size());
    source.unexpected.erase(it);
    return;
  }
  source.posted.push_back(&receive);
}

void Messages::wait(Receive& receive) {
  while (!receive.done) {
    if (receive.source == rank_) fail("waits for a message of its own that it has not sent");
    take_next(receive.source);
  }
}

// Takes in the next message of that rank.
void Messages::take_next(int from) {
  const chan_id in = channel(from, rank_);
  const auto get = [&](void* to, size_t bytes) { check(chan_recv(in, to, bytes) == static_cast<ssize_t>(bytes)); };
  Envelope envelope;
  get(&envelope, sizeof envelope);
  Source& source = sources_[static_cast<size_t>(from)];
  void* to = nullptr;
  if (Receive* receive = match(source, envelope)) {
    accept(*receive, envelope);
    to = receive->to;
  } else {
    source.unexpected.push_back({envelope, std::vector<std::byte>(envelope.bytes)});
    to = source.unexpected.back().data.data();
  }
  if (envelope.bytes > 0) get(to, envelope.bytes);
}

}  // namespace channels
