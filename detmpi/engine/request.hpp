// Requests: pending sends and receives. A blocking call keeps its request on the stack; the others come from a pool and
// have a handle. One thread, no locks.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <cstring>

#include "../object/comm.hpp"
#include "../types/datatype.hpp"
#include "copy.hpp"

namespace detmpi {

enum class RequestKind : uint8_t { kRecv, kSend, kAck };
enum class SendMode : uint8_t { kStandard, kSynchronous, kBuffered, kReady };

// A buffer of the program's, or the bytes of a packed copy: consecutive bytes where possible, a cursor otherwise.
class TypedBytes {
 public:
  TypedBytes() = default;
  TypedBytes(const Datatype& type, const void* base, int64_t count) {
    size_ = type.size * static_cast<size_t>(count);
    if (type.dense) {
      flat_ = static_cast<char*>(const_cast<void*>(base)) + type.true_lb;
    } else {
      cursor_ = Cursor(type, base, count);
    }
  }
  static TypedBytes raw(void* base, size_t size) {
    TypedBytes bytes;
    bytes.flat_ = static_cast<char*>(base);
    bytes.size_ = size;
    return bytes;
  }

  size_t size() const { return size_; }
  size_t left() const { return size_ - done_; }
  char* flat() const { return flat_; }

  // The next n <= left() bytes out of the buffer, to `to`.
  void read(void* to, size_t n) {
    if (n == 0) return;
    if (flat_ != nullptr) copy_bytes(to, flat_ + done_, n);
    else cursor_.pack(to, n);
    done_ += n;
  }
  // n bytes into the buffer; what is beyond its end is dropped.
  void write(const void* from, size_t n) {
    if (n > left()) n = left();
    if (n == 0) return;
    if (flat_ != nullptr) copy_bytes(flat_ + done_, from, n);
    else cursor_.unpack(from, n);
    done_ += n;
  }

  // Passes over the next n <= left() bytes.
  void skip(size_t n) {
    if (flat_ == nullptr) cursor_.skip(n);
    done_ += n;
  }

 private:
  char* flat_ = nullptr;
  size_t size_ = 0;
  size_t done_ = 0;
  Cursor cursor_;
};

// Legal transitions of a request that is not persistent: pending -> complete -> freed. A persistent one goes
// inactive -> (start) pending -> complete -> (wait, test) inactive, and is freed by MPI_Request_free.
struct Request {
  RequestKind kind = RequestKind::kRecv;
  SendMode mode = SendMode::kStandard;
  bool complete = false;
  bool pushed = false;   // send: everything is in the lane
  bool started = false;  // send: the first record is in the lane
  bool queued = false;   // send: waits in the queue to its destination
  bool persistent = false;
  bool active = true;
  bool detached = false;  // nobody waits for it: frees itself when complete
  bool blocking = false;  // send: the call waits for it
  bool truncated = false;
  Request* next = nullptr;  // in the list of posted receives or the queue of sends

  Comm* comm = nullptr;  // retained while the request has a handle
  uint32_t context = 0;
  int peer = 0;            // rank in the communicator: destination, or source (may be MPI_ANY_SOURCE)
  int peer_world = 0;      // not for MPI_ANY_SOURCE
  int tag = 0;             // receive: may be MPI_ANY_TAG
  uint64_t post = 0;       // order of posting among receives
  uint64_t posted_at = 0;  // receive: the clock at its post
  // Logical time of completion. Receive: max(post, arrival). Synchronous send: of the acknowledgement. Other sends: the
  // message's arrival, which is no business of the sender's clock.
  uint64_t stamp = 0;
  uint32_t ack_id = 0;  // synchronous send: names it in the acknowledgement
  uint32_t offer = 0;   // send: its entry among the offers + 1; 0: not offered
  TypedBytes data;

  int source = 0;  // receive, complete: the message's envelope
  int matched_tag = 0;
  uint64_t bytes = 0;

  char* own_buffer = nullptr;  // buffered send: freed with the request (malloc)
  int handle = MPI_REQUEST_NULL;

  // What a persistent request starts from.
  const void* base = nullptr;
  int count = 0;
  TypeRef type;
};

// From the pool, with a handle. Numbering is deterministic: the handle freed last is given out first.
Request& request_new();
void request_delete(Request& request);
// Null for a handle that is not valid.
Request* request_from(MPI_Request handle);

}  // namespace detmpi
