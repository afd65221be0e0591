// Latencies, and programs and traces as text.
#include "program.hpp"

#include <algorithm>
#include <sstream>

namespace match_test {
namespace {

// One round of splitmix64: every bit of the result depends on every bit of x.
uint64_t mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

const char* name_of(Op op) {
  switch (op) {
    case Op::kWork: return "Work";
    case Op::kIsend: return "Isend";
    case Op::kIssend: return "Issend";
    case Op::kIrecv: return "Irecv";
    case Op::kRecv: return "Recv";
    case Op::kWaitall: return "Waitall";
    case Op::kWaitany: return "Waitany";
    case Op::kWaitsome: return "Waitsome";
    case Op::kTestall: return "Testall";
    case Op::kTestany: return "Testany";
    case Op::kTestsome: return "Testsome";
    case Op::kProbe: return "Probe";
    case Op::kIprobe: return "Iprobe";
    case Op::kCancel: return "Cancel";
    case Op::kBarrier: return "Barrier";
    case Op::kBcast: return "Bcast";
  }
  return "?";
}

std::string any_or(int value) { return value == kAny ? "any" : std::to_string(value); }

std::string list(const std::vector<int>& values) {
  std::string text = "{";
  for (int value : values) text += (text.size() > 1 ? ", " : "") + std::to_string(value);
  return text + "}";
}

std::string text_of(const Step& step) {
  std::ostringstream text;
  text << name_of(step.op);
  switch (step.op) {
    case Op::kWork: text << " " << step.work; break;
    case Op::kIsend:
    case Op::kIssend: text << " to " << step.peer << " tag " << step.tag << " slot " << step.slot; break;
    case Op::kIrecv:
    case Op::kRecv:
      text << " from " << any_or(step.peer) << " tag " << any_or(step.tag) << " slot " << step.slot;
      if (step.grace != 0) text << " usual " << step.usual << " grace " << step.grace;
      break;
    case Op::kProbe:
    case Op::kIprobe: text << " from " << any_or(step.peer) << " tag " << any_or(step.tag); break;
    case Op::kCancel: text << " slot " << step.slot; break;
    case Op::kBarrier: break;
    case Op::kBcast: text << " root " << step.peer; break;
    default: text << " " << list(step.slots); break;
  }
  if (step.comm != 0) text << " comm " << step.comm;
  if (step.until_true) text << " until true";
  return text.str();
}

std::string text_of(const Event::Completion& completion) {
  std::ostringstream text;
  text << (completion.slot < 0 ? "message" : "slot " + std::to_string(completion.slot));
  if (completion.source >= 0) {
    text << " from " << completion.source << " tag " << completion.tag << " #" << completion.message;
  }
  if (completion.cancelled) text << " cancelled";
  return text.str();
}

void write_rank(std::ostream& out, const std::vector<Step>& steps, const RankTrace& trace) {
  for (const Event& event : trace.events) {
    out << "  at " << event.clock << " step " << event.step << " " << text_of(steps.at(static_cast<size_t>(event.step)))
        << (event.flag ? "" : ": false");
    for (const auto& completion : event.done) out << "; " << text_of(completion);
    out << "\n";
  }
  out << "  at " << trace.clock << (trace.stuck ? " stuck\n" : " done\n");
}

}  // namespace

size_t number_of_slots(const std::vector<Step>& steps) {
  int most = -1;
  for (const Step& step : steps) {
    most = std::max(most, step.slot);
    for (const int slot : step.slots) most = std::max(most, slot);
  }
  return static_cast<size_t>(most + 1);
}

bool is_stuck(const Trace& trace) { return std::ranges::any_of(trace, &RankTrace::stuck); }

Step as_polled(Step step, bool first_is_there) {
  constexpr int kEmpty = -1;
  if (!step.slots.empty() && !first_is_there) step.slots.front() = kEmpty;
  return step;
}

bool polls_for_same(const Step& a, const Step& b) {
  if (a.slots.empty() != b.slots.empty()) return false;
  return a.slots.empty() ? a.comm == b.comm && a.peer == b.peer && a.tag == b.tag : a.slots.front() == b.slots.front();
}

bool competes(const Step& a, const Step& b) {
  const auto meet = [](int x, int y) { return x == kAny || y == kAny || x == y; };
  return a.comm == b.comm && meet(a.peer, b.peer) && meet(a.tag, b.tag);
}

Time grace_behind(const std::vector<Step>& late, const Step& step) {
  Time most = 0;
  for (const Step& other : late) {
    if (competes(other, step)) most = std::max(most, other.grace);
  }
  return most;
}

bool comes_to_prefer(const std::vector<Step>& steps, size_t step, Earlier earlier) {
  earlier.held.push_back(steps[step]);
  bool in_the_way = false;  // a receive from any source that is not held
  for (size_t i = step + 1; i < steps.size(); ++i) {
    const Step& next = steps[i];
    if (next.op == Op::kWaitall) return true;
    if (!lets_hold(next.op)) return false;
    if (next.op != Op::kIrecv) continue;
    if (std::ranges::any_of(earlier.held, [&](const Step& other) { return competes(other, next); })) return false;
    const Time grace = grace_behind(earlier.late, next);
    if (grace != 0) {
      earlier.late.push_back(next);
      earlier.late.back().grace = grace;
    }
    if (next.peer != kAny) continue;
    in_the_way = in_the_way || next.grace == 0 || grace != 0;
    if (!in_the_way) earlier.held.push_back(next);
  }
  return false;
}

// Small amounts reorder neighbours; the rare large ones reach the orders in which a message is late by many calls.
Time latency(const Program& program, int from, int to, int comm, uint64_t k) {
  const Time lookahead = program.lookahead;
  if (program.seed == 0) return lookahead;
  uint64_t hash = mix(program.seed);
  for (uint64_t part : {static_cast<uint64_t>(from), static_cast<uint64_t>(to), static_cast<uint64_t>(comm), k}) {
    hash = mix(hash ^ part);
  }
  const Time most = hash % 8 == 0 ? 20 * lookahead : lookahead;
  return lookahead + mix(hash) % (most + 1);
}

std::string to_text(const Program& program) {
  std::ostringstream out;
  out << program.ranks << " ranks, L = " << program.lookahead << ", seed " << program.seed << "\n";
  for (size_t c = 0; c < program.comms.size(); ++c) out << "comm " << c << " = " << list(program.comms[c]) << "\n";
  for (size_t r = 0; r < program.steps.size(); ++r) {
    out << "rank " << r << "\n";
    for (size_t s = 0; s < program.steps[r].size(); ++s)
      out << "  " << s << " " << text_of(program.steps[r][s]) << "\n";
  }
  return out.str();
}

std::string to_text(const Program& program, const Trace& trace) {
  std::ostringstream out;
  for (size_t r = 0; r < trace.size(); ++r) {
    out << "rank " << r << "\n";
    write_rank(out, program.steps.at(r), trace[r]);
  }
  return out.str();
}

}  // namespace match_test
