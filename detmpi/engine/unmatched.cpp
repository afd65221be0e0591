#include "unmatched.hpp"

#include <algorithm>

#include "../object/comm.hpp"
#include "contexts.hpp"
#include "message.hpp"

namespace detmpi {
namespace {

std::string message_text(const chan::match::Message& m) {
  if (!is_partitioned(m.context)) return tag_text(m.tag, m.context);
  return m.tag < MPI_ANY_TAG ? "a partition" : "that of MPI_Psend_init, tag " + std::to_string(m.tag);
}

std::string sender_text(const chan::match::Message& m) {
  return "rank " + rank_text(static_cast<const Message&>(m).source, m.key.source);
}

// On a communicator that the program has freed: whether it has come before that, and is gone, depends on timing.
bool may_be_dropped(const chan::match::Message& m) {
  return static_cast<const Message&>(m).ack_id == 0 && comm_with_context(communicator_of(m.context)) == nullptr;
}

}  // namespace

// Groups make communicators by tags that the program gives.
std::string tag_text(int tag, uint32_t context) {
  if (tag < MPI_ANY_TAG) return "part of a collective operation";
  const std::string text = tag == MPI_ANY_TAG ? "any tag" : "tag " + std::to_string(tag);
  return is_collective(context) ? "part of making a communicator, " + text : text;
}

std::string rank_text(int rank, int in_job) {
  const std::string text = std::to_string(rank);
  return rank == in_job ? text : text + " (rank " + std::to_string(in_job) + " of MPI_COMM_WORLD)";
}

UnmatchedMessages unmatched_messages(const chan::match::Matcher& matcher, int ranks, chan::match::Time until,
                                     MessagesOf whom) {
  UnmatchedMessages all;
  for (int from = 0; from < ranks; ++from) {
    matcher.each_message(from, [&](const chan::match::Message& m) {
      if (whom == MessagesOf::kProgram && is_collective(m.context)) return;
      if (m.key.arrival > until || may_be_dropped(m)) return;
      UnmatchedMessages::Kind kind{
          from,           m.tag,       m.context, context_label(communicator_of(m.context)), message_text(m),
          sender_text(m), m.key.number};
      const auto known = std::ranges::find_if(all.kinds, [&](const auto& other) { return other.like(kind); });
      if (known != all.kinds.end()) known->add(kind);
      else if (all.kinds.size() < UnmatchedMessages::kMostKinds) all.kinds.push_back(std::move(kind));
      else ++all.others;
    });
  }
  return all;
}

}  // namespace detmpi
