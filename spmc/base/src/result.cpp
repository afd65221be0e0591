#include <base/result.hpp>

#include <cstring>

namespace spmc::base {

std::string Error::message() const {
  return code == 0 ? std::string(what) : std::string(what) + ": " + std::strerror(code);
}

}  // namespace spmc::base
