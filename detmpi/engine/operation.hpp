// Operations that are made of several messages: collective operations that do not block, MPI_Isendrecv, sends and
// receives in partitions. The request that stands for one is complete when all its parts are. Of a collective operation
// nothing is sent later than at its start, so that nobody depends on what a rank does between start and end.
#pragma once

#include <cstdlib>
#include <deque>
#include <optional>
#include <vector>

#include "../object/call.hpp"
#include "p2p.hpp"

namespace detmpi {

class Operation {
 public:
  virtual ~Operation() { clear(); }
  // Makes the parts and puts them under way. The parts of an earlier run are complete.
  virtual void start() = 0;
  // All parts are complete, and their time has come: does what is to be done with what has arrived. Returns an error
  // code, the same one if it is called again.
  int finish() {
    if (!code_) code_ = conclude();
    return *code_;
  }

  // Some receives may never get their message, which is known only after a while: blocks for them, so that those become
  // complete without one. And the same as far as it is known.
  virtual void await_or_lose_parts() {}
  virtual void look_for_lost_parts() {}
  // What will tell it of those of which it is not known: others leave these marks. While somebody may sleep until they
  // do, they must say so.
  virtual void add_marks(std::vector<chan::match::Need::Source>&) const {}
  virtual void want_marks(bool) {}

  // The error code of a part that is complete.
  virtual int status_of(Request& part) { return p2p_status(part, MPI_STATUS_IGNORE); }

  // The call that has made it, not the one that waits for it.
  CallId call() const { return call_; }

  // The messages hold what is an accident of timing.
  virtual bool hides_contents() const { return false; }
  // Its parts are receives that name their source, and standard sends; it cannot be freed while it is under way.
  virtual bool collective() const { return true; }
  // Its request can be freed while it is under way.
  virtual bool freeable() const { return false; }
  // The status of its request, of a complete operation.
  virtual void tell(MPI_Status* status) const { fill_status(status, MPI_ANY_SOURCE, MPI_ANY_TAG, 0); }

  // Not all parts are there yet: calls of the program will add some; or this message must come first, from which it
  // follows what they are.
  virtual bool open() const { return false; }
  virtual Request* first() { return nullptr; }
  // That message has come. Between two looks at the lanes, so nothing may be taken in here.
  virtual void first_came() {}

  // Sends and receives. Their addresses stay.
  std::deque<Request>& parts() { return parts_; }
  const std::deque<Request>& parts() const { return parts_; }
  // Everything has been sent and has arrived.
  bool complete() {
    if (open() || first() != nullptr) return false;
    while (complete_ < parts_.size() && parts_[complete_].complete) ++complete_;
    return complete_ == parts_.size();
  }
  // Nothing of it is under way, and nothing can come back to it (cancel.cpp).
  virtual bool over() const;

 protected:
  virtual int conclude() = 0;
  void clear() {
    for (const Request& part : parts_) std::free(part.own_buffer);
    parts_.clear();
    complete_ = 0;
    code_.reset();
  }

 private:
  std::deque<Request> parts_;
  const CallId call_ = g_call.id;
  size_t complete_ = 0;  // of the first parts
  std::optional<int> code_;
};

// Makes the program's request of an operation, and starts it.
void operation_start(OperationPtr operation, Comm& comm, MPI_Request* handle);
// The same of one that MPI_Start starts.
void operation_keep(OperationPtr operation, Comm& comm, MPI_Request* handle);

// The request is freed while the operation is under way, which goes on without one.
void operation_give_up(OperationPtr operation, Comm& comm);
// Waits for those on the communicator.
void operations_complete(Comm& comm);
// Those whose end has not been noticed.
struct GivenUp {
  OperationPtr operation;
  Comm* comm;  // retained
};
inline std::vector<GivenUp> g_given_up;

template <typename Visit>
void Engine::each_part(const Wait& wait, Visit&& visit) {
  each(wait, [&](Request& request) {
    if (request.operation == nullptr) return visit(request);
    if (Request* first = request.operation->first()) visit(*first);
    for (Request& part : request.operation->parts()) visit(part);
  });
}

// Visits all sends and receives that the program has not waited for: parts of operations in place of these.
template <typename Visit>
void each_message(Visit&& visit) {
  const auto visit_parts = [&](Operation& operation) {
    for (Request& part : operation.parts()) visit(part);
  };
  for (Request& request : request_pool()) {
    if (request.operation != nullptr) visit_parts(*request.operation);
    else if (request.in_use()) visit(request);
  }
  for (const GivenUp& given_up : g_given_up) visit_parts(*given_up.operation);
}

}  // namespace detmpi
