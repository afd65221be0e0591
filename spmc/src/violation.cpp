#include "violation.hpp"

namespace spmc {

void violation(const View& view, uint32_t page, uint32_t offset, const char* deed, const char* rule) {
  const void* address = vpage_address(view.first + page) + offset;
  base::complain("%s at address %p, page %u of region %u.%u: %s", deed, address, page, view.slot->creator,
                 view.slot->number, rule);
  base::die(base::kViolationExit);
}

}  // namespace spmc
