#include "events.hpp"

#include "../object/call.hpp"
#include "engine.hpp"

namespace detmpi {

void fold_event(int source, int tag, uint64_t bytes, uint64_t time) {
  uint64_t& digest = rank_record(g_engine.rank()).digest;
  const uint64_t words[] = {static_cast<uint64_t>(g_call.id), static_cast<uint64_t>(source), static_cast<uint64_t>(tag),
                            bytes, g_job->first_come != 0 ? 0 : time};
  for (const uint64_t word : words) digest = fold_digest(digest, word);
}

}  // namespace detmpi
