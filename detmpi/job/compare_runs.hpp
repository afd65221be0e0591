// What detmpirun --verify compares: two runs of one job, of which the first is the reference.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "../engine/event_log.hpp"

namespace detmpi {

struct RunOutcome {
  int code = 0;  // exit code of the job
  EventLog log;
  std::string output, errors;  // standard error: the ranks' and the job's own

  bool early() const { return log.head().early != 0; }
  bool even() const { return log.head().even != 0; }
  uint64_t events() const;
};

// What may differ from run to run, and what it says.
struct CompareRules {
  bool first_come = false;  // --order=arrival: times and the order of lines are no promise
};

enum class Cause {
  kOutside,    // a rank acted differently although it had been told the same
  kRace,       // messages came in another order, with --order=arrival
  kContent,    // a message arrived with other bytes than it was sent with
  kDefect,     // a rank was told something else, in the order of logical time
  kBeyondLog,  // events differ that found no room in the logs
  kOutput,     // what was printed differs, and nothing else
  kStatus,     // exit codes differ, and nothing else, of ranks that have all ended by themselves
  kExit,       // the same, where ranks were ended with the job
  kStart,      // not found here: the program does something else when it is started in another way
};

// The first event of a rank that differs. Null: this run has no such event, as the rank has ended; in both: it has
// ended in different ways.
struct EventDifference {
  int rank = 0;
  uint64_t index = 0;
  const EventRecord* reference = nullptr;
  const EventRecord* other = nullptr;
  const EventRecord* before = nullptr;  // the event before it, the same in both; null: there is none
  LogEnd reference_end = LogEnd::kOpen;
  LogEnd other_end = LogEnd::kOpen;

  bool is_end() const { return reference == nullptr && other == nullptr; }
  uint64_t time() const;
  // Did the program do something else, or was it told something else?
  bool is_act() const;
  // The same message came with other bytes.
  bool only_content() const;
};

struct LineDifference {
  size_t line = 0;               // counted from 1
  std::string reference, other;  // for people: quoted, control bytes by their numbers
};

struct Difference {
  Cause cause = Cause::kOutside;
  EventDifference event;   // of the events, if they differ (kBeyondLog: rank and index alone)
  size_t ranks = 0;        // whose events, or ends, differ
  LineDifference line;     // of the output, if that is what differs; else line 0
  bool in_errors = false;  // that line is one of standard error
};

// Pointers in the result point into the logs.
std::optional<Difference> compare_runs(const RunOutcome& reference, const RunOutcome& other, const CompareRules& rules);

// Is what they printed to be the same? Not if a job was ended from outside, or a rank just vanished.
bool output_counts(const RunOutcome& reference, const RunOutcome& other);
// And on standard error? Where a job ends early its messages may name processes.
bool errors_count(const RunOutcome& reference, const RunOutcome& other);

}  // namespace detmpi
