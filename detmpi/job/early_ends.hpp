// Ranks that end before MPI_Init, as they can where each is a program of its own (exec start). They were at clock 0 and
// print nothing any more, so what depends on it is the same in every run: such an end is judged like a failure at clock
// 0 (ending.hpp), once every other rank is certain not to end there as well.
//
// One that ends well is absent: a program need not call MPI. But if another rank does, that will wait for it, in
// MPI_Finalize at the latest; then to be absent is a failure too.
#pragma once

#include <base/sys.hpp>

#include <map>
#include <optional>

namespace detmpi {

class EarlyEnds {
 public:
  // By the monitor, which has waited for the process.
  void add(int rank, const spmc::base::ExitReport& report);
  // Absent ones become failures if another rank is in MPI. True: some just have.
  bool look();

  bool any() const { return !ends_.empty(); }
  std::optional<int> first_failure() const;                   // the lowest rank
  const spmc::base::ExitReport* find(int rank) const;         // null: it has not ended so
  static bool ended_well(const spmc::base::ExitReport& end);  // absent

 private:
  struct End {
    spmc::base::ExitReport report;
    bool failure;
  };
  std::map<int, End> ends_;  // by rank
};

}  // namespace detmpi
