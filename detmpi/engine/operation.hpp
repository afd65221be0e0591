// Operations that are made of several messages: collective operations that do not block. The request that stands for
// one is complete when all its parts are; nothing is sent later than at its start, so that nobody depends on what a
// rank does between start and end.
#pragma once

#include <deque>
#include <optional>

#include "request.hpp"

namespace detmpi {

class Operation {
 public:
  virtual ~Operation() = default;
  // Makes the parts and puts them under way. The parts of an earlier run are complete.
  virtual void start() = 0;
  // All parts are complete, and their time has come: does what is to be done with what has arrived. Returns an error
  // code, the same one if it is called again.
  int finish() {
    if (!code_) code_ = conclude();
    return *code_;
  }

  // The messages hold what is an accident of timing.
  virtual bool hides_contents() const { return false; }

  // Sends, and receives that name their source. Their addresses stay.
  std::deque<Request>& parts() { return parts_; }
  const std::deque<Request>& parts() const { return parts_; }
  // Everything has been sent and has arrived.
  bool complete() {
    while (complete_ < parts_.size() && parts_[complete_].complete) ++complete_;
    return complete_ == parts_.size();
  }

 protected:
  virtual int conclude() = 0;
  void clear() {
    parts_.clear();
    complete_ = 0;
    code_.reset();
  }

 private:
  std::deque<Request> parts_;
  size_t complete_ = 0;  // of the first parts
  std::optional<int> code_;
};

}  // namespace detmpi
