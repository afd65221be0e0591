// Members of a communicator that have begun different collective operations: what is told of it. The text depends on
// the program alone, not on who finds it out, or when.
#pragma once

#include <chan/board.hpp>

#include <optional>
#include <string>
#include <vector>

#include "../object/comm.hpp"
#include "signature.hpp"

namespace detmpi {

// The operations of both sides and their places in the program, and the class of this rank's error.
struct Mismatch {
  int error_class;
  std::string text;
  int code() const;  // whoever ends the job for it does so with kStuckExit
};
// What this rank has begun and what another one has begun in its place; none where that differs in nothing.
using Sides = std::optional<std::pair<Signature, Signature>>;
Sides sides_of(const Signature& mine, const std::optional<chan::BoardNote>& theirs);
// `until`: the logical time of the later one of the two members of which it is known. Without `sides` the error is that
// this rank differs from one of the two.
Mismatch find_mismatch(Comm& comm, uint64_t until, const Sides& sides);
// Of a communicator on which no member begins anything any more: have not all begun the same operations, and has it not
// been told before? And what is told then.
bool differs_at_end(Comm& comm);
Mismatch mismatch_at_end(Comm& comm);
// Of this rank's own call: it sends each member other than what it receives from each.
Mismatch uneven(Comm& comm, uint64_t sent, uint64_t received);

// Until the member, which has published something at that logical time, has written its log as well.
void wait_for_note(Comm& comm, uint32_t member, uint64_t stamp);

// What the member has begun as its operation of that number, if that or what was before it is something else than what
// this rank has begun.
std::optional<chan::BoardNote> begun_differently(Comm& comm, uint32_t member, uint64_t number);

// The same for the report of a deadlock, where places are not looked up yet: what there is to say, and for each side
// its operation and its place in the two forms of describe.cpp. Empty if no member that has come differs.
std::vector<std::string> mismatch_fields(Comm& comm);

// An error code for a message of the operation of that number that has not the size that its receiver expects.
// `rank`: that the receiver knows its sender by, who is that member.
int length_error(Comm& comm, int rank, uint32_t sender, uint64_t operation, uint64_t bytes, uint64_t expected);

}  // namespace detmpi
