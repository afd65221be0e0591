// Time as ranks had it: it passes as real time does while they have cores, or sleep of their own accord, and slower
// where other processes keep them from cores, or somebody has stopped them. So what ranks are given time for does not
// depend on how loaded the machine is, within limits.
#pragma once

#include <cstdint>
#include <vector>

namespace detmpi {

class FairTime {
 public:
  void restart();
  // Adds the time since the last look. To be called often, by the monitor, with the ranks whose time it is.
  void look(const std::vector<int>& ranks);
  uint64_t passed_ns() const;  // since restart()

 private:
  uint64_t fair_since(uint64_t elapsed_ns, const std::vector<int>& ranks);

  std::vector<uint64_t> processor_ns_;  // by rank, at the last look; 0: not known
  uint64_t began_ns_ = 0, looked_ns_ = 0;
  uint64_t fair_ns_ = 0;
};

}  // namespace detmpi
