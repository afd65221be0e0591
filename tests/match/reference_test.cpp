// The reference against traces worked out by hand. Where nothing else is said L is 10 and every message takes 10.
#include <catch2/catch.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "check_trace.hpp"
#include "program.hpp"
#include "steps.hpp"

using namespace match_test;

namespace {

using Lines = std::vector<std::string>;

// What became of each rank; the same in both orders of visiting, and right also by the formulas.
Lines run(const Program& program, unsigned max_polls = 200) {
  const Trace trace = run_reference(program, max_polls);
  CHECK(trace == run_reference(program, max_polls, true));
  CHECK(check_trace(program, trace, max_polls) == "");
  Lines lines;
  for (const RankTrace& rank : trace) lines.push_back(brief(rank));
  return lines;
}

Lines run(std::vector<std::vector<Step>> steps) { return run(job(10, std::move(steps))); }

std::string text(Time time) { return std::to_string(time); }

// A program in which messages from rank 1 to rank 0 take unequal times, the first one more than the second by 2 at
// least.
Program with_slow_first(std::vector<std::vector<Step>> steps) {
  Program program = job(10, std::move(steps));
  for (program.seed = 1; latency(program, 1, 0, 0, 0) < latency(program, 1, 0, 0, 1) + 2;) ++program.seed;
  return program;
}

}  // namespace

// --- The smallest failing programs of LOGICAL-TIME section 7, in the order of its table ---

TEST_CASE("Ssend to a rank that goes on into a barrier") {
  CHECK(run({{irecv(2, 0), barrier(), waitall({0})}, {barrier()}, {issend(0, 0), waitall({0}), barrier()}}) ==
        Lines{"1 23 24(0<2#0) | 24 done", "23 | 23 done", "1 12(0) 13 | 13 done"});
}

TEST_CASE("Ssend against a loop of Iprobe") {
  CHECK(run({{issend(1, 0), waitall({0})}, {until_true(iprobe(0)), irecv(0, 0), waitall({0})}}) ==
        Lines{"1 13(0) | 13 done", "1- 4- 7- 10- 11(?<0#0) 12 13(0<0#0) | 13 done"});
}

TEST_CASE("A pending receive is matched while the rank is blocked in another") {
  CHECK(run({{},
             {irecv(2, 0), waitall({0}), isend(3, 1)},
             {issend(3, 0), waitall({0}), isend(1, 1)},
             {irecv(2, 0), irecv(1, 1), waitall({1}), waitall({0})}}) ==
        Lines{"| 0 done", "1 23(0<2#0) 24 | 24 done", "1 12(0) 13 | 13 done", "1 2 34(1<1#0) 35(0<2#0) | 35 done"});
}

TEST_CASE("A named receive behind a wildcard that takes its message") {
  const std::vector<Step> receiver = {irecv(kAny, 0), irecv(3, 1), waitall({0, 1})};
  CHECK(run({receiver, {work(100), isend(0, 0)}, {}, {isend(0, 0), work(50), isend(0, 1)}}) ==
        Lines{"1 2 62(0<3#0 1<3#1) | 62 done", "101 | 101 done", "| 0 done", "1 52 | 52 done"});
  CHECK(run({receiver, {isend(0, 0)}, {}, {isend(0, 0)}}) ==
        Lines{"1 2 11(0<1#0 1<3#0) | 11 done", "1 | 1 done", "| 0 done", "1 | 1 done"});
  CHECK(run({receiver, {work(1), isend(0, 0)}, {}, {isend(0, 0)}})[0] == "1 2 | 3 stuck");
}

TEST_CASE("A test of a named receive behind a wildcard that takes its message") {
  CHECK(run({{irecv(kAny, 0), irecv(3, 1), work(20), testall({1}), testall({0})},
             {work(5), isend(0, 0)},
             {},
             {isend(0, 0)}})[0] == "1 2 23- 24(0<3#0) | 24 done");
}

TEST_CASE("Waitall with one request that never completes") {
  CHECK(run({{irecv(1, 0), irecv(1, 1), waitall({0, 1})}, {isend(0, 0)}}) == Lines{"1 2 | 3 stuck", "1 | 1 done"});
}

TEST_CASE("One collective") {
  CHECK(run({{work(5), barrier()}, {barrier()}, {work(20), barrier()}}) ==
        Lines{"31 | 31 done", "31 | 31 done", "21 | 21 done"});
  CHECK(run({{work(5), bcast(1)}, {bcast(1)}, {work(20), bcast(1)}}) ==
        Lines{"11 | 11 done", "1 | 1 done", "21 | 21 done"});
  CHECK(run({{barrier()}, {barrier()}, {work(7)}}) == Lines{"| 1 stuck", "| 1 stuck", "| 7 done"});
  CHECK(run({{bcast(2)}, {bcast(1)}, {}}) == Lines{"| 1 stuck", "1 | 1 done", "| 0 done"});
}

TEST_CASE("Cancel of a receive for which a slow synchronous send is under way") {
  Program program = with_slow_first(
      {{irecv(1, 0), cancel(0), waitall({0}), irecv(1, 1), waitall({1})}, {issend(0, 0), waitall({0})}});
  const Time slow = latency(program, 1, 0, 0, 0);
  REQUIRE(slow > program.lookahead);
  const std::string taken = text(1 + slow), acknowledged = text(2 + slow);
  CHECK(run(program) == Lines{"1 2 3(0x) 4 " + taken + "(1<1#0) | " + taken + " done",
                              "1 " + acknowledged + "(0) | " + acknowledged + " done"});
  // A cancel at the time of the arrival comes too late; one before it does not.
  program.steps[0] = {irecv(1, 0), work(slow - 1), cancel(0), waitall({0})};
  CHECK(run(program) == Lines{"1 " + taken + "- " + text(2 + slow) + "(0<1#0) | " + text(2 + slow) + " done",
                              "1 " + acknowledged + "(0) | " + acknowledged + " done"});
  program.steps[0] = {irecv(1, 0), work(slow - 2), cancel(0)};
  CHECK(run(program) == Lines{"1 " + text(slow) + " | " + text(slow) + " done", "1 | 2 stuck"});
}

TEST_CASE("A relay over three ranks") {
  const std::vector<Step> relay = {irecv(0, 0), waitall({0}), isend(2, 1)};
  const std::vector<Step> receiver = {irecv(kAny, 0), waitall({0}), irecv(kAny, 1), waitall({1})};
  CHECK(run({{isend(1, 0), work(15), isend(2, 1)}, relay, receiver}) ==
        Lines{"1 17 | 17 done", "1 11(0<0#0) 12 | 12 done", "1 22(0<1#0) 23 27(1<0#0) | 27 done"});
  CHECK(run({{isend(1, 0), work(3), isend(2, 1)}, relay, receiver})[2] == "1 15(0<0#0) 16 22(1<1#0) | 22 done");
}

TEST_CASE("Two ranks exchange messages") {
  CHECK(run({{isend(1, 0), waitall({0}), irecv(1, 1), waitall({1})},
             {isend(0, 0), waitall({0}), irecv(0, 1), waitall({1})}}) ==
        Lines{"1 2(0) 3 11(1<1#0) | 11 done", "1 2(0) 3 11(1<0#0) | 11 done"});
}

TEST_CASE("Iprobe sees a message from its arrival on") {
  CHECK(run({{work(9), iprobe(kAny), iprobe(kAny), iprobe(kAny, 5)}, {isend(0, 0)}})[0] ==
        "10- 11(?<1#0) 12- | 12 done");
}

TEST_CASE("Two senders at equal times: the lower rank first, whatever its number in the communicator") {
  const auto steps = [](int comm) {
    return std::vector<std::vector<Step>>{{irecv(kAny, 0, 0, comm), irecv(kAny, 1, 0, comm), waitall({1, 0})},
                                          {isend(comm == 0 ? 0 : 2, 0, 0, comm)},
                                          {isend(comm == 0 ? 0 : 2, 0, 0, comm)}};
  };
  CHECK(run(steps(0))[0] == "1 2 11(0<1#0 1<2#0) | 11 done");
  Program program = job(10, steps(1));
  program.comms.push_back({2, 1, 0});
  CHECK(run(program)[0] == "1 2 11(0<1#0 1<0#0) | 11 done");
}

TEST_CASE("Waitany over a receive and a send") {
  CHECK(run({{irecv(1, 0), isend(1, 1), waitany({0, 1}), waitany({0, 1})}, {isend(0, 0)}})[0] ==
        "1 2 3(1) 11(0<1#0) | 11 done");
}

TEST_CASE("Recv alone, and from a rank that has left") {
  CHECK(run({{irecv(1, 0), waitall({0})}, {}}) == Lines{"1 | 2 stuck", "| 0 done"});
  CHECK(run({{irecv(kAny, 0), waitall({0}), irecv(kAny, 0), waitall({0})}, {isend(0, 0)}}) ==
        Lines{"1 11(0<1#0) 12 | 13 stuck", "1 | 1 done"});
}

TEST_CASE("Mutual sends") {
  const auto steps = [](int peer, bool synchronous) {
    const Step send = synchronous ? issend(peer, 0) : isend(peer, 0);
    return std::vector<Step>{send, waitall({0}), irecv(peer, 1), waitall({1})};
  };
  CHECK(run({steps(1, true), steps(0, true)}) == Lines{"1 | 2 stuck", "1 | 2 stuck"});
  CHECK(run({steps(1, true), steps(0, false)}) ==
        Lines{"1 12(0) 13 14(1<1#0) | 14 done", "1 2(0) 3 11(1<0#0) | 11 done"});
}

// --- The clock ---

TEST_CASE("Polls wait longer and longer, up to L / 4, and tests of the third time for L") {
  const Step poll = until_true(testall({0}));
  CHECK(run(job(64, {{irecv(1, 0), poll}, {}}), 5)[0] == "1 2- 5- 70- 79- 96- | 96 stuck");
  CHECK(run(job(1000, {{irecv(1, 0), poll}, {}}), 8)[0] == "1 2- 5- 1006- 1015- 1032- 1065- 1130- 1259- | 1259 stuck");
  CHECK(run(job(31, {{irecv(1, 0), poll}, {}}), 3)[0] == "1 2- 5- 37- | 37 stuck");
  CHECK(run(job(64, {{until_true(iprobe(1))}, {}}), 5)[0] == "1- 4- 9- 18- 35- | 35 stuck");
}

TEST_CASE("Who polls for several things by turns waits longer only from round to round") {
  const Step first = testall({0}), second = testall({1, 0});
  CHECK(run(job(64, {{irecv(1, 0), irecv(1, 1), first, second, first, second, first, second, first}, {}}))[0] ==
        "1 2 3- 4- 7- 8- 73- 74- 83- | 83 done");
  CHECK(run(job(64, {{iprobe(1, 1), iprobe(1, 2), iprobe(0, 1), iprobe(1, 1), iprobe(1, 1), iprobe(1, 2)}, {}}))[0] ==
        "1- 2- 3- 6- 11- 12- | 12 done");
}

TEST_CASE("Every call but a failed poll begins anew; work does not") {
  CHECK(run(job(64, {{irecv(1, 0), testall({0}), testall({0}), isend(1, 1), testall({0}), iprobe(1)}, {}}))[0] ==
        "1 2- 5- 6 7- 8- | 8 done");
  CHECK(run(job(64, {{iprobe(1), work(10), iprobe(1), work(10), barrier()}, {barrier()}})) ==
        Lines{"1- 14- 65 | 65 done", "89 | 89 done"});
  CHECK(run(job(64, {{irecv(1, 0), iprobe(1), cancel(1), iprobe(1), iprobe(1)}, {}}))[0] == "1 2- 3- 4- 7- | 7 done");
}

TEST_CASE("A loop of polls is given up after so many calls, and others go on") {
  const Program program = job(10, {{irecv(1, 0), until_true(testall({1, 0}))}, {work(7), issend(0, 0), waitall({0})}});
  CHECK(run(program, 3) == Lines{"1 2- 5- 16- | 16 stuck", "8 19(0) | 19 done"});
  CHECK(run(program, 4)[0] == "1 2- 5- 16- 18(0<1#0) | 18 done");
}

TEST_CASE("Work at the end counts") { CHECK(run({{work(3), isend(0, 0), work(4)}})[0] == "4 | 8 done"); }

// --- Messages ---

TEST_CASE("A message does not overtake an earlier one of its pair and communicator") {
  Program program =
      with_slow_first({{irecv(1, 0), irecv(1, 1, 1), waitall({1}), waitall({0})}, {isend(0, 0), isend(0, 1, 1)}});
  const std::string slow = text(1 + latency(program, 1, 0, 0, 0));
  CHECK(run(program)[0] == "1 2 " + slow + "(1<1#1) " + text(2 + latency(program, 1, 0, 0, 0)) + "(0<1#0) | " +
                               text(2 + latency(program, 1, 0, 0, 0)) + " done");
}

TEST_CASE("Another communicator has its own numbers and is not held up") {
  Program program =
      job(10, {{irecv(0, 0, 0, 1), waitall({0}), irecv(1, 1), waitall({1})}, {isend(0, 0), isend(1, 1, 0, 1)}});
  program.comms.push_back({1, 0});
  do {
    ++program.seed;
  } while (latency(program, 1, 0, 0, 0) < latency(program, 1, 0, 1, 0) + 4);
  const std::string quick = text(2 + latency(program, 1, 0, 1, 0)), slow = text(1 + latency(program, 1, 0, 0, 0));
  CHECK(run(program)[0] == "1 " + quick + "(0<0#0) " + text(3 + latency(program, 1, 0, 1, 0)) + " " + slow +
                               "(1<1#0) | " + slow + " done");
}

TEST_CASE("Tags choose") {
  const std::vector<Step> sender = {isend(0, 0, 7), isend(0, 1, 8), isend(0, 2, 7)};
  CHECK(run({{irecv(1, 0, 8), irecv(kAny, 1, kAny), irecv(1, 2, 7), waitall({0, 1, 2})}, sender})[0] ==
        "1 2 3 13(0<1#1 1<1#0 2<1#2) | 13 done");
  // The same from the list of unexpected messages.
  CHECK(run({{work(50), irecv(1, 0, 8), irecv(kAny, 1, kAny), irecv(1, 2, 7), waitall({0, 1, 2})}, sender})[0] ==
        "51 52 53 54(0<1#1 1<1#0 2<1#2) | 54 done");
}

TEST_CASE("A rank sends to itself") {
  CHECK(run({{irecv(0, 0), issend(0, 1), waitall({0, 1})}})[0] == "1 2 13(0<0#0 1) | 13 done");
  CHECK(run({{issend(0, 1), waitall({1}), irecv(0, 0)}})[0] == "1 | 2 stuck");
}

TEST_CASE("A message that arrived before the post is taken at the post") {
  CHECK(run({{work(30), irecv(1, 0), waitall({0})}, {issend(0, 0), waitall({0})}}) ==
        Lines{"31 32(0<1#0) | 32 done", "1 32(0) | 32 done"});
}

TEST_CASE("Being done withdraws the pending receives, after the deliveries of that time") {
  const std::vector<Step> sender = {issend(0, 0), waitall({0})};
  CHECK(run({{irecv(1, 0)}, sender})[1] == "1 | 2 stuck");
  CHECK(run({{irecv(1, 0), work(8)}, sender})[1] == "1 | 2 stuck");
  CHECK(run({{irecv(1, 0), work(9)}, sender})[1] == "1 12(0) | 12 done");
  // A stuck rank withdraws nothing.
  CHECK(run({{irecv(1, 0), irecv(1, 1, 5), waitall({1})}, sender}) == Lines{"1 2 | 3 stuck", "1 12(0) | 12 done"});
}

// --- Completion ---

TEST_CASE("Waits and tests of nothing are true at once") {
  for (const Step& step : {waitall({4}), waitany({}), waitsome({4, 5}), testall({}), testany({4}), testsome({})}) {
    CHECK(run({{step, until_true(step)}})[0] == "1 2 | 2 done");
  }
}

TEST_CASE("Waitany takes the earliest, of equal ones the first in its list") {
  const std::vector<std::vector<Step>> senders = {{isend(0, 0)}, {isend(0, 0)}, {work(1), isend(0, 0)}};
  const auto with = [&](std::vector<Step> steps) {
    return run({std::move(steps), senders[0], senders[1], senders[2]})[0];
  };
  CHECK(with({irecv(1, 0), irecv(2, 1), irecv(3, 2), waitany({2, 1, 0}), waitany({2, 1, 0}), waitany({2, 1, 0})}) ==
        "1 2 3 11(1<2#0) 12(0<1#0) 13(2<3#0) | 13 done");
  // After all have completed it is still the order of the times.
  CHECK(with({irecv(1, 0), irecv(2, 1), irecv(3, 2), work(30), waitany({2, 0, 1}), testany({2, 1})}) ==
        "1 2 3 34(0<1#0) 35(1<2#0) | 35 done");
}

TEST_CASE("Waitsome takes all that are complete at its time") {
  CHECK(run({{irecv(1, 0), irecv(2, 1), irecv(3, 2), waitsome({2, 1, 0}), waitsome({0, 1, 2})},
             {isend(0, 0)},
             {isend(0, 0)},
             {work(5), isend(0, 0)}})[0] == "1 2 3 11(0<1#0 1<2#0) 16(2<3#0) | 16 done");
}

TEST_CASE("Tests") {
  // Messages arrive at 11 and 16.
  const std::vector<std::vector<Step>> senders = {{isend(0, 0)}, {work(5), isend(0, 0)}};
  const auto with = [&](Time wait, const Step& test) {
    return run({{irecv(1, 0), irecv(2, 1), work(wait), test}, senders[0], senders[1]})[0];
  };
  CHECK(with(7, testall({0, 1})) == "1 2 10- | 10 done");
  CHECK(with(7, testany({0, 1})) == "1 2 10- | 10 done");
  CHECK(with(7, testsome({0, 1})) == "1 2 10- | 10 done");
  CHECK(with(8, testall({0, 1})) == "1 2 11- | 11 done");
  CHECK(with(8, testany({1, 0})) == "1 2 11(0<1#0) | 11 done");
  CHECK(with(8, testsome({1, 0})) == "1 2 11(0<1#0) | 11 done");
  CHECK(with(13, testall({1, 0})) == "1 2 16(0<1#0 1<2#0) | 16 done");
  CHECK(with(13, testany({1, 0})) == "1 2 16(0<1#0) | 16 done");
  CHECK(with(13, testsome({1, 0})) == "1 2 16(0<1#0 1<2#0) | 16 done");
  CHECK(with(13, testany({1})) == "1 2 16(1<2#0) | 16 done");
}

TEST_CASE("A synchronous send is complete when it is acknowledged") {
  CHECK(run({{issend(1, 0), work(9), testall({0}), testall({0})}, {irecv(0, 0), waitall({0})}})[0] ==
        "1 11- 12(0) | 12 done");
}

TEST_CASE("A cancelled request is reported by a wait, at the time of its cancel") {
  CHECK(run({{irecv(1, 0), irecv(1, 1), cancel(0), waitall({0, 1})}, {isend(0, 0)}})[0] ==
        "1 2 3 11(0x 1<1#0) | 11 done");
  CHECK(run({{irecv(1, 0), isend(1, 1), cancel(0), waitany({0, 1}), waitany({0, 1})}, {}})[0] ==
        "1 2 3 4(1) 5(0x) | 5 done");
}

TEST_CASE("What cannot be cancelled: a send, nothing, a completed or a cancelled receive") {
  CHECK(run({{isend(1, 0), cancel(0), waitall({0})}, {}})[0] == "1 2- 3(0) | 3 done");
  CHECK(run({{issend(1, 0), cancel(0)}, {}})[0] == "1 2- | 2 done");
  CHECK(run({{cancel(0)}, {}})[0] == "1- | 1 done");
  CHECK(run({{irecv(1, 0), cancel(0), cancel(0), waitall({0})}, {}})[0] == "1 2 3- 4(0x) | 4 done");
}

TEST_CASE("A blocking receive prefers its usual source, by its grace") {
  const auto collect = [](Time grace) { return std::vector{prefer(recv(kAny, 0), 2, grace), recv(kAny, 1)}; };
  const std::vector other{isend(0, 0)}, usual{work(5), isend(0, 0)};
  CHECK(run({collect(4), other, usual})[0] == "15(0<1#0) 16(1<2#0) | 16 done");  // 11 + 4 is before 16
  CHECK(run({collect(5), other, usual})[0] == "16(0<1#0) 17(1<2#0) | 17 done");  // of two at one time the lower rank
  CHECK(run({collect(6), other, usual})[0] == "16(0<2#0) 17(1<1#0) | 17 done");
}

TEST_CASE("It prefers nobody while another request is from any source") {
  CHECK(run({{irecv(kAny, 2, 1), prefer(recv(kAny, 0), 2, 6), recv(kAny, 1), cancel(2)},
             {isend(0, 0)},
             {work(5), isend(0, 0)}})[0] == "1 11(0<1#0) 16(1<2#0) 17 | 17 done");
}

// The first of rank 0: a message of rank 1 comes at 11, and to a receive that prefers rank 2 at 17; one of rank 2
// at 16.
std::string preferring(std::vector<Step> between) {
  std::vector<Step> steps{prefer(irecv(kAny, 0), 2, 6)};
  steps.insert(steps.end(), between.begin(), between.end());
  steps.push_back(waitall({0}));
  return run({steps, {isend(0, 0)}, {work(5), isend(0, 0)}, {}})[0];
}

TEST_CASE("A receive prefers its usual source if the rank waits next, for whatever") {
  const auto first = preferring;
  CHECK(first({}) == "1 16(0<2#0) | 16 done");
  CHECK(first({isend(3, 1), waitall({1}), testall({1})}) == "1 2 3(1) 4 16(0<2#0) | 16 done");
  CHECK(first({isend(3, 1), irecv(kAny, 2, 5), work(1)}) == "1 2 3 16(0<2#0) | 16 done");
  CHECK(first({testall({1})}) == "1 2 11(0<1#0) | 11 done");  // it might have looked
  CHECK(first({irecv(3, 1)}) == "1 2 11(0<1#0) | 11 done");   // competes
  CHECK(first({issend(3, 1)}) == "1 2 11(0<1#0) | 11 done");  // may wait for others
}

TEST_CASE("What is posted behind it sees messages no earlier") {
  const auto behind = [](std::vector<Step> steps) {
    steps.insert(steps.begin(), waitall({}));
    return preferring(steps);
  };
  CHECK(behind({irecv(1, 1), waitall({1})}) == "1 2 3 17(1<1#0) 18(0<2#0) | 18 done");
  CHECK(behind({recv(1, 1)}) == "1 2 17(1<1#0) 18(0<2#0) | 18 done");
  CHECK(behind({prefer(recv(kAny, 1), 1, 1)}) == "1 2 17(1<1#0) 18(0<2#0) | 18 done");  // prefers nobody
  CHECK(behind({irecv(0, 1, 3), isend(0, 2, 3), waitall({1})}) == "1 2 3 4 14(1<0#0) 16(0<2#0) | 16 done");
  CHECK(behind({probe(1)}) == "1 2 17(?<1#0) 18(0<2#0) | 18 done");
  CHECK(behind({work(8), iprobe(1), testall({0})}) == "1 2 11- 12- 16(0<2#0) | 16 done");
  CHECK(behind({cancel(0), recv(1, 1)}) == "1 2 3 17(1<1#0) 18(0x) | 18 done");  // not known to be complete
}

TEST_CASE("A probe ranks after all posted receives, and takes nothing") {
  const std::vector<Step> sender = {isend(0, 0), isend(0, 1)};
  CHECK(run({{irecv(kAny, 0), probe(1), iprobe(1), irecv(1, 1), iprobe(1), waitall({0, 1})}, sender})[0] ==
        "1 12(?<1#1) 13(?<1#1) 14 15- 16(0<1#0 1<1#1) | 16 done");
  CHECK(run({{irecv(kAny, 0), irecv(1, 1), probe(kAny, kAny)}, sender})[0] == "1 2 | 3 stuck");
  CHECK(run({{work(40), probe(kAny, kAny)}, sender})[0] == "41(?<1#0) | 41 done");
}

// --- Collectives ---

TEST_CASE("Collectives match by their order on their communicator") {
  Program program = job(10, {{barrier(1), barrier(0)}, {barrier(0)}, {barrier(0), barrier(1)}});
  program.comms.push_back({2, 0});
  CHECK(run(program) == Lines{"| 1 stuck", "| 1 stuck", "| 1 stuck"});
  program.steps[2] = {barrier(1), work(5), barrier(0)};
  CHECK(run(program) == Lines{"11 27 | 27 done", "27 | 27 done", "11 22 | 22 done"});
}

TEST_CASE("Collectives of different kinds: each waits for what its own kind needs") {
  CHECK(run({{bcast(1)}, {barrier()}, {work(3), bcast(0)}}) == Lines{"11 | 11 done", "14 | 14 done", "11 | 11 done"});
}

// --- Errors in programs ---

TEST_CASE("A program that breaks the rules is refused") {
  CHECK_THROWS_AS(run_reference(job(0, {{}})), std::logic_error);
  CHECK_THROWS_AS(run_reference(job(10, {{irecv(0, 0), irecv(0, 0)}})), std::logic_error);
  CHECK_THROWS_AS(run_reference(job(10, {{isend(1, 0)}})), std::logic_error);
  Program program = job(10, {{}, {isend(0, 0, 0, 1)}});
  program.comms.push_back({0});
  CHECK_THROWS_AS(run_reference(program), std::logic_error);
}
