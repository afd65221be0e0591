// A stuck rank describes what it waits for, when detmpirun asks for it after it has found a deadlock
// (job/deadlock.hpp); and one that polls for what it polls (job/polling_hint.hpp).
//
// Lines of fields that are separated by tabs, in frames of the rank's that its RankRecord names:
//   call       name of the MPI call, place in the program by its function, and by its offset in the file; in Python by
//              its line, and nothing
//   need       kind, tag, communicator, what is waited for     one for each Need of its record, in that order
//   unmatched  source in the job, tag, communicator, what, source as it is told, how many, number of the first among
//              all from there                                  messages that have come and that no receive takes
//   others     how many                                        the same, of which nothing else is told
//   sent       destination in the job, number of the first, of the last, place, offset
//                                                              the latest messages of the rank's: from one place, to
//                                                              one rank, one after the other
//   mismatch   what, and for two ranks: operation, place, offset    collective operations that do not match
#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "../coll/mismatch.hpp"
#include "../job/tab_line.hpp"
#include "../object/call.hpp"
#include "calling_place.hpp"
#include "engine.hpp"
#include "operation.hpp"
#include "python_place.hpp"
#include "unmatched.hpp"

namespace detmpi {

using chan::match::Time;

namespace {

// Of those that come by `until`.
std::string unmatched_lines(const chan::match::Matcher& matcher, int ranks, Time until) {
  const UnmatchedMessages all = unmatched_messages(matcher, ranks, until);
  std::string text;
  for (const UnmatchedMessages::Kind& kind : all.kinds) {
    text += tab_line({"unmatched", std::to_string(kind.from), std::to_string(kind.tag), kind.communicator, kind.what,
                      kind.sender, std::to_string(kind.count), std::to_string(kind.number)});
  }
  return all.others == 0 ? text : text + tab_line({"others", std::to_string(all.others)});
}

std::string sent_lines(const SentPlaces& sent_places) {
  struct Run {
    SentPlaces::Sent first;
    uint32_t last;
    bool goes_on(const SentPlaces::Sent& sent) const {
      return sent.to == first.to && sent.returns_to == first.returns_to && sent.number == last + 1;
    }
  };
  std::vector<Run> runs;
  sent_places.each([&](const SentPlaces::Sent& sent) {
    if (!runs.empty() && runs.back().goes_on(sent)) ++runs.back().last;
    else runs.push_back({sent, sent.number});
  });
  std::map<uintptr_t, Place> places;
  std::string text;
  for (const Run& run : runs) {
    const Place& place = places.try_emplace(run.first.returns_to, run.first.returns_to - 1).first->second;
    text += tab_line({"sent", std::to_string(run.first.to), std::to_string(run.first.number), std::to_string(run.last),
                      place.by_function, place.by_offset});
  }
  return text;
}

std::string receive_line(const chan::match::Receive& r, const char* kind, const Comm& comm, int peer) {
  const std::string from = peer == MPI_ANY_SOURCE ? "any rank" : "rank " + rank_text(peer, r.source);
  return tab_line({"need", kind, std::to_string(r.tag), comm_label(comm),
                   "a message from " + from + ", " + tag_text(r.tag, r.context)});
}

std::string peer_text(const Request& r) { return rank_text(r.peer, r.peer_world); }

std::string missing_ranks(const Request& r) {
  std::string ranks;
  for (const Request& part : r.operation->parts()) {
    if (part.kind == RequestKind::kRecv && !part.matched) ranks += (ranks.empty() ? "" : ", ") + peer_text(part);
  }
  return "rank " + ranks;
}

std::string need_line(const Request& r);

// As Engine::need_of_parts: one that is missing stands for all.
std::string need_line_of_parts(const Request& r) {
  const std::string comm = comm_label(*r.comm);
  if (r.operation->open()) return tab_line({"need", "partitioned send", "", comm, "a call of MPI_Pready"});
  if (const Request* first = r.operation->first()) {
    return tab_line({"need", "partitioned receive", std::to_string(first->tag), comm,
                     "MPI_Psend_init of rank " + peer_text(*first) + ", tag " + std::to_string(first->tag)});
  }
  for (const Request& part : r.operation->parts()) {
    const bool complete = part.matched || part.complete;
    if (!complete && (part.kind == RequestKind::kRecv || part.mode == SendMode::kSynchronous)) return need_line(part);
  }
  return tab_line({"need", "complete", "", comm, "nothing"});
}

std::string need_line(const Request& r) {
  if (r.kind == RequestKind::kGeneral && !r.complete) {
    return tab_line({"need", "generalized request", "", "", "a call of MPI_Grequest_complete"});
  }
  const std::string comm = r.comm == nullptr ? "" : comm_label(*r.comm);
  if (r.kind == RequestKind::kRecv && !r.matched && is_partitioned(r.context)) {
    return tab_line({"need", "partitioned receive", "", comm, "partitions from rank " + peer_text(r)});
  }
  if (r.kind == RequestKind::kOperation) {
    if (!r.operation->collective()) return need_line_of_parts(r);
    return tab_line(
        {"need", "collective", "", comm, missing_ranks(r) + " to take part in " + call_name(r.operation->call())});
  }
  if (r.kind == RequestKind::kRecv && !r.matched) return receive_line(r, "receive", *r.comm, r.peer);
  if (r.kind == RequestKind::kSend && r.mode == SendMode::kSynchronous && !r.matched && is_partitioned(r.context)) {
    return tab_line({"need", "partitioned send", "", comm, "rank " + peer_text(r) + " to receive partitions"});
  }
  if (r.kind == RequestKind::kSend && r.mode == SendMode::kSynchronous && !r.matched) {
    return tab_line({"need", "synchronous send", std::to_string(r.tag), comm,
                     "rank " + peer_text(r) + " to receive a synchronous message, " + tag_text(r.tag, r.context)});
  }
  return tab_line({"need", "complete", std::to_string(r.tag), comm, "nothing"});
}

}  // namespace

void Engine::describe_poll(const Wait& wait) {
  const uint32_t question = g_job->describe_polls.load(std::memory_order_relaxed);  // 0: just taken back, which is none
  if (question == 0 || described_poll_ == question) return;
  described_poll_ = question;
  describe(wait, chan::match::kNever);
  described_ = false;  // it may still be drawn into a deadlock
}

// Whose operation it waits for, if it waits for one.
Comm* Engine::collective_of(const Wait& wait) {
  if (wait.marks != nullptr) return const_cast<Comm*>(wait.comm);
  Comm* comm = nullptr;
  each(wait, [&](const Request& r) {
    const bool operation = r.kind == RequestKind::kOperation && r.operation->collective();
    const bool part = r.kind == RequestKind::kRecv && is_collective(r.context);
    if ((operation || part) && !r.complete && comm == nullptr) comm = r.comm;
  });
  return comm;
}

void Engine::describe(const Wait& wait, Time until) {
  described_ = true;
  const CallingPlace calling = calling_place();
  const std::string call = call_name(g_call.id);
  std::string text = calling.in_python.empty()
                         ? tab_line({"call", call, calling.place.by_function, calling.place.by_offset})
                         : tab_line({"call", call, calling.in_python, ""});
  each(wait, [&](const Request& r) { text += need_line(r); });
  if (wait.probe != nullptr) {
    const auto senders = senders_in(*wait.comm);
    const auto at = std::find(senders.begin(), senders.end(), wait.probe->source);
    const int peer = wait.probe->source == chan::match::kAny ? MPI_ANY_SOURCE : static_cast<int>(at - senders.begin());
    text += receive_line(*wait.probe, "probe", *wait.comm, peer);
  }
  if (wait.marks != nullptr) {
    const int rank = wait.marks->sources[0].rank;
    const CallId operation = wait.operation != CallId::kNone ? wait.operation : g_call.id;
    text += tab_line({"need", "collective", "", comm_label(*wait.comm),
                      "rank " + std::to_string(rank) + " of MPI_COMM_WORLD to take part in " + call_name(operation)});
  }
  if (Comm* comm = collective_of(wait)) {
    if (auto fields = mismatch_fields(*comm); !fields.empty()) {
      fields.insert(fields.begin(), "mismatch");
      text += tab_line(fields);
    }
  }
  text += unmatched_lines(matcher_, ranks_, until);
  // In Python they would be places in an extension. Where memory is short the report does without, or without all.
  if (!has_python() && tell(text + sent_lines(sent_places_))) return;
  (void)tell(text);
}

// False: there is no memory for it.
bool Engine::tell(const std::string& description) {
  auto run = pool_.try_alloc_run(static_cast<uint32_t>(description.size() / spmc::kPageSize + 1));
  if (!run) return false;
  std::memcpy(spmc::segment::frame(run.value()), description.data(), description.size());
  RankRecord& record = rank_record(rank_);
  record.description_frame = run.value().value;
  record.description_bytes.store(static_cast<uint32_t>(description.size()), std::memory_order_release);
  return true;
}

}  // namespace detmpi
