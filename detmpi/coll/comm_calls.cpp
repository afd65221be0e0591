// Making and freeing communicators.
//
// A context number must be the same at all members and differ from that of every other communicator a member is in. It
// is agreed on by the members of the parent: each proposes the lowest number that it has never used, the highest
// proposal wins. That is a function of the program's calls alone.
#include "../engine/events.hpp"
#include "../engine/p2p.hpp"
#include "../object/attributes.hpp"
#include "../object/errors.hpp"
#include "../object/group.hpp"
#include "../object/hooks.hpp"
#include "board_store.hpp"
#include "comm_setup.hpp"
#include "impl.hpp"
#include "rounds.hpp"

#include <algorithm>
#include <array>

namespace detmpi {
namespace {

uint32_t g_next_context = kFirstFreeContext;
BoardStore g_boards;

// What a member says about the communicator that is being made.
struct Proposal {
  uint32_t context;  // lowest number that it has never used
  int32_t color;     // MPI_UNDEFINED: takes no part
  int32_t key;
};
static_assert(sizeof(Proposal) <= chan::kPlaceBytes);

std::vector<Proposal> exchange_proposals(Comm& comm, Proposal mine) {
  std::vector<Proposal> all(static_cast<size_t>(comm.size));
  if (comm.size == 1) {
    all[0] = mine;
    return all;
  }
  Rounds rounds(comm);
  std::memcpy(rounds.prepare(sizeof mine), &mine, sizeof mine);
  rounds.publish();
  for (size_t i = 0; i < all.size(); ++i) {
    std::memcpy(&all[i], rounds.await(static_cast<uint32_t>(i), sizeof mine), sizeof mine);
  }
  rounds.finish();
  return all;
}

// The highest proposal; the next communicator of any member gets a higher one.
uint32_t agree(const std::vector<Proposal>& all) {
  uint32_t context = 0;
  for (const Proposal& p : all) context = std::max(context, p.context);
  g_next_context = context + 1;
  return context;
}

// The board's frames come from the first member, which tells the others where they are.
void give_board(Comm& parent, Comm& comm) {
  auto* transport = new CommTransport;
  comm.transport = transport;
  if (comm.size > 1) {
    const auto members = static_cast<uint32_t>(comm.size);
    uint32_t first = 0;
    const uint32_t context = comm.context * 2 + 1;  // its own context: nobody else uses it yet
    const ContentsHidden frame_number;
    if (comm.rank == 0) {
      first = g_boards.take(members).value;
      for (int to = 1; to < comm.size; ++to) {
        p2p_send(&first, 1, *datatype_from(MPI_UINT32_T), comm, {to, 0, context}, SendMode::kStandard);
      }
    } else {
      (void)p2p_recv(&first, 1, *datatype_from(MPI_UINT32_T), comm, {0, 0, context}, MPI_STATUS_IGNORE);
    }
    transport->first = {first};
    transport->board = chan::Board(transport->first, static_cast<uint32_t>(comm.rank), members);
  }
  comm_inherit(parent, comm);
}

// A new communicator of the members that proposed my color, by (key, rank); null if I proposed none.
Comm* make_from(Comm& parent, const std::vector<Proposal>& all, uint32_t context) {
  const Proposal& mine = all[static_cast<size_t>(parent.rank)];
  if (mine.color == MPI_UNDEFINED) return nullptr;
  std::vector<int> members;
  for (int i = 0; i < parent.size; ++i) {
    if (all[static_cast<size_t>(i)].color == mine.color) members.push_back(i);
  }
  std::stable_sort(members.begin(), members.end(),
                   [&all](int a, int b) { return all[static_cast<size_t>(a)].key < all[static_cast<size_t>(b)].key; });
  int rank = 0;
  std::vector<int> world;
  for (size_t i = 0; i < members.size(); ++i) {
    if (members[i] == parent.rank) rank = static_cast<int>(i);
    world.push_back(parent.world_rank[static_cast<size_t>(members[i])]);
  }
  Comm& comm = comm_register(MPI_COMM_NULL, context, rank, std::move(world));
  give_board(parent, comm);
  return &comm;
}

Comm* split(Comm& parent, int color, int key) {
  const auto all = exchange_proposals(parent, {g_next_context, color, key});
  return make_from(parent, all, agree(all));
}

int close(Comm& comm) {
  const int code = attributes_delete_all(comm);
  if (code == MPI_SUCCESS) comm_close(comm);
  return code;
}

}  // namespace

void transport_release(Comm& comm) {
  if (comm.transport == nullptr) return;
  if (!comm.transport->first.none()) {
    comm.transport->board.leave();
    if (comm.rank == 0) g_boards.retire(comm.transport->first, static_cast<uint32_t>(comm.size));
  }
  delete comm.transport;
  comm.transport = nullptr;
}

namespace impl {

int comm_dup(Comm& comm, MPI_Comm* newcomm) {
  Comm& copy = *split(comm, 0, comm.rank);
  const int code = attributes_copy(comm, copy);
  if (code != MPI_SUCCESS) {
    (void)close(copy);
    *newcomm = MPI_COMM_NULL;
    return code;
  }
  copy.info = comm.info;
  copy.topology = comm.topology;
  *newcomm = copy.handle;
  return MPI_SUCCESS;
}

int comm_dup_with_info(Comm& comm, Info* info, MPI_Comm* newcomm) {
  const int code = comm_dup(comm, newcomm);
  if (code == MPI_SUCCESS && info != nullptr) comm_from(*newcomm)->info = *info;
  return code;
}

int comm_split(Comm& comm, int color, int key, MPI_Comm* newcomm) {
  const Comm* made = split(comm, color, key);
  *newcomm = made == nullptr ? MPI_COMM_NULL : made->handle;
  return MPI_SUCCESS;
}

int comm_split_type(Comm& comm, int type, int key, Info*, MPI_Comm* newcomm) {
  // All ranks share one machine's memory.
  return comm_split(comm, type == MPI_UNDEFINED ? MPI_UNDEFINED : 0, key, newcomm);
}

int comm_create(Comm& comm, Group& group, MPI_Comm* newcomm) {
  const auto& members = group.world_rank;
  const auto place = std::find(members.begin(), members.end(), g_engine.rank());
  // Groups may be disjoint: the first member's rank tells them apart.
  const int color = place == members.end() ? MPI_UNDEFINED : members.front();
  return comm_split(comm, color, static_cast<int>(place - members.begin()), newcomm);
}

// Only the members call this: their proposals travel as messages of the parent, tagged by the caller.
int comm_create_group(Comm& comm, Group& group, int tag, MPI_Comm* newcomm) {
  const auto& members = group.world_rank;
  const auto place = std::find(members.begin(), members.end(), g_engine.rank());
  *newcomm = MPI_COMM_NULL;
  if (place == members.end()) return MPI_SUCCESS;
  const int rank = static_cast<int>(place - members.begin());
  const Datatype& word = *datatype_from(MPI_UINT32_T);
  const auto in_parent = [&](size_t i) {
    const auto at = std::find(comm.world_rank.begin(), comm.world_rank.end(), members[i]);
    return static_cast<int>(at - comm.world_rank.begin());
  };
  const uint32_t context_of_messages = collective_context(comm);
  uint32_t context = g_next_context;
  if (rank == 0) {
    for (size_t i = 1; i < members.size(); ++i) {
      uint32_t proposal = 0;
      (void)p2p_recv(&proposal, 1, word, comm, {in_parent(i), tag, context_of_messages}, MPI_STATUS_IGNORE);
      context = std::max(context, proposal);
    }
    for (size_t i = 1; i < members.size(); ++i) {
      p2p_send(&context, 1, word, comm, {in_parent(i), tag, context_of_messages}, SendMode::kStandard);
    }
  } else {
    p2p_send(&context, 1, word, comm, {in_parent(0), tag, context_of_messages}, SendMode::kStandard);
    (void)p2p_recv(&context, 1, word, comm, {in_parent(0), tag, context_of_messages}, MPI_STATUS_IGNORE);
  }
  g_next_context = context + 1;
  Comm& made = comm_register(MPI_COMM_NULL, context, rank, members);
  give_board(comm, made);
  *newcomm = made.handle;
  return MPI_SUCCESS;
}

int comm_free(MPI_Comm* handle) {
  Comm& comm = *comm_from(*handle);
  if (&comm == g_comm_world || &comm == g_comm_self) {
    return make_error(MPI_ERR_COMM, "%s cannot be freed", comm_label(comm).c_str());
  }
  const int code = close(comm);
  if (code == MPI_SUCCESS) *handle = MPI_COMM_NULL;
  return code;
}

}  // namespace impl
}  // namespace detmpi
