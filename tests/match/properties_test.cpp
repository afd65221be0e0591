// The reference over random programs.
#include <catch2/catch.hpp>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "check_trace.hpp"
#include "program.hpp"

using namespace match_test;

namespace {

// Calls `check` with programs of all sizes and kinds, in equal parts.
void for_programs(int count, const std::function<void(const Program&, const Trace&)>& check) {
  for (int i = 0; i < count; ++i) {
    Shape shape;
    shape.ranks = 2 + i % 5;
    shape.steps = 4 + i % 12;
    shape.acks = i % 7 != 0;
    shape.cancels = i % 9 != 0;
    shape.collectives = i % 11 != 0;
    shape.comms = i % 2 != 0;
    const Program program = random_program(static_cast<uint64_t>(i), shape);
    check(program, run_reference(program));
  }
}

// CHECK is slow: it is only used where something is wrong.
void expect(bool good, const Program& program, const Trace& trace, const std::string& what = "") {
  if (good) return;
  INFO(what << "\n" << to_text(program) << to_text(program, trace));
  CHECK(good);
}

const Step& step_of(const Program& program, size_t rank, const Event& event) {
  return program.steps[rank][static_cast<size_t>(event.step)];
}

bool is_test(const Step& step) {
  return step.op == Op::kTestall || step.op == Op::kTestany || step.op == Op::kTestsome;
}

// A receive that took a message, as its rank's trace tells it.
struct Receive {
  size_t rank = 0;
  const Step* post = nullptr;
  Event::Completion message;
  Time posted = 0, completed = 0;
};

std::vector<Receive> receives(const Program& program, const Trace& trace) {
  std::vector<Receive> result;
  for (size_t rank = 0; rank < trace.size(); ++rank) {
    std::map<int, std::pair<const Step*, Time>> posted;
    for (const Event& event : trace[rank].events) {
      const Step& step = step_of(program, rank, event);
      if (step.op == Op::kIrecv || step.op == Op::kRecv) posted[step.slot] = {&step, event.clock};
      for (const auto& done : event.done) {
        if (done.slot < 0 || done.source < 0) continue;
        const auto [post, time] = posted.at(done.slot);
        result.push_back({rank, post, done, time, event.clock});
      }
    }
  }
  return result;
}

using MessageName = std::tuple<int, int, int, uint64_t>;  // from, to, comm, number

MessageName name_of(const Program& program, const Receive& receive) {
  const int comm = receive.post->comm;
  const int from = program.comms[static_cast<size_t>(comm)][static_cast<size_t>(receive.message.source)];
  return {from, static_cast<int>(receive.rank), comm, receive.message.message};
}

// When each message was sent, and its tag.
std::map<MessageName, std::pair<Time, int>> sends(const Program& program, const Trace& trace) {
  std::map<MessageName, std::pair<Time, int>> result;
  std::map<std::tuple<int, int, int>, uint64_t> count;
  for (size_t rank = 0; rank < trace.size(); ++rank) {
    for (const Event& event : trace[rank].events) {
      const Step& step = step_of(program, rank, event);
      if (step.op != Op::kIsend && step.op != Op::kIssend) continue;
      const int from = static_cast<int>(rank);
      const int to = program.comms[static_cast<size_t>(step.comm)][static_cast<size_t>(step.peer)];
      result[{from, to, step.comm, count[{from, to, step.comm}]++}] = {event.clock, step.tag};
    }
  }
  return result;
}

}  // namespace

TEST_CASE("The same program has the same trace, in whatever order ranks are visited") {
  for_programs(3000, [](const Program& program, const Trace& trace) {
    expect(trace == run_reference(program), program, trace);
    expect(trace == run_reference(program, 200, true), program, trace);
  });
}

TEST_CASE("Every trace is what the formulas say, and no rank is stuck that could go on") {
  for_programs(6000, [](const Program& program, const Trace& trace) {
    const std::string wrong = check_trace(program, trace);
    expect(wrong.empty(), program, trace, wrong);
  });
}

TEST_CASE("The same seed is the same program") {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    CHECK(to_text(random_program(seed, Shape())) == to_text(random_program(seed, Shape())));
  }
  CHECK(to_text(random_program(1, Shape())) != to_text(random_program(2, Shape())));
}

TEST_CASE("Clocks go up with every call") {
  for_programs(1000, [](const Program& program, const Trace& trace) {
    for (const RankTrace& rank : trace) {
      Time clock = 0;
      for (const Event& event : rank.events) {
        expect(event.clock > clock, program, trace);
        clock = event.clock;
      }
      expect(rank.clock >= clock, program, trace);
    }
  });
}

TEST_CASE("A message is received at most once, as it was sent, and not before it has arrived") {
  for_programs(1000, [](const Program& program, const Trace& trace) {
    auto sent = sends(program, trace);
    for (const Receive& receive : receives(program, trace)) {
      const MessageName name = name_of(program, receive);
      const auto [from, to, comm, number] = name;
      const auto found = sent.find(name);
      expect(found != sent.end(), program, trace, "received twice, or never sent");
      if (found == sent.end()) return;
      const auto [time, tag] = found->second;
      expect(tag == receive.message.tag, program, trace, "tag");
      expect(receive.post->tag == kAny || receive.post->tag == tag, program, trace, "tag of the receive");
      expect(receive.post->peer == kAny || receive.post->peer == receive.message.source, program, trace, "source");
      expect(receive.completed >= time + latency(program, from, to, comm, number), program, trace, "too early");
      sent.erase(found);
    }
  });
}

TEST_CASE("Messages of a pair and communicator are received in order, as far as tags allow") {
  for_programs(1000, [](const Program& program, const Trace& trace) {
    const auto all = receives(program, trace);
    for (const Receive& first : all) {
      for (const Receive& second : all) {
        if (first.rank != second.rank || first.posted >= second.posted || first.post->comm != second.post->comm)
          continue;
        if (first.message.source != second.message.source || first.message.message < second.message.message) continue;
        // The later post has the earlier message: the earlier post must have been unable to take it.
        expect(first.post->tag != kAny && first.post->tag != second.message.tag, program, trace);
      }
    }
  });
}

TEST_CASE("A damaged trace is refused") {
  int damaged = 0;
  for_programs(100, [&](const Program& program, const Trace& trace) {
    const auto refused = [&](const Trace& wrong, const char* what) {
      ++damaged;
      expect(!check_trace(program, wrong).empty(), program, wrong, what);
    };
    for (size_t rank = 0; rank < trace.size(); ++rank) {
      Trace wrong = trace;
      wrong[rank].stuck = !wrong[rank].stuck;
      refused(wrong, "stuck");
      for (size_t i = 0; i < trace[rank].events.size(); ++i) {
        wrong = trace;
        Event& event = wrong[rank].events[i];
        event.flag = !event.flag;
        refused(wrong, "flag");
        event.flag = !event.flag;
        ++event.clock;
        refused(wrong, "clock");
        --event.clock;
        if (event.done.empty()) continue;
        event.done.pop_back();
        refused(wrong, "completion");
        // Cut off here, as if the call never returned.
        wrong = trace;
        wrong[rank].events.resize(i);
        wrong[rank].stuck = true;
        wrong[rank].clock = trace[rank].events[i].clock;
        refused(wrong, "a false deadlock");
      }
    }
  });
  CHECK(damaged > 5000);
}

TEST_CASE("Random programs are of all kinds") {
  const int count = 2000;
  std::map<std::string, int> kinds;
  for (int i = 0; i < count; ++i) {
    Program program = random_program(static_cast<uint64_t>(i), Shape());
    const Trace trace = run_reference(program);
    std::map<std::string, bool> kind;
    int stuck = 0;
    for (size_t rank = 0; rank < trace.size(); ++rank) {
      stuck += trace[rank].stuck ? 1 : 0;
      for (const Event& event : trace[rank].events) {
        const Step& step = step_of(program, rank, event);
        if (is_test(step) && event.flag && !event.done.empty()) kind["true test"] = true;
        if (is_test(step) && !event.flag) kind["false test"] = true;
        if (step.op == Op::kIprobe) kind[event.flag ? "true Iprobe" : "false Iprobe"] = true;
        if (step.op == Op::kCancel) kind[event.flag ? "cancelled" : "not cancelled"] = true;
      }
    }
    kind[stuck == 0 ? "all done" : stuck == program.ranks ? "all stuck" : "some stuck"] = true;
    // A race: another latency changes who is received from, or how many events there are.
    const auto sources = [&] {
      std::vector<int> result;
      for (const Receive& receive : receives(program, run_reference(program))) result.push_back(receive.message.source);
      return result;
    };
    const auto before = sources();
    program.seed += 1000;
    kind["race"] = sources() != before;
    for (const auto& [name, present] : kind) kinds[name] += present ? 1 : 0;
  }
  for (const char* name : {"all done", "some stuck", "all stuck", "true test", "false test", "true Iprobe",
                           "false Iprobe", "cancelled", "not cancelled", "race"}) {
    INFO(name << ": " << kinds[name]);
    CHECK(kinds[name] >= count / 20);
  }
}

TEST_CASE("Latencies: L or more, mostly less than 2 L, sometimes up to 21 L") {
  Program program;
  program.lookahead = 100;
  CHECK(latency(program, 1, 2, 0, 5) == 100);
  program.seed = 7;
  int over = 0, far = 0;
  for (uint64_t k = 0; k < 4000; ++k) {
    const Time time = latency(program, 1, 2, 0, k);
    CHECK((time >= 100 && time <= 2100));
    over += time > 200 ? 1 : 0;
    far += time > 1800 ? 1 : 0;
  }
  CHECK((over > 200 && over < 1000));
  CHECK(far > 20);
}
