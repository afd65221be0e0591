// Messages that came before their receive, and the memory for them: most are short and stay for a short time, so it is
// used again.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include <base/check.hpp>
#include <base/copy.hpp>
#include <chan/match/matcher.hpp>

namespace detmpi {

struct Comm;

// Stands in the matcher until it is matched.
struct Message : chan::match::Message {
  int source = 0;  // rank in the communicator
  uint64_t bytes = 0;
  uint64_t filled = 0;            // bytes that have arrived, in `room`
  uint32_t ack_id = 0;            // synchronous: to be acknowledged when matched
  int handle = MPI_MESSAGE_NULL;  // taken by MPI_Mprobe
  Comm* comm = nullptr;           // of such a one: where it came, retained
  char* room = nullptr;           // malloc
  uint64_t room_bytes = 0;

  static constexpr uint64_t kLeastRoom = 256;
  // There is room for the whole message.
  void ensure_room() {
    if (room_bytes >= bytes) return;
    std::free(room);
    room_bytes = std::max(bytes, kLeastRoom);
    room = static_cast<char*>(std::malloc(room_bytes));
    CHECK(room != nullptr, "no memory for a message of %zu bytes that came before its receive",
          static_cast<size_t>(bytes));
  }
  void append(const std::byte* data, size_t n) {
    if (n == 0) return;
    ensure_room();
    spmc::base::copy_memory(room + filled, data, n);
    filled += n;
  }
};

class MessagePool {
 public:
  // So much memory of their rooms is kept. Else it would go back to the system, and the next messages would take it
  // anew page by page.
  static constexpr uint64_t kMostBytes = 1 << 20;

  // An empty one.
  Message& get() {
    if (free_ == nullptr) return *new Message;
    Message& message = *free_;
    free_ = static_cast<Message*>(message.next);
    --kept_;
    kept_bytes_ -= message.room_bytes;
    message.next = nullptr;
    return message;
  }
  // It is in no queue.
  void give_back(Message& message) {
    if (kept_ == kMost || kept_bytes_ + message.room_bytes > kMostBytes) {
      std::free(message.room);
      delete &message;
      return;
    }
    char* const room = message.room;
    const uint64_t room_bytes = message.room_bytes;
    message = {};
    message.room = room;
    message.room_bytes = room_bytes;
    message.next = free_;
    free_ = &message;
    ++kept_;
    kept_bytes_ += room_bytes;
  }

 private:
  static constexpr uint32_t kMost = 256;

  Message* free_ = nullptr;
  uint32_t kept_ = 0;
  uint64_t kept_bytes_ = 0;
};

}  // namespace detmpi
