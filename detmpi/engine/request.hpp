// Requests: pending sends and receives. A blocking call keeps its request on the stack; the others come from a pool and
// have a handle. One thread, no locks.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <vector>

#include <base/copy.hpp>
#include <chan/match/matcher.hpp>

#include "../object/comm.hpp"
#include "../object/handle_table.hpp"
#include "../types/datatype.hpp"
#include "../types/layout.hpp"
#include "copy.hpp"
#include "general_request.hpp"

namespace detmpi {

enum class RequestKind : uint8_t { kRecv, kSend, kOperation, kGeneral };
enum class SendMode : uint8_t { kStandard, kSynchronous, kBuffered, kReady };

class Operation;
struct OperationDeleter {  // so that requests, made and ended in every blocking call, need not know what one is
  void operator()(Operation* operation) const;
};
using OperationPtr = std::unique_ptr<Operation, OperationDeleter>;

// A buffer of the program's, or the bytes of a packed copy: consecutive bytes where possible, a cursor otherwise.
class TypedBytes {
 public:
  TypedBytes() = default;
  TypedBytes(const Datatype& type, const void* base, int64_t count) {
    size_ = type.size * static_cast<size_t>(count);
    if (type.dense) {
      flat_ = place(static_cast<const char*>(base), type.true_lb);
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
  // The same, to memory that another process reads next.
  void read_to_shared(void* to, size_t n) {
    if (flat_ == nullptr) return read(to, n);
    copy_to_shared(to, flat_ + done_, n);
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

  // The n bytes behind the first `begin`, or as many of them as there are.
  TypedBytes part(size_t begin, size_t n) const {
    TypedBytes part = *this;
    part.begin_ = std::min(begin, size_);
    part.size_ = std::min(n, size_ - part.begin_);
    if (flat_ != nullptr) part.flat_ += part.begin_;
    part.rewind();
    return part;
  }

  // Back to the beginning.
  void rewind() {
    done_ = 0;
    if (flat_ != nullptr) return;
    cursor_.rewind();
    cursor_.skip(begin_);
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
  size_t begin_ = 0;  // of a part, in the whole
  Cursor cursor_;
};

// hash_bytes of its first n bytes, as they are now; of all if there are less.
[[gnu::cold]] uint64_t content_of(TypedBytes data, size_t n);

// Legal transitions of a request that is not persistent: pending -> complete -> freed. A persistent one goes
// inactive -> (start) pending -> complete -> (wait, test) inactive, and is freed by MPI_Request_free.
//
// Of a receive the base class is what matching needs; of a send it holds context, tag and the time of its post. The
// message of a request that is matched has a time of completion, `stamp`; when its bytes are there as well it is
// complete. What a program is told depends on the former alone.
struct Request : chan::match::Receive {
  RequestKind kind = RequestKind::kRecv;
  SendMode mode = SendMode::kStandard;
  bool matched = false;  // receive: its message is known for good; synchronous send: it was acknowledged
  bool complete = false;
  bool pushed = false;   // send: everything is in the lane
  bool started = false;  // send: the first record is in the lane
  bool persistent = false;
  bool active = true;
  bool detached = false;   // freed by the program: nobody waits for it, and it goes when it is complete
  bool given_up = false;   // part of an operation that the program has freed
  bool blocking = false;   // the call waits for it: it can be neither tested nor cancelled
  bool one_way = false;    // send, blocking: the rank has nothing to receive meanwhile
  bool cancelled = false;  // receive, complete
  bool ack_due = false;    // receive: of a synchronous message that is not acknowledged yet
  bool truncated = false;
  bool kept_back = false;   // receive, matched: its message is in own_buffer alone, until no cancel can take it away
  bool awaited = false;     // the program is in a call that does not return before it is complete
  bool from_any = false;    // receive from any source: the program does not know yet that it is complete
  bool listed = false;      // among the several that a call looks for one that is there twice
  Request* next = nullptr;  // among the posted receives of a source, the sends that wait for room, or the free ones

  Comm* comm = nullptr;  // retained while the request has a handle
  int peer = 0;          // rank in the communicator: destination, or source (may be MPI_ANY_SOURCE)
  int peer_world = 0;    // of MPI_ANY_SOURCE: once it is matched
  // Logical time. Receive that is matched: of completion, max(post, arrival). Synchronous send that is matched: of the
  // acknowledgement. Other sends: the message's arrival, which is no business of the sender's clock.
  uint64_t stamp = 0;
  uint64_t bound = 0;     // synchronous send to another rank, not matched: the acknowledgement does not come before
  uint64_t position = 0;  // send that has been started: of its first record in the lane
  uint32_t ack_id = 0;    // synchronous send: names it in the acknowledgement
  uint32_t offer = 0;     // send: its entry among the offers + 1; 0: not offered
  TypedBytes data;

  int matched_source = 0;  // receive, matched: the message's envelope
  int matched_tag = 0;
  uint64_t arrival = 0;  // of the message
  uint64_t number = 0;   // of the message among those from its source
  uint64_t bytes = 0;

  // Freed with the request (malloc). Buffered send: the message. Receive: all of a message that is longer than the
  // program's buffer, or not to be seen there yet, in case a cancel takes it back.
  char* own_buffer = nullptr;
  uint64_t kept = 0;  // bytes in it
  int handle = MPI_REQUEST_NULL;

  // Of the pool: not free.
  bool in_use() const { return handle != MPI_REQUEST_NULL || detached; }
  // Is it complete at a time of its own, its stamp, which the clock reaches when the program learns of it?
  bool ends_at_its_time() const {
    return kind == RequestKind::kRecv || (kind == RequestKind::kSend && mode == SendMode::kSynchronous);
  }
  // A pending receive that nobody contests: its source's next message that it accepts is its own.
  bool plain() const { return source != chan::match::kAny && !contested; }
  void keep_whole();
  // The next n bytes of a receive's message.
  void write(const void* from, size_t n) {
    if (!kept_back) [[likely]]
      data.write(from, n);
    if (own_buffer == nullptr) [[likely]]
      return;
    spmc::base::copy_memory(own_buffer + kept, from, n);
    kept += n;
  }
  // The program may look at its buffer from now on. The message is complete.
  void hand_over() {
    if (!kept_back) [[likely]]
      return;
    kept_back = false;
    data.write(own_buffer, bytes);
  }

  // What a persistent request starts from.
  const void* base = nullptr;
  int64_t count = 0;
  TypeRef type;

  OperationPtr operation;                   // kOperation
  Operation* first_of = nullptr;            // is told when this receive is complete (Operation::first)
  std::unique_ptr<GeneralRequest> general;  // kGeneral (general_request.hpp)
};

// From the pool, with a handle. Numbering is deterministic: the handle freed last is given out first.
Request& request_new();
void request_delete(Request& request);
// Takes the handle away. When the request will be complete and go depends on timing; when its handle is given out
// again must not.
void request_detach(Request& request);
// Gives it one again, for a while: those who get one lose them in reverse order, so that the numbering stays.
void request_attach(Request& request);
// A handle is a place in the table. Null there: not in use. Not a HandleTable, since the one that was freed last comes
// first, which takes no search.
using RequestHandles = HandleTable<Request, HandleKind::kRequest>;
inline constexpr uint32_t kRequestPrefix = RequestHandles::kPrefix, kRequestPlaces = RequestHandles::kIndexMask + 1;
inline std::vector<Request*> g_request_at;
// Null for a handle that is not valid.
inline Request* request_from(MPI_Request handle) {
  const uint32_t place = static_cast<uint32_t>(handle) - kRequestPrefix;
  return place < g_request_at.size() ? g_request_at[place] : nullptr;
}
// Null for a null handle and for an inactive request: nothing to wait for.
inline Request* active_request(MPI_Request handle) {
  if (handle == MPI_REQUEST_NULL) return nullptr;
  Request* request = request_from(handle);
  return request != nullptr && request->active ? request : nullptr;
}
// For whoever visits all requests; some are not in use.
std::deque<Request>& request_pool();

}  // namespace detmpi
