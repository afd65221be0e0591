#include "mismatch.hpp"

#include <base/sys.hpp>
#include <base/wait.hpp>

#include <algorithm>
#include <optional>
#include <vector>

#include "../engine/calling_place.hpp"
#include "../engine/engine.hpp"
#include "../object/errors.hpp"
#include "members.hpp"
#include "quit.hpp"
#include "rounds.hpp"
#include "signature.hpp"

namespace detmpi {
namespace {

constexpr uint64_t kPauseNs = 100'000;
constexpr uint64_t kBlockedNs = 500'000'000;       // where nothing is known of a member that waits: it will not come
constexpr uint64_t kPatienceNs = 10'000'000'000u;  // for members that compute

chan::Board& board_of(Comm& comm) { return comm.transport->board; }

struct Begun {
  uint32_t member;
  chan::BoardNote note;
};

std::optional<Begun> find(const chan::Board& board, uint32_t member, uint64_t number) {
  const auto note = board.noted(member, number);
  return note ? std::optional(Begun{member, *note}) : std::nullopt;
}

// Waits until it is known whether the member begins the operation by the logical time `until`, which is no later than
// this rank's clock: which members the message is about must not depend on who has come so far.
void wait_for_member(Comm& comm, uint32_t member, uint64_t number, uint64_t until) {
  const chan::Board& board = board_of(comm);
  const int rank = world_rank_of(comm, member);
  const uint64_t start = spmc::base::monotonic_ns();
  while (board.log(member).begun.load(std::memory_order_acquire) <= number) {
    if (board.has_quit(member) || g_engine.acts_after(rank, until)) return;
    const uint64_t waited = spmc::base::monotonic_ns() - start;
    if (waited > (g_engine.first_come() ? kBlockedNs : kPatienceNs)) return;
    spmc::base::sleep_ns(kPauseNs);
  }
}

// The root that a member of an inter-communicator means. Those in the root's group know that it is another one of them,
// and their other arguments count for nothing.
std::optional<uint32_t> meant_root(const Comm& comm, const Begun& b) {
  const int root = Signature(b.note).root();
  if (root == MPI_PROC_NULL) return {};
  if (root == MPI_ROOT) return b.member;
  const auto first = static_cast<uint32_t>(is_first_group(comm) ? comm.size : comm.peers);
  return static_cast<uint32_t>(root) + (b.member < first ? first : 0);
}

using Pair = std::optional<std::pair<Begun, Begun>>;
using Same = bool (Signature::*)(const Signature&) const;

bool agree(const Comm& comm, const Begun& a, const Begun& b, Same same = &Signature::same) {
  const Signature one(a.note), other(b.note);
  if (one.between_groups() && other.between_groups() && one.same_direction(other)) {
    const auto root = meant_root(comm, a), others = meant_root(comm, b);
    if (!root || !others) return root != b.member && others != a.member;
    if (*root != *others) return false;
  }
  return (one.*same)(other);
}

// Two members that differ in an operation, of those that began it by `until` the earliest; of equal times the lowest.
Pair differing_in(Comm& comm, uint64_t number, uint64_t until, Same same = &Signature::same) {
  std::vector<Begun> all;
  for (uint32_t member = 0; member < board_of(comm).members(); ++member) {
    const auto begun = find(board_of(comm), member, number);
    if (begun && begun->note.stamp <= until) all.push_back(*begun);
  }
  std::ranges::stable_sort(all, {}, [](const Begun& b) { return b.note.stamp; });
  for (auto other = all.begin(); other != all.end(); ++other) {
    const auto one = std::find_if(all.begin(), other, [&](const Begun& b) { return !agree(comm, b, *other, same); });
    if (one != other) return one->member < other->member ? std::pair(*one, *other) : std::pair(*other, *one);
  }
  return {};
}

void wait_for_all(Comm& comm, uint64_t number, uint64_t until) {
  for (uint32_t member = 0; member < board_of(comm).members(); ++member) wait_for_member(comm, member, number, until);
}

// The first operation in which members differ.
template <typename Settle>
Pair first_difference(Comm& comm, uint64_t until, Settle&& settle) {
  const chan::Board& board = board_of(comm);
  for (uint64_t number = board.first_asked(); number < board.begun(); ++number) {
    settle(number);
    if (const Pair pair = differing_in(comm, number, until)) return pair;
  }
  return {};
}

// The address to which the call returns is behind it.
Place place_of(const Begun& b) { return Place(b.note.place - 1); }

// A rank in one of two groups would leave it open in which.
std::string rank_of(const Comm& comm, uint32_t member) {
  if (!comm.inter) return "rank " + std::to_string(member);
  return "rank " + std::to_string(world_rank_of(comm, member)) + " of MPI_COMM_WORLD";
}

std::string operation_of(const Comm& comm, const Begun& b) {
  return rank_of(comm, b.member) + ": " + Signature(b.note).text();
}

std::string side_of(const Comm& comm, const Begun& b) {
  if (b.note.place == 0) return operation_of(comm, b);  // at the end of the program
  return operation_of(comm, b) + " at " + text_of(place_of(b));
}

// The same in both groups.
std::string label(const Comm& comm) {
  if (!comm.inter || !comm.name.empty()) return comm_label(comm);
  const int first = is_first_group(comm) ? comm.size : comm.peers;
  return "an inter-communicator of " + std::to_string(first) + " and " +
         std::to_string(comm.size + comm.peers - first) + " ranks";
}

std::string subject(const Comm& comm) { return "mismatched collective operations on " + label(comm); }

// Of counts a signature has the hash alone, so that both sides may read the same.
const char* what_differs(const Signature& one, const Signature& other) {
  return one.text() == other.text() && one.has_counts() ? ": the counts of the members differ" : "";
}

std::string text_of(Comm& comm, const Pair& pair) {
  if (!pair) return subject(comm) + ", in an operation before this one";
  const auto& [one, other] = *pair;
  return subject(comm) + ": " + side_of(comm, one) + "; " + side_of(comm, other) +
         what_differs(Signature(one.note), Signature(other.note));
}

int class_of(Comm& comm, const Pair& pair, const Sides& sides) {
  const chan::Board& board = board_of(comm);
  if (sides) return sides->first.error_class(sides->second);
  if (!pair) return MPI_ERR_OTHER;
  const bool second = pair->second.member == board.member();
  const Signature mine((second ? pair->second : pair->first).note);
  return mine.error_class(Signature((second ? pair->first : pair->second).note));
}

// Have all begun as many operations, and the same? Where groups name their root each in its own way, more must be
// looked at.
bool ends_alike(const chan::Board& board, uint64_t least, uint64_t most) {
  if (least != most) return false;
  const auto history_of = [&](uint32_t member) {
    const auto last = most == 0 ? std::nullopt : board.noted(member, most - 1);
    return last ? last->history : 0;
  };
  for (uint32_t member = 1; member < board.members(); ++member) {
    if (history_of(member) != history_of(0)) return false;
  }
  return true;
}

// What members that begin nothing any more differ in: those two, or, if none do in what all have begun, that not all
// have begun operation `number`.
struct AtEnd {
  Pair pair;
  uint64_t number;
};

std::optional<AtEnd> difference_at_end(Comm& comm) {
  const chan::Board& board = board_of(comm);
  uint64_t least = ~uint64_t{0}, most = 0;
  for (uint32_t member = 0; member < board.members(); ++member) {
    const uint64_t begun = board.log(member).begun.load(std::memory_order_acquire);
    if (begun == chan::kLogHidden || board.has_quit(member)) return {};
    least = std::min(least, begun);
    most = std::max(most, begun);
  }
  const bool alike = ends_alike(board, least, most);
  if (alike && !comm.inter) return {};
  for (uint64_t number = chan::before_all_that_differs(least); number < least; ++number) {
    if (const Pair pair = differing_in(comm, number, ~uint64_t{0})) return AtEnd{pair, number};
  }
  if (alike) return {};
  return AtEnd{{}, least};
}

// One that has begun operation `number`, and one that has not.
std::string text_of_missing(Comm& comm, uint64_t number) {
  const chan::Board& board = board_of(comm);
  std::optional<Begun> begun;
  uint32_t missing = board.members();
  for (uint32_t member = 0; member < board.members(); ++member) {
    if (!board.begins(member, number)) missing = std::min(missing, member);
    else if (!begun) begun = find(board, member, number);
  }
  if (!begun || missing == board.members()) return text_of(comm, {});
  const std::string one = side_of(comm, *begun), other = rank_of(comm, missing) + ": nothing";
  return subject(comm) + ": " + (begun->member < missing ? one + "; " + other : other + "; " + one);
}

bool has_board(const Comm& comm) { return comm.transport != nullptr && comm.transport->board.members() > 1; }

}  // namespace

int Mismatch::code() const { return make_job_error(error_class, kStuckExit, text); }

Sides sides_of(const Signature& mine, const std::optional<chan::BoardNote>& theirs) {
  if (!theirs || mine.same(Signature(*theirs))) return {};
  return std::pair(mine, Signature(*theirs));
}

Mismatch find_mismatch(Comm& comm, uint64_t until, const Sides& sides) {
  const Pair pair = first_difference(comm, until, [&](uint64_t number) { wait_for_all(comm, number, until); });
  return {class_of(comm, pair, sides), text_of(comm, pair)};
}

bool differs_at_end(Comm& comm) { return difference_at_end(comm).has_value(); }

Mismatch mismatch_at_end(Comm& comm) {
  const auto found = difference_at_end(comm);
  const Pair pair = found ? found->pair : std::nullopt;
  return {class_of(comm, pair, {}), found && !pair ? text_of_missing(comm, found->number) : text_of(comm, pair)};
}

Mismatch uneven(Comm& comm, uint64_t sent, uint64_t received) {
  const chan::Board& board = board_of(comm);
  const auto mine = find(board, board.member(), board.begun() - 1);
  const std::string side = mine ? side_of(comm, *mine) : call_name(g_call.id);
  return {sent > received ? MPI_ERR_TRUNCATE : MPI_ERR_COUNT,
          subject(comm) + ": " + side + ": it sends " + std::to_string(sent) + " bytes to each rank, and receives " +
              std::to_string(received) + " from each"};
}

void wait_for_note(Comm& comm, uint32_t member, uint64_t stamp) {
  const uint64_t begun = board_of(comm).begun();
  if (begun > 0) wait_for_member(comm, member, begun - 1, stamp);
}

std::optional<chan::BoardNote> begun_differently(Comm& comm, uint32_t member, uint64_t number) {
  const chan::Board& board = board_of(comm);
  if (board.history() == chan::kUnchecked) return {};
  const auto mine = find(board, board.member(), number);
  const auto theirs = find(board, member, number);
  if (!mine || !theirs) return {};
  if (mine->note.history == theirs->note.history && agree(comm, *mine, *theirs)) return {};
  return theirs->note;
}

std::vector<std::string> mismatch_fields(Comm& comm) {
  if (!has_board(comm)) return {};
  const Pair pair = first_difference(comm, ~uint64_t{0}, [](uint64_t) {});
  if (!pair) return {};
  std::vector<std::string> fields{subject(comm)};
  for (const Begun& b : {pair->first, pair->second}) {
    const Place place = place_of(b);
    fields.insert(fields.end(), {operation_of(comm, b), place.by_function, place.by_offset});
  }
  return fields;
}

int length_error(Comm& comm, int rank, uint32_t sender, uint64_t operation, uint64_t bytes, uint64_t expected) {
  const int error_class = bytes > expected ? MPI_ERR_TRUNCATE : MPI_ERR_COUNT;
  std::string sides;
  if (has_board(comm)) {
    const auto mine = find(board_of(comm), board_of(comm).member(), operation);
    if (mine && Signature(mine->note).agrees_on_size()) return quit(comm);  // the sender has found an error
    wait_for_all(comm, operation, g_clock);
    if (const Pair pair = differing_in(comm, operation, g_clock, &Signature::same_sizes)) {
      return make_job_error(error_class, kStuckExit, text_of(comm, pair));
    }
    for (const uint32_t member : {board_of(comm).member(), sender}) {
      if (const auto begun = find(board_of(comm), member, operation)) sides += "; " + side_of(comm, *begun);
    }
  }
  return make_error(error_class, "rank %d has sent %lu bytes where %lu are expected%s", rank,
                    static_cast<unsigned long>(bytes), static_cast<unsigned long>(expected), sides.c_str());
}

}  // namespace detmpi
