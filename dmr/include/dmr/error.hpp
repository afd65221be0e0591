// How a job fails.
#pragma once

#include <stdexcept>
#include <string>

namespace dmr {

// What went wrong, as a sentence for people: in a function of the job's it names the worker, the file and the range of
// bytes. There is no output then.
class JobError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace dmr
