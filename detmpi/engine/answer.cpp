// What is known of requests: the times on which calls decide (chan/match/decide.hpp).
#include <algorithm>

#include "../object/call.hpp"
#include "engine.hpp"

namespace detmpi {

using chan::match::later;
using chan::match::Outlook;

Outlook Engine::outlook(const Request& r, const chan::match::Horizon& horizon) const {
  if (r.kind == RequestKind::kSend) {
    if (r.mode != SendMode::kSynchronous || r.matched || r.complete) {
      return {true, r.mode == SendMode::kSynchronous ? r.stamp : r.post};
    }
    return {false, first_come_ ? chan::match::kNever : std::max(r.bound, later(r.stamp, g_job->lookahead))};
  }
  if (r.matched || r.complete) return {true, r.stamp};
  if (r.plain()) return {false, std::max(r.post, horizon.next_arrival(r.source))};
  return matcher_.outlook(r, horizon);
}

}  // namespace detmpi
