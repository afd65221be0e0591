#include "difference_text.hpp"

#include <mpi.h>

#include <cstdio>

#include "../engine/contexts.hpp"
#include "call_ids.hpp"

namespace detmpi {
namespace {

std::string hex(uint64_t number) {
  char text[20];
  std::snprintf(text, sizeof text, "%016lx", static_cast<unsigned long>(number));
  return text;
}

std::string tag_text(int tag) { return tag == MPI_ANY_TAG ? "any tag" : "tag " + std::to_string(tag); }
std::string rank_text(int rank) { return rank == MPI_ANY_SOURCE ? "any rank" : "rank " + std::to_string(rank); }

std::string bytes_text(uint64_t bytes) { return with_commas(bytes) + (bytes == 1 ? " byte" : " bytes"); }

std::string step(const EventRecord& e) {
  switch (e.kind) {
    case EventKind::kNone: break;
    case EventKind::kCall: return "is called";
    case EventKind::kSend:
      return "sends " + bytes_text(e.bytes) + " with " + tag_text(e.tag) + " to " + rank_text(e.peer);
    case EventKind::kReceive:
      return "asks for a message with " + tag_text(e.tag) + " from " + rank_text(e.peer) + ", of at most " +
             bytes_text(e.bytes);
    case EventKind::kProbe: return "looks for a message with " + tag_text(e.tag) + " from " + rank_text(e.peer);
    case EventKind::kEnter: return "contributes " + bytes_text(e.bytes);
    case EventKind::kGot:
      return "got " + bytes_text(e.bytes) + " with " + tag_text(e.tag) + " from " + rank_text(e.peer);
    case EventKind::kSent: return "completed a send";
    case EventKind::kCancelled: return "found a cancelled request";
    case EventKind::kSeen:
      return "saw " + bytes_text(e.bytes) + " with " + tag_text(e.tag) + " from " + rank_text(e.peer);
    case EventKind::kNothing: return "found nothing";
    case EventKind::kLeave: return "has what the others contribute";
  }
  return "";
}

bool has_content(const EventRecord& e) {
  return e.content != 0 && (e.kind == EventKind::kSend || e.kind == EventKind::kEnter || e.kind == EventKind::kGot ||
                            e.kind == EventKind::kLeave);
}

std::string end_text(LogEnd end) {
  const std::string code = code_of(end) != 0 ? " with code " + std::to_string(code_of(end)) : "";
  switch (kind_of(end)) {
    case LogEnd::kOpen: break;
    case LogEnd::kFinalized: return "it finalizes MPI";
    case LogEnd::kCrashed: return "it dies of signal " + std::to_string(code_of(end));
    case LogEnd::kAborted: return "it ends the job" + code;
    case LogEnd::kLeft: return "it exits" + code;
  }
  return "";
}

// Of a rank whose events are over, and those of the other run are not.
std::string nothing_more(LogEnd end) {
  const bool as_usual = end == LogEnd::kOpen || end == LogEnd::kFinalized;
  return as_usual ? "nothing more" : "nothing more: " + end_text(end);
}

// `content`: that is where they differ.
std::string event_version(const EventRecord& event, bool content) {
  return ", time " + with_commas(event.time) + ": " + event_text(event) +
         (content && has_content(event) ? ", content " + hex(event.content) : "");
}

std::string version(const EventDifference& e, const std::string& run, const EventRecord* event, LogEnd end) {
  const std::string what = event != nullptr ? event_version(*event, e.only_content())
                                            : ": " + (e.is_end() ? end_text(end) : nothing_more(end));
  return "    " + run + what + "\n";
}

std::string events_text(const Difference& d, const std::string& reference, const std::string& other) {
  const EventDifference& e = d.event;
  std::string text = "  the first difference: rank " + std::to_string(e.rank) + ", ";
  const std::string event = "event " + with_commas(e.index + 1);
  if (d.cause == Cause::kBeyondLog) return text + event + " or later, for which the logs have no room\n";
  text += (e.is_end() ? "its end" : event) + "\n" + version(e, reference, e.reference, e.reference_end) +
          version(e, other, e.other, e.other_end);
  if (e.before != nullptr) text += "    before it, in both" + event_version(*e.before, false) + "\n";
  if (d.ranks > 1) text += "  the events of " + with_commas(d.ranks) + " ranks differ\n";
  return text;
}

const char* verdict(const Difference& d) {
  switch (d.cause) {
    case Cause::kOutside:
      return "the program itself did something else, although the rank had been told the same until then. Something\n"
             "  comes in from outside: the time, also that of the processor, random numbers, process IDs, memory that\n"
             "  was never written, files, signals, other threads.";
    case Cause::kRace:
      return "messages raced: in the order of their arrival (--order=arrival) the program gets another one first from\n"
             "  run to run. With --order=logical it would not.";
    case Cause::kContent:
      return "the same message arrived with other bytes, although the sender meant to send the same. The program "
             "writes\n"
             "  to the buffer of a pending send or receive, reads that of a pending receive, or receives two messages\n"
             "  into the same memory; or this is a defect of DetMPI.";
    case Cause::kDefect:
      return "the rank was told something else, although all ranks did the same until then. This is a defect of\n"
             "  DetMPI: please report it.";
    case Cause::kBeyondLog: return "runs differ; a shorter run might show where.";
    case Cause::kOutput:
      return "all ranks did the same and were told the same, so the program printed something that comes in from\n"
             "  outside: the time, random numbers, process IDs, addresses, memory that was never written. With -l "
             "each\n"
             "  line names its rank.";
    case Cause::kStatus:
      return "all ranks did the same and were told the same, and ended with different exit codes or signals. "
             "Something\n"
             "  comes in from outside: the time, random numbers, memory that was never written, files.";
    case Cause::kExit:
      return "all else is the same. Where several ranks fail at about the same time, the job ends with the code of "
             "the\n"
             "  first that is seen.";
    case Cause::kStart:
      return "it is the way of starting that makes the difference: run again in the same way, the program does the "
             "same\n"
             "  again. What it does before MPI_Init happens once under --start=fork and at every rank under\n"
             "  --start=exec; addresses differ, and so does memory that was never written. With one of these options,\n"
             "  --verify compares alike.";
  }
  return "";
}

}  // namespace

std::string with_commas(uint64_t number) {
  std::string digits = std::to_string(number);
  for (size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, ",");
  return digits;
}

std::string event_text(const EventRecord& e) {
  std::string text = call_name(static_cast<CallId>(e.call)) + (" " + step(e));
  const uint32_t communicator = communicator_of(e.context);
  if (e.context != 0 && communicator != 0) text += ", on communicator " + std::to_string(communicator);
  return text;
}

std::string difference_text(const Difference& d, const std::string& reference, const std::string& other) {
  std::string text;
  if (d.line.line > 0) {
    text = std::string(d.in_errors ? "  standard error" : "  the output") + " differs in line " +
           with_commas(d.line.line) + "\n    " + reference + ": " + d.line.reference + "\n    " + other + ": " +
           d.line.other + "\n";
  } else if (d.cause != Cause::kExit && d.cause != Cause::kStatus) {
    text = events_text(d, reference, other);
  }
  return text + "  " + verdict(d) + "\n";
}

}  // namespace detmpi
