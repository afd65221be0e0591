// Groups: tables, set operations, comparison. Every operation keeps the order that the standard prescribes.
#include "group.hpp"

#include <algorithm>
#include <unordered_map>

#include "comm.hpp"
#include "errors.hpp"
#include "impl.hpp"

namespace detmpi {
namespace {

HandleTable<Group, HandleKind::kGroup> g_groups;
Group g_empty{MPI_GROUP_EMPTY, {}};

// World rank -> rank in the group.
std::unordered_map<int, int> index_of(const Group& group) {
  std::unordered_map<int, int> index;
  index.reserve(group.world_rank.size());
  for (int i = 0; i < group.size(); ++i) index.emplace(group.world_rank[static_cast<size_t>(i)], i);
  return index;
}

// The members of `group` that are (or are not) in `other`.
std::vector<int> filter(const Group& group, const Group& other, bool in_other) {
  const auto index = index_of(other);
  std::vector<int> members;
  for (int world : group.world_rank) {
    if (index.contains(world) == in_other) members.push_back(world);
  }
  return members;
}

}  // namespace

int Group::rank_of(int world) const {
  const auto found = std::find(world_rank.begin(), world_rank.end(), world);
  return found == world_rank.end() ? MPI_UNDEFINED : static_cast<int>(found - world_rank.begin());
}

Group* group_from(MPI_Group handle) { return handle == MPI_GROUP_EMPTY ? &g_empty : g_groups.get(handle); }

MPI_Group group_make(std::vector<int> world_rank) {
  if (world_rank.empty()) return MPI_GROUP_EMPTY;
  auto* group = new Group{MPI_GROUP_NULL, std::move(world_rank)};
  group->handle = g_groups.insert(group);
  return group->handle;
}

namespace impl {

int group_size(Group& group, int* size) {
  *size = group.size();
  return MPI_SUCCESS;
}

int group_rank(Group& group, int* rank) {
  *rank = group.rank_of(g_comm_world->rank);
  return MPI_SUCCESS;
}

int group_translate_ranks(Group& group1, int n, const int ranks1[], Group& group2, int ranks2[]) {
  for (int i = 0; i < n; ++i) {
    if (ranks1[i] != MPI_PROC_NULL && (ranks1[i] < 0 || ranks1[i] >= group1.size())) {
      return make_error(MPI_ERR_RANK, "ranks1[%d] is %d (ranks are 0 to %d)", i, ranks1[i], group1.size() - 1);
    }
  }
  const auto index = index_of(group2);
  for (int i = 0; i < n; ++i) {
    if (ranks1[i] == MPI_PROC_NULL) {
      ranks2[i] = MPI_PROC_NULL;
      continue;
    }
    const auto found = index.find(group1.world_rank[static_cast<size_t>(ranks1[i])]);
    ranks2[i] = found == index.end() ? MPI_UNDEFINED : found->second;
  }
  return MPI_SUCCESS;
}

int group_compare(Group& group1, Group& group2, int* result) {
  if (group1.world_rank == group2.world_rank) {
    *result = MPI_IDENT;
  } else {
    const bool similar = group1.size() == group2.size() && filter(group1, group2, false).empty();
    *result = similar ? MPI_SIMILAR : MPI_UNEQUAL;
  }
  return MPI_SUCCESS;
}

int group_union(Group& group1, Group& group2, MPI_Group* newgroup) {
  std::vector<int> members = group1.world_rank;
  const std::vector<int> more = filter(group2, group1, false);
  members.insert(members.end(), more.begin(), more.end());
  *newgroup = group_make(std::move(members));
  return MPI_SUCCESS;
}

int group_intersection(Group& group1, Group& group2, MPI_Group* newgroup) {
  *newgroup = group_make(filter(group1, group2, true));
  return MPI_SUCCESS;
}

int group_difference(Group& group1, Group& group2, MPI_Group* newgroup) {
  *newgroup = group_make(filter(group1, group2, false));
  return MPI_SUCCESS;
}

int group_free(MPI_Group* group) {
  Group* object = group_from(*group);
  *group = MPI_GROUP_NULL;
  if (object == &g_empty) return MPI_SUCCESS;
  g_groups.erase(object->handle);
  delete object;
  return MPI_SUCCESS;
}

int comm_group(Comm& comm, MPI_Group* group) {
  *group = group_make(comm.world_rank);
  return MPI_SUCCESS;
}

}  // namespace impl
}  // namespace detmpi
