#include "comm_setup.hpp"

#include "../engine/events.hpp"
#include "../engine/out_of_memory.hpp"
#include "../engine/p2p.hpp"
#include "../object/errors.hpp"
#include "../object/hooks.hpp"
#include "board_store.hpp"
#include "members.hpp"
#include "mismatch.hpp"
#include "rounds.hpp"

#include <algorithm>

namespace detmpi {
namespace {

uint32_t g_next_context = kFirstFreeContext;
BoardStore g_boards;

static_assert(sizeof(Proposal) <= chan::kPlaceBytes);

void set_board(Comm& comm, spmc::EPageIndex first) {
  auto* transport = new CommTransport;
  comm.transport = transport;
  if (comm.size == 1) return;
  transport->first = first;
  const auto members = static_cast<uint32_t>(comm.size);
  transport->board =
      chan::Board(first, static_cast<uint32_t>(comm.rank), members, board_areas(members), take_log_frame);
}

// The board's frames come from the first member, which tells the others where they are.
void give_board(Comm& comm) {
  uint32_t first = 0;
  if (comm.size == 1) return set_board(comm, {first});
  const uint32_t context = collective_context(comm);  // nobody else uses it yet
  const ContentsHidden frame_number;
  if (comm.rank == 0) {
    first = take_board(comm.size).value;
    for (int to = 1; to < comm.size; ++to) {
      p2p_send(&first, 1, *datatype_from(MPI_UINT32_T), comm, {to, 0, context}, SendMode::kStandard);
    }
  } else {
    (void)p2p_recv(&first, 1, *datatype_from(MPI_UINT32_T), comm, {0, 0, context}, MPI_STATUS_IGNORE);
  }
  set_board(comm, {first});
}

spmc::EPageIndex take(uint32_t members, chan::BoardAreas areas) {
  g_job->boards_made.store(1, std::memory_order_relaxed);
  return g_boards.take(members, areas);
}

}  // namespace

spmc::EPageIndex take_board(int members) {
  const auto n = static_cast<uint32_t>(members);
  return take(n, board_areas(n));
}

spmc::EPageIndex take_log(const Comm& inter) { return take(members_of_both(inter), {}); }

int unnoticed_mismatch() {
  Comm* first = nullptr;
  const auto look = [&](Comm& comm) {
    const CommTransport* own = comm.transport;
    if (own == nullptr || own->first.none() || own->board.member() != 0) return;
    if (first != nullptr && first->context < comm.context) return;
    if (differs_at_end(comm)) first = &comm;
  };
  g_comms.each(look);
  g_boards.each_retired(look);
  return first == nullptr ? MPI_SUCCESS : mismatch_at_end(*first).code();
}

void set_log(Comm& inter, spmc::EPageIndex log) {
  inter.transport = new CommTransport;
  inter.transport->first = log;
  inter.transport->board = chan::Board(log, own_member(inter), members_of_both(inter), {}, take_log_frame);
}

Comm& make_intra_copy(Comm& parent, uint32_t context, spmc::EPageIndex board) {
  Comm& comm = comm_register(MPI_COMM_NULL, context, parent.rank, parent.world_rank);
  set_board(comm, board);
  comm_inherit(parent, comm);
  return comm;
}

Proposal propose(int choice, int key) { return {g_next_context, choice, key}; }

std::vector<Proposal> exchange_proposals(Comm& comm, Proposal mine) {
  std::vector<Proposal> all(static_cast<size_t>(comm.size));
  if (comm.size == 1) {
    all[0] = mine;
    return all;
  }
  Rounds rounds(comm, Signature());
  std::memcpy(rounds.prepare(sizeof mine), &mine, sizeof mine);
  rounds.publish();
  for (size_t i = 0; i < all.size(); ++i) {
    std::memcpy(&all[i], rounds.await(static_cast<uint32_t>(i), sizeof mine), sizeof mine);
  }
  rounds.finish();
  if (rounds.code() != MPI_SUCCESS) all.clear();
  return all;
}

uint32_t highest_context(std::span<const Proposal> all) {
  uint32_t context = 0;
  for (const Proposal& p : all) context = std::max(context, p.context);
  return context;
}

void use_contexts(uint32_t first, uint32_t count) {
  if (uint64_t{first} + count > kFirstContextOfCopies) {
    end_at_limit("no numbers are left for communicators: the job has made " + std::to_string(first));
  }
  g_next_context = first + count;
}

std::vector<int> choose(std::span<const Proposal> all, int choice, std::span<const int> world_rank) {
  std::vector<size_t> members;
  for (size_t i = 0; i < all.size(); ++i) {
    if (all[i].choice == choice) members.push_back(i);
  }
  std::stable_sort(members.begin(), members.end(), [all](size_t a, size_t b) { return all[a].key < all[b].key; });
  std::vector<int> world;
  for (const size_t member : members) world.push_back(world_rank[member]);
  return world;
}

Comm& make_intra(Comm& parent, uint32_t context, std::vector<int> world_rank) {
  const auto me = std::find(world_rank.begin(), world_rank.end(), g_engine.rank());
  const int rank = static_cast<int>(me - world_rank.begin());
  Comm& comm = comm_register(MPI_COMM_NULL, context, rank, std::move(world_rank));
  give_board(comm);
  comm_inherit(parent, comm);
  return comm;
}

void transport_release(Comm& comm) {
  g_engine.drop_messages(comm);
  if (comm.transport == nullptr) return;
  if (!comm.transport->first.none()) {
    comm.transport->board.leave();
    if (comm.transport->board.member() == 0) return g_boards.retire(comm);
  }
  delete comm.transport;
  comm.transport = nullptr;
}

}  // namespace detmpi
