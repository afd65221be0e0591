// How a job fails.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace dmr {

// What went wrong, as a sentence for people: in a function of the job's it names the worker, the file and the range of
// bytes. There is no output then.
class JobError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Bytes as they may stand in a message: control characters, of which 0 would be its end, as \x00.
std::string printable(std::string_view bytes);

}  // namespace dmr
