// Groups chosen by lists and ranges of ranks.
#include <cstddef>
#include <string>

#include "errors.hpp"
#include "group.hpp"
#include "impl.hpp"

namespace detmpi {
namespace {

enum class Choice { kInclude, kExclude };

// Makes the group of the listed members, in list order, or of all others, in the group's order.
int choose(const Group& group, const std::vector<int>& ranks, Choice choice, MPI_Group* newgroup) {
  std::vector<bool> listed(group.world_rank.size(), false);
  for (int rank : ranks) {
    if (rank < 0 || rank >= group.size()) {
      return make_error(MPI_ERR_RANK, "rank %d is not in the group (ranks are 0 to %d)", rank, group.size() - 1);
    }
    if (listed[static_cast<size_t>(rank)]) return make_error(MPI_ERR_RANK, "rank %d is listed twice", rank);
    listed[static_cast<size_t>(rank)] = true;
  }
  std::vector<int> members;
  if (choice == Choice::kInclude) {
    for (int rank : ranks) members.push_back(group.world_rank[static_cast<size_t>(rank)]);
  } else {
    for (size_t i = 0; i < listed.size(); ++i) {
      if (!listed[i]) members.push_back(group.world_rank[i]);
    }
  }
  *newgroup = group_make(std::move(members));
  return MPI_SUCCESS;
}

int choose_ranges(const Group& group, int n, int ranges[][3], Choice choice, MPI_Group* newgroup) {
  std::vector<int> ranks;
  for (int i = 0; i < n; ++i) {
    const int64_t first = ranges[i][0], last = ranges[i][1], stride = ranges[i][2];
    if (stride == 0) return make_error(MPI_ERR_ARG, "range %d has stride 0", i);
    if (first < 0 || first >= group.size()) {
      return make_error(MPI_ERR_RANK, "range %d starts at rank %d (ranks are 0 to %d)", i, ranges[i][0],
                        group.size() - 1);
    }
    for (int64_t rank = first; stride > 0 ? rank <= last : rank >= last; rank += stride) {
      if (rank < 0 || rank >= group.size()) {
        return make_error(MPI_ERR_RANK, "range %d reaches rank %d (ranks are 0 to %d)", i, static_cast<int>(rank),
                          group.size() - 1);
      }
      ranks.push_back(static_cast<int>(rank));
    }
  }
  return choose(group, ranks, choice, newgroup);
}

}  // namespace

namespace impl {

int group_incl(Group& group, int n, const int ranks[], MPI_Group* newgroup) {
  return choose(group, {ranks, ranks + n}, Choice::kInclude, newgroup);
}

int group_excl(Group& group, int n, const int ranks[], MPI_Group* newgroup) {
  return choose(group, {ranks, ranks + n}, Choice::kExclude, newgroup);
}

int group_range_incl(Group& group, int n, int ranges[][3], MPI_Group* newgroup) {
  return choose_ranges(group, n, ranges, Choice::kInclude, newgroup);
}

int group_range_excl(Group& group, int n, int ranges[][3], MPI_Group* newgroup) {
  return choose_ranges(group, n, ranges, Choice::kExclude, newgroup);
}

}  // namespace impl
}  // namespace detmpi
