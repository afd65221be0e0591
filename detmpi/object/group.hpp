// Groups: ordered sets of world ranks.
#pragma once

#include <mpi.h>

#include <utility>
#include <vector>

#include "handle_table.hpp"

namespace detmpi {

struct Group {
  MPI_Group handle = MPI_GROUP_NULL;
  std::vector<int> world_rank;  // of each member

  int size() const { return static_cast<int>(world_rank.size()); }
  int rank_of(int world) const;  // MPI_UNDEFINED if not a member
};

Group* group_from(MPI_Group handle);

// A new group with one handle; an empty list gives MPI_GROUP_EMPTY.
MPI_Group group_make(std::vector<int> world_rank);

}  // namespace detmpi
