#include "operation.hpp"

#include <algorithm>

#include "../object/call.hpp"

namespace detmpi {

bool Operation::over() const {
  return std::ranges::all_of(parts_, [](const Request& part) {
    return part.complete && !part.ack_due && (part.kind != RequestKind::kRecv || part.stamp <= g_clock);
  });
}

void operation_give_up(OperationPtr operation, Comm& comm) {
  comm_retain(comm);
  g_given_up.push_back({std::move(operation), &comm});
  std::erase_if(g_given_up, [](const GivenUp& given_up) {
    if (!given_up.operation->over()) return false;
    comm_release(*given_up.comm);
    return true;
  });
}

}  // namespace detmpi
