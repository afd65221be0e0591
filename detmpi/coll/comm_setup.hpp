// How communicators are made: what all who take part tell each other, the context number, the board.
//
// A context number must be the same at all members and differ from that of every other communicator a member is in. It
// is agreed on by all who take part in making the communicator: each proposes the lowest number that it has never used,
// the highest proposal wins. That is a function of the program's calls alone.
//
// An inter-communicator has two numbers. Messages between the groups carry the first. Under the second each group has a
// communicator of its own (Comm::local); the groups are disjoint, so they need no different ones.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <spmc/types.hpp>

namespace detmpi {

struct Comm;

inline constexpr uint32_t kWorldContext = 0;
inline constexpr uint32_t kSelfContext = 1;
inline constexpr uint32_t kFirstFreeContext = 2;
inline constexpr uint32_t kFirstContextOfCopies = 1u << 29;  // comm_idup.cpp

// What a member says about the communicator that is being made.
struct Proposal {
  uint32_t context;  // lowest number that it has never used
  int32_t choice;    // its color, or what else the operation must know; MPI_UNDEFINED: it takes no part
  int32_t key;
};

Proposal propose(int choice, int key);

// Everybody's proposals, by rank; none if this rank has quit (quit.hpp). Collective over a communicator of one group.
std::vector<Proposal> exchange_proposals(Comm& comm, Proposal mine);

uint32_t highest_context(std::span<const Proposal> all);
// The next communicator that this rank takes part in making gets a higher number than these.
void use_contexts(uint32_t first, uint32_t count);

// Of those who have made the choice, by (key, rank): `world_rank` says who they are.
std::vector<int> choose(std::span<const Proposal> all, int choice, std::span<const int> world_rank);

// A new communicator of one group, in which the calling rank is; collective over its members.
Comm& make_intra(Comm& parent, uint32_t context, std::vector<int> world_rank);

// The same of two groups (intercomm_calls.cpp): of those on both sides who give my color, null if I give none or nobody
// on the other side does. Returns an error code.
int split_inter(Comm& parent, int color, int key, Comm** made);

// MPI_ERR_COMM if it is predefined.
int check_may_be_freed(const Comm& comm);

// --- copies (comm_idup.cpp) ---

// Frames of a board for that many members, more than one. Its first member takes them; they are given back with its
// communicator.
spmc::EPageIndex take_board(int members);
// Those for both groups of an inter-communicator, where members note what they begin (members.hpp).
spmc::EPageIndex take_log(const Comm& inter);
void set_log(Comm& inter, spmc::EPageIndex log);
// Copies of a communicator for which number and board are known; nobody is waited for.
Comm& make_intra_copy(Comm& parent, uint32_t context, spmc::EPageIndex board);
Comm& make_inter_copy(Comm& parent, uint32_t context, spmc::EPageIndex board, spmc::EPageIndex log);

// --- at the end of the job ---

// No rank begins anything any more. The error code of operations that did not match, and for which nobody waited: on
// the communicator of the lowest number whose board this rank has made; MPI_SUCCESS if there are none.
int unnoticed_mismatch();

}  // namespace detmpi
