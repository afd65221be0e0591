#include "comm.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace channels {
namespace {

std::vector<Comm> g_comms;  // by handle; freed ones have no members
uint32_t g_next_context = 2;

MPI_Comm add(std::vector<int> members, uint32_t context) {
  const auto me = std::ranges::find(members, g_messages.rank());
  const int rank = static_cast<int>(me - members.begin());
  g_comms.push_back({std::move(members), rank, context});
  return static_cast<MPI_Comm>(g_comms.size() - 1);
}

// All ranks that make communicators at the same time agree on what was used before.
uint32_t agree_on_context(const Comm& comm) {
  uint64_t most = g_next_context;
  for (int member = 1; member < comm.size(); ++member) {
    uint64_t theirs = most;
    if (comm.rank == member) send_part(comm, 0, &most, sizeof most);
    if (comm.rank == 0) receive_part(comm, member, &theirs, sizeof theirs);
    most = std::max(most, theirs);
  }
  broadcast(comm, &most, sizeof most, 0);
  g_next_context = static_cast<uint32_t>(most) + 2;
  return static_cast<uint32_t>(most);
}

}  // namespace

Comm& comm_of(MPI_Comm handle) {
  if (g_comms.empty()) {
    std::vector<int> world(static_cast<size_t>(g_messages.ranks()));
    std::iota(world.begin(), world.end(), 0);
    add(std::move(world), 0);
  }
  const auto index = static_cast<size_t>(handle);
  if (handle < 0 || index >= g_comms.size() || g_comms[index].members.empty()) fail("no communicator %d", handle);
  return g_comms[index];
}

}  // namespace channels

using namespace channels;

int MPI_Comm_rank(MPI_Comm comm, int* rank) {
  *rank = comm_of(comm).rank;
  return MPI_SUCCESS;
}

int MPI_Comm_size(MPI_Comm comm, int* size) {
  *size = comm_of(comm).size();
  return MPI_SUCCESS;
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* copy) {
  const Comm from = comm_of(comm);
  *copy = add(from.members, agree_on_context(from));
  return MPI_SUCCESS;
}

int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* part) {
  const Comm from = comm_of(comm);
  struct Choice {
    int color, key;
  };
  std::vector<Choice> choices(from.members.size());
  for (int member = 0; member < from.size(); ++member) {
    Choice& choice = choices[static_cast<size_t>(member)];
    if (member == from.rank) choice = {color, key};
    broadcast(from, &choice, sizeof choice, member);
  }
  std::vector<std::tuple<int, int, int>> own;  // key, rank in `comm`, rank in the job
  for (int member = 0; member < from.size(); ++member) {
    const Choice& choice = choices[static_cast<size_t>(member)];
    if (choice.color == color) own.emplace_back(choice.key, member, from.member(member));
  }
  std::ranges::sort(own);
  std::vector<int> members;
  for (const auto& [its_key, its_rank, in_job] : own) members.push_back(in_job);
  *part = add(std::move(members), agree_on_context(from));
  return MPI_SUCCESS;
}

int MPI_Comm_free(MPI_Comm* comm) {
  comm_of(*comm).members.clear();
  *comm = MPI_COMM_NULL;
  return MPI_SUCCESS;
}
