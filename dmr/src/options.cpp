#include <dmr/options.hpp>

#include <algorithm>

#include <base/sys.hpp>
#include <dmr/error.hpp>

namespace dmr {

namespace base = spmc::base;

uint32_t workers_of(const Options& options) {
  if (options.workers < 0 || options.workers > kMostWorkers) {
    throw JobError("the number of workers is " + std::to_string(options.workers) + ", not 1 to " +
                   std::to_string(kMostWorkers));
  }
  if (options.workers > 0) return static_cast<uint32_t>(options.workers);
  return std::clamp<uint32_t>(base::usable_cores(), 1, kMostWorkers);
}

uint64_t memory_of(const Options& options) {
  return options.memory_bytes > 0 ? options.memory_bytes : base::physical_memory_bytes() / 2;
}

}  // namespace dmr
