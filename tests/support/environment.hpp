// Numbers that whoever runs the tests may give them: how often, which ones.
#pragma once

#include <cstdint>
#include <cstdlib>

namespace test_support {

inline uint64_t number_from_environment(const char* name, uint64_t otherwise) {
  const char* value = std::getenv(name);
  return value != nullptr ? std::strtoul(value, nullptr, 10) : otherwise;
}

}  // namespace test_support
