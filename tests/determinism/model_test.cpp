// Real jobs against the model: random programs of tests/match, played with real messages, give what the reference says,
// to the tick, whatever happens around them. What is published when, and seen by whom, is in the engine alone; the
// model's own ranks (tests/match/engine.cpp) share only the decisions with it.
//
// MODEL_PROGRAMS is the number of programs, MODEL_FIRST that of the first one (playable.hpp); those that the reference
// says are stuck are left out.
#include <numeric>
#include <regex>
#include <set>

#include "../detmpi/run_mpi.hpp"
#include "disturb.hpp"
#include "model/playable.hpp"
#include "support/environment.hpp"

using namespace mpi_test;
using match_test::Trace;

namespace {

constexpr int kDeadlock = 122;

uint64_t number_of_programs() {
  return test_support::number_from_environment("MODEL_PROGRAMS", test_support::kAddressSanitizer ? 100 : 400);
}
uint64_t first_program() { return test_support::number_from_environment("MODEL_FIRST", 1); }
// One in so many is not left out, at least; of many ranks more are stuck.
uint64_t part_played() { return model_test::has_many_ranks(first_program()) ? 6 : 4; }
// One in `of` of that number; by default also some of many ranks and some with floods.
std::vector<uint64_t> programs(uint64_t of = 1) {
  const uint64_t first = first_program(), n = number_of_programs() / of;
  std::vector<uint64_t> numbers(n);
  std::iota(numbers.begin(), numbers.end(), first);
  for (uint64_t i = 0; first == 1 && i < n / 20; ++i) {
    numbers.push_back(model_test::kFirstOfMany + i);
    numbers.push_back(model_test::kFirstWithFloods + i);
  }
  return numbers;
}

// `mode`: see play.cpp. Other modes than the plain one have messages that are long enough to be copied straight from
// buffer to buffer; here from other lengths on, too, and in some with little room for those that are not.
std::vector<std::string> player(const match_test::Program& program, uint64_t number, const char* mode = nullptr) {
  constexpr const char* kDirectFrom[] = {"1", "1000", "16K", "never"};
  std::vector<std::string> options = {"--digest", "--wtime=logical", "--grace=60",
                                      "--lookahead=" + std::to_string(program.lookahead)};
  std::vector<std::string> arguments = {std::to_string(number)};
  if (mode != nullptr) {
    options.push_back(std::string("--direct-from=") + kDirectFrom[number / 4 % std::size(kDirectFrom)]);
    arguments.push_back(mode);
  }
  auto argv = job(program.ranks, "play", options, arguments);
  const bool little_room = model_test::has_floods(number) ? number % 3 != 0 : mode != nullptr && number % 10 == 4;
  if (little_room) argv = with_least_room(argv);
  return argv;
}

std::string expected_text(const match_test::Program& program, const Trace& trace) {
  std::string text;
  for (size_t rank = 0; rank < trace.size(); ++rank) {
    for (const auto& event : trace[rank].events) {
      text += model_test::trace_line(rank, program.steps[rank][static_cast<size_t>(event.step)], event);
    }
  }
  return text;
}

// Does it poll for ever? Then it is no deadlock.
bool is_cut(const match_test::Program& program, const Trace& trace, size_t rank) {
  const auto& events = trace[rank].events;
  return trace[rank].stuck && !events.empty() && !events.back().flag &&
         program.steps[rank][static_cast<size_t>(events.back().step)].until_true;
}

// Does the rank end with a receive pending? In the model that is cancelled then; in a job only once all have come to
// MPI_Finalize, so it may still take a message that somebody waits for to be taken.
bool leaves_receive(const match_test::Program& program, const Trace& trace, size_t rank) {
  std::set<int> pending;
  for (const auto& event : trace[rank].events) {
    const auto& step = program.steps[rank][static_cast<size_t>(event.step)];
    if (step.op == match_test::Op::kIrecv) pending.insert(step.slot);
    for (const auto& done : event.done) pending.erase(done.slot);
  }
  return !trace[rank].stuck && !pending.empty();
}

// Could a sender notice that?
bool leaves_receive_for_synchronous(const match_test::Program& program, const Trace& trace) {
  for (const auto& steps : program.steps) {
    for (const auto& step : steps) {
      if (step.op != match_test::Op::kIssend) continue;
      const int to = program.comms[static_cast<size_t>(step.comm)][static_cast<size_t>(step.peer)];
      if (leaves_receive(program, trace, static_cast<size_t>(to))) return true;
    }
  }
  return false;
}

const char* call_of(const match_test::Step& step) {
  using match_test::Op;
  switch (step.op) {
    case Op::kRecv: return "MPI_Recv";
    case Op::kWaitall: return "MPI_Waitall";
    case Op::kWaitany: return "MPI_Waitany";
    case Op::kWaitsome: return "MPI_Waitsome";
    case Op::kProbe: return "MPI_Probe";
    default: return "another call";
  }
}

// In which call each rank is at the end: one that has none left waits for the others in MPI_Finalize.
std::string expected_calls(const match_test::Program& program, const Trace& trace) {
  std::string calls;
  for (size_t rank = 0; rank < trace.size(); ++rank) {
    size_t step = trace[rank].events.empty() ? 0 : static_cast<size_t>(trace[rank].events.back().step) + 1;
    const auto& steps = program.steps[rank];
    while (step < steps.size() && steps[step].op == match_test::Op::kWork) ++step;
    calls += std::to_string(rank) + ' ' + (trace[rank].stuck ? call_of(steps.at(step)) : "MPI_Finalize") + '\n';
  }
  return calls;
}

// A wait for one request may be played as MPI_Wait, which is the same.
std::string reported_calls(const std::string& report) {
  static const std::regex line("\n  rank ([0-9]+)  (MPI_[A-Za-z]+) at ");
  std::string calls;
  for (std::sregex_iterator at(report.begin(), report.end(), line), end; at != end; ++at) {
    const std::string call = (*at)[2].str();
    calls += (*at)[1].str() + ' ' + (call == "MPI_Wait" ? "MPI_Waitall" : call) + '\n';
  }
  return calls;
}

using Lines = std::vector<std::string>;

std::vector<Lines> lines_by_rank(const std::string& text, int ranks) {
  std::vector<Lines> parts(static_cast<size_t>(ranks));
  for (size_t at = 0, end; at < text.size(); at = end + 1) {
    end = std::min(text.find('\n', at), text.size());
    parts.at(std::strtoul(&text[at], nullptr, 10)).push_back(text.substr(at, end - at));
  }
  return parts;
}

std::pair<std::string, std::string> first_difference(const Lines& a, const Lines& b) {
  for (size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
    const std::string in_a = i < a.size() ? a[i] : "nothing", in_b = i < b.size() ? b[i] : "nothing";
    if (in_a != in_b) return {in_a, in_b};
  }
  return {};
}

}  // namespace

TEST_CASE("random programs end in a deadlock where the reference says so") {
  uint64_t played = 0;
  for (const uint64_t number : programs(4)) {
    const auto program = model_test::playable(number);
    const Trace trace = match_test::run_reference(program);
    bool comparable = is_stuck(trace);
    for (size_t rank = 0; rank < trace.size(); ++rank) {
      comparable = comparable && !is_cut(program, trace, rank) && !leaves_receive(program, trace, rank);
    }
    if (!comparable) continue;
    ++played;
    const char* mode = number % 2 == 0 ? nullptr : "varied";
    const auto argv = player(program, number, mode);
    const RunResult run = test_support::run_command(argv);
    const auto& how = determinism_test::kDisturbances[number % std::size(determinism_test::kDisturbances)];
    const RunResult disturbed = determinism_test::run_disturbed(how, argv, number);
    INFO("program " << number << ", " << how.name << "\n" << to_text(program) << run.err << disturbed.err);
    CHECK(run.exit_code == kDeadlock);
    CHECK(reported_calls(run.err) == expected_calls(program, trace));
    CHECK(disturbed.exit_code == kDeadlock);
    CHECK(disturbed.err == run.err);
    REQUIRE(disturbed.out == run.out);
  }
  CHECK(played * 8 > number_of_programs() / 4);
}

TEST_CASE("random programs do what the reference says") {
  uint64_t played = 0;
  for (const uint64_t number : programs()) {
    const auto program = model_test::playable(number);
    const Trace trace = match_test::run_reference(program);
    if (is_stuck(trace) || leaves_receive_for_synchronous(program, trace)) continue;
    ++played;
    const auto& how = determinism_test::kDisturbances[number % std::size(determinism_test::kDisturbances)];
    for (const bool disturbed : {false, true}) {
      const auto argv = player(program, number, disturbed ? "varied" : nullptr);
      const RunResult run =
          disturbed ? determinism_test::run_disturbed(how, argv, number) : test_support::run_command(argv);
      INFO("program " << number << (disturbed ? std::string(", ") + how.name : "") << "\n"
                      << to_text(program) << run.err);
      CHECK(run.exit_code == 0);
      const auto expected = lines_by_rank(expected_text(program, trace), program.ranks);
      const auto seen = lines_by_rank(run.out, program.ranks);
      for (size_t rank = 0; rank < expected.size(); ++rank) {
        const auto [a, b] = first_difference(expected[rank], seen[rank]);
        CHECK(a == b);
      }
      REQUIRE((seen == expected));
    }
  }
  CHECK(played * part_played() > number_of_programs());
}

// Where the reference says nothing of the times: a job compared with itself, also where it is stuck in an order of
// messages.
TEST_CASE("random programs with collective operations do the same in every run, also in other orders") {
  uint64_t played = 0;
  for (const uint64_t number : programs(2)) {
    const auto program = model_test::playable(number, true);
    if (is_stuck(match_test::run_reference(program))) continue;
    auto argv = player(program, number, "free");
    argv.insert(argv.end() - 3, "--seed=" + std::to_string(number % 3));
    if (number % 7 == 0) argv.insert(argv.end() - 3, "--strict-sends");
    const RunResult first = test_support::run_command(argv);
    ++played;
    const auto& how = determinism_test::kDisturbances[number % std::size(determinism_test::kDisturbances)];
    const RunResult disturbed = determinism_test::run_disturbed(how, argv, number);
    INFO("program " << number << ", " << how.name << "\n" << to_text(program) << first.err << disturbed.err);
    CHECK((first.exit_code == 0 || first.exit_code == kDeadlock));
    CHECK(disturbed.exit_code == first.exit_code);
    CHECK(disturbed.err == first.err);  // the digest, or the report
    REQUIRE(disturbed.out == first.out);
  }
  CHECK(played * part_played() > number_of_programs() / 2);
}

// What is promised of jobs that fail holds wherever they do.
TEST_CASE("random programs that fail end in the same way in every run") {
  uint64_t failed = 0;
  for (const uint64_t number : programs(2)) {
    const auto program = model_test::playable(number, true);
    auto argv = player(program, number, "failing");
    if (number % 3 == 0) argv.insert(argv.end() - 3, "--seed=1");
    const RunResult first = test_support::run_command(argv);
    failed += first.exit_code != 0;
    const auto& how = determinism_test::kDisturbances[number % std::size(determinism_test::kDisturbances)];
    const RunResult disturbed = determinism_test::run_disturbed(how, argv, number);
    INFO("program " << number << ", " << how.name << "\n" << to_text(program) << first.err << disturbed.err);
    CHECK(disturbed.exit_code == first.exit_code);
    CHECK(disturbed.err == first.err);
    REQUIRE(disturbed.out == first.out);
  }
  CHECK(failed * 4 > number_of_programs() / 2);
}
