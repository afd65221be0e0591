#include <dmr/options.hpp>

#include <algorithm>

#include <base/cores.hpp>
#include <base/sys.hpp>
#include <dmr/error.hpp>

namespace dmr {

namespace base = spmc::base;

namespace {

uint32_t checked(const char* what, int number) {
  if (number >= 0 && number <= kMostWorkers) return static_cast<uint32_t>(number);
  throw JobError(std::string("the number of ") + what + " is " + std::to_string(number) + ", not 1 to " +
                 std::to_string(kMostWorkers));
}

uint32_t one_per_core() { return std::min<uint32_t>(base::usable_cores(), kMostWorkers); }

}  // namespace

uint32_t workers_of(const Options& options) {
  const uint32_t workers = checked("workers", options.workers);
  return workers > 0 ? workers : one_per_core();
}

// More than cores would but share those, and each takes about a millisecond to start.
uint32_t reducers_of(const Options& options) {
  const uint32_t reducers = checked("reducers", options.reducers);
  return reducers > 0 ? reducers : std::min(workers_of(options), one_per_core());
}

uint64_t memory_of(const Options& options) {
  return options.memory_bytes > 0 ? options.memory_bytes : base::physical_memory_bytes() / 2;
}

}  // namespace dmr
