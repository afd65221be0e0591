// Which difference of two runs is named, and what it is put down to. Logs are made by hand: a DetMPI that is wrong is
// not at hand.
#include "../../detmpi/job/compare_runs.hpp"

#include <mpi.h>

#include <catch2/catch.hpp>
#include <memory>

#include "../../detmpi/job/difference_text.hpp"
#include "call_ids.hpp"

using namespace detmpi;

namespace {

constexpr uint64_t kRoom = 8;

class Run {
 public:
  explicit Run(int ranks) : memory_(EventLog::size_for(static_cast<uint32_t>(ranks), kRoom) / sizeof(uint64_t) + 512) {
    // The head is aligned to a page.
    void* at = memory_.data();
    size_t space = memory_.size() * sizeof(uint64_t);
    std::align(alignof(EventLogHead), sizeof(EventLogHead), at, space);
    outcome.log = EventLog(static_cast<std::byte*>(at));
    outcome.log.head().ranks = static_cast<uint32_t>(ranks);
    outcome.log.head().room = kRoom;
    outcome.log.head().even = 1;
    for (int rank = 0; rank < ranks; ++rank) end(rank, LogEnd::kFinalized);
  }

  void end(int rank, LogEnd how) { outcome.log.rank(rank).end.store(static_cast<uint32_t>(how)); }
  EventRecord& add(int rank, EventKind kind, uint64_t time, int peer, uint64_t content = 1) {
    const uint64_t i = outcome.log.rank(rank).count.fetch_add(1);
    EventRecord& record = outcome.log.records(rank)[i < kRoom ? i : kRoom - 1];
    record.time = time;
    record.bytes = 8;
    record.content = content;
    record.peer = peer;
    record.tag = 7;
    record.call = static_cast<uint16_t>(kind == EventKind::kSend ? CallId::kSend : CallId::kRecv);
    record.kind = kind;
    return record;
  }

  RunOutcome outcome;

 private:
  std::vector<uint64_t> memory_;
};

std::optional<Difference> compare(const Run& a, const Run& b, bool first_come = false) {
  return compare_runs(a.outcome, b.outcome, {first_come});
}

}  // namespace

TEST_CASE("the same events are no difference") {
  Run a(2), b(2);
  for (Run* run : {&a, &b}) run->add(1, EventKind::kGot, 70, 0);
  CHECK(!compare(a, b));
}

TEST_CASE("an answer that differs, in logical time, is a defect") {
  Run a(2), b(2);
  for (Run* run : {&a, &b}) run->add(1, EventKind::kReceive, 5, MPI_ANY_SOURCE);
  a.add(1, EventKind::kGot, 70, 0);
  b.add(1, EventKind::kGot, 70, 1);
  const auto d = compare(a, b);
  REQUIRE(d);
  CHECK(d->cause == Cause::kDefect);
  CHECK(d->event.rank == 1);
  CHECK(d->event.index == 1);
  const std::string text = difference_text(*d, "run 1", "run 2");
  INFO(text);
  CHECK(text.find("run 1, time 70: MPI_Recv got 8 bytes with tag 7 from rank 0\n") != std::string::npos);
  CHECK(text.find("run 2, time 70: MPI_Recv got 8 bytes with tag 7 from rank 1\n") != std::string::npos);
  CHECK(text.find("before it, in both, time 5: MPI_Recv asks for a message with tag 7 from any rank") !=
        std::string::npos);
  CHECK(text.find("please report") != std::string::npos);
  const auto raced = compare(a, b, true);
  REQUIRE(raced);
  CHECK(raced->cause == Cause::kRace);
}

TEST_CASE("a time alone counts, but in the order of arrival") {
  Run a(1), b(1);
  a.add(0, EventKind::kGot, 70, 0);
  b.add(0, EventKind::kGot, 71, 0);
  CHECK(compare(a, b)->cause == Cause::kDefect);
  CHECK(!compare(a, b, true));
}

TEST_CASE("the earliest difference is named") {
  Run a(3), b(3);
  for (Run* run : {&a, &b}) run->add(0, EventKind::kGot, 90, run == &a ? 1 : 2);
  for (Run* run : {&a, &b}) run->add(2, EventKind::kGot, 80, run == &a ? 1 : 0);
  const auto d = compare(a, b);
  REQUIRE(d);
  CHECK(d->event.rank == 2);
  CHECK(d->ranks == 2);
}

TEST_CASE("an act is to blame, also for what others were told") {
  Run a(2), b(2);
  for (Run* run : {&a, &b}) run->add(0, EventKind::kGot, 10, 1, run == &a ? 3 : 4);
  for (Run* run : {&a, &b}) run->add(1, EventKind::kSend, 20, 0, run == &a ? 3 : 4);
  const auto d = compare(a, b);
  REQUIRE(d);
  CHECK(d->cause == Cause::kOutside);
  CHECK(d->event.rank == 1);
  CHECK(difference_text(*d, "a", "b").find("MPI_Send sends 8 bytes with tag 7 to rank 0, content 0000000000000003") !=
        std::string::npos);
}

TEST_CASE("other bytes than were sent") {
  Run a(2), b(2);
  for (Run* run : {&a, &b}) run->add(0, EventKind::kGot, 10, 1, run == &a ? 3 : 4);
  for (Run* run : {&a, &b}) run->add(1, EventKind::kSend, 1, 0, 3);
  const auto d = compare(a, b);
  REQUIRE(d);
  CHECK(d->cause == Cause::kContent);
  CHECK(difference_text(*d, "a", "b").find("two messages\n  into the same memory") != std::string::npos);
}

TEST_CASE("a log that is shorter counts if the rank has ended by itself") {
  Run a(2), b(2);
  a.add(1, EventKind::kSend, 10, 0);
  const auto d = compare(a, b);
  REQUIRE(d);
  CHECK(d->cause == Cause::kOutside);
  CHECK(d->event.other == nullptr);
  CHECK(difference_text(*d, "run 1", "run 2").find("run 2: nothing more") != std::string::npos);
  b.end(1, LogEnd::kOpen);  // it was ended with the job
  a.outcome.code = b.outcome.code = 1;
  CHECK(!compare(a, b));
}

TEST_CASE("a rank that ends in another way is the difference, also without an event") {
  Run a(2), b(2);
  for (Run* run : {&a, &b}) run->add(1, EventKind::kSend, 10, 0);
  for (Run* run : {&a, &b}) run->end(0, LogEnd::kOpen);
  a.end(1, with_code(LogEnd::kAborted, 17));
  b.end(1, with_code(LogEnd::kAborted, 98));
  const auto d = compare(a, b);
  REQUIRE(d);
  CHECK(d->cause == Cause::kOutside);
  CHECK(d->event.rank == 1);
  const std::string text = difference_text(*d, "run 1", "run 2");
  INFO(text);
  CHECK(text.find("the first difference: rank 1, its end\n    run 1: it ends the job with code 17\n"
                  "    run 2: it ends the job with code 98\n    before it, in both, time 10: ") != std::string::npos);
  b.end(1, LogEnd::kOpen);  // it was ended with the job
  CHECK(!compare(a, b));
}

TEST_CASE("a rank that ends early has nothing more where the other goes on") {
  Run a(1), b(1);
  for (Run* run : {&a, &b}) run->add(0, EventKind::kSend, 10, 0);
  b.add(0, EventKind::kSend, 11, 0);
  const std::pair<LogEnd, const char*> ends[] = {
      {with_code(LogEnd::kCrashed, 6), "run 1: nothing more: it dies of signal 6\n"},
      {with_code(LogEnd::kLeft, 3), "run 1: nothing more: it exits with code 3\n"},
      {LogEnd::kFinalized, "run 1: nothing more\n"}};
  for (const auto& [end, told] : ends) {
    a.end(0, end);
    const auto d = compare(a, b);
    REQUIRE(d);
    CHECK(d->cause == Cause::kOutside);
    CHECK(d->event.index == 1);
    const std::string text = difference_text(*d, "run 1", "run 2");
    INFO(text);
    CHECK(text.find(told) != std::string::npos);
    CHECK(text.find("run 2, time 11: ") != std::string::npos);
  }
}

TEST_CASE("what found no room in the logs is compared by its digest") {
  Run a(1), b(1);
  for (Run* run : {&a, &b}) {
    for (uint64_t i = 0; i < kRoom + 5; ++i) run->add(0, EventKind::kSend, 10, 0);
  }
  CHECK(!compare(a, b));
  b.end(0, LogEnd::kLeft);
  CHECK(compare(a, b)->cause == Cause::kBeyondLog);
  b.end(0, LogEnd::kFinalized);
  b.outcome.log.rank(0).digest.store(1);
  const auto d = compare(a, b);
  REQUIRE(d);
  CHECK(d->cause == Cause::kBeyondLog);
}

TEST_CASE("output that differs") {
  Run a(1), b(1);
  a.outcome.output = "one\ntwo\nthree\n";
  b.outcome.output = "one\nthree\ntwo\n";
  const auto d = compare(a, b);
  REQUIRE(d);
  CHECK(d->cause == Cause::kOutput);
  CHECK(d->line.line == 2);
  CHECK(d->line.reference == "\"two\"");
  CHECK(!compare(a, b, true));  // the order of lines is no promise there
  b.outcome.output += "four\n";
  CHECK(compare(a, b, true)->line.reference == "\"one\"");
  b.outcome.log.head().even = 0;  // it was ended from outside
  CHECK(!compare(a, b));
}

TEST_CASE("whether the last line has ended is a difference, but in the order of arrival") {
  Run a(1), b(1);
  a.outcome.output = "one\ntwo";
  b.outcome.output = "one\ntwo\n";
  const auto d = compare(a, b);
  REQUIRE(d);
  CHECK(d->line.line == 2);
  CHECK(d->line.reference == "\"two\", without a newline");
  CHECK(d->line.other == "\"two\"");
  CHECK(!compare(a, b, true));
  std::swap(a.outcome.output, a.outcome.errors);
  std::swap(b.outcome.output, b.outcome.errors);
  REQUIRE(compare(a, b));
  CHECK(compare(a, b)->in_errors);
}

TEST_CASE("bytes that are no text are told by their numbers") {
  Run a(1), b(1);
  a.outcome.output = std::string("a\0\x1b[1m\\\t1\n", 10);
  b.outcome.output = "gr\xc3\xbc\xc3\x9f\n";
  const auto d = compare(a, b);
  REQUIRE(d);
  CHECK(d->line.reference == "\"a\\x00\\x1b[1m\\\\\\x091\"");
  CHECK(d->line.other == "\"gr\xc3\xbc\xc3\x9f\"");
}

TEST_CASE("standard error that differs") {
  Run a(1), b(1);
  a.outcome.errors = "one\ntwo\n";
  b.outcome.errors = "one\nDLinux: the job has done nothing but poll\n  rank 0\ndetmpirun: a message\ntwo\n";
  CHECK(!compare(a, b));  // the job's own messages may come or not
  b.outcome.errors = "one\n2\n";
  const auto d = compare(a, b);
  REQUIRE(d);
  CHECK(d->cause == Cause::kOutput);
  CHECK(d->in_errors);
  CHECK(d->line.line == 2);
  CHECK(difference_text(*d, "run 1", "run 2").find("standard error differs in line 2") != std::string::npos);
  for (Run* run : {&a, &b}) run->outcome.log.head().early = 1;
  CHECK(!compare(a, b));
}

TEST_CASE("what a rank wrote last when it was ended with the job does not count") {
  Run a(1), b(1);
  for (Run* run : {&a, &b}) {
    run->add(0, EventKind::kSend, 10, 0);
    run->add(0, EventKind::kSend, 11, 0);
  }
  b.outcome.log.records(0)[1] = {};
  CHECK(compare(a, b));
  a.end(0, LogEnd::kOpen);
  b.end(0, LogEnd::kOpen);
  CHECK(!compare(a, b));
  b.outcome.log.records(0)[0] = {};
  CHECK(compare(a, b));
}

TEST_CASE("exit codes that differ") {
  Run a(1), b(1);
  b.outcome.code = 3;
  const auto d = compare(a, b);
  CHECK(d->cause == Cause::kStatus);  // all ranks had finalized
  CHECK(difference_text(*d, "run 1", "run 2").find("exit codes or signals") != std::string::npos);
  for (Run* run : {&a, &b}) run->end(0, LogEnd::kOpen);
  CHECK(compare(a, b)->cause == Cause::kExit);
}

TEST_CASE("numbers with commas") {
  CHECK(with_commas(7) == "7");
  CHECK(with_commas(1234) == "1,234");
  CHECK(with_commas(123456) == "123,456");
  CHECK(with_commas(1234567890) == "1,234,567,890");
}
