#include "program.hpp"

#include <algorithm>

namespace match_test {
namespace {

uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

constexpr const char* kNames[] = {"work",    "isend",    "issend",  "irecv",   "waitall",
                                  "waitany", "waitsome", "testall", "testany", "testsome",
                                  "probe",   "iprobe",   "cancel",  "barrier", "bcast"};

std::string step_text(const Step& step) {
  std::string text = kNames[static_cast<size_t>(step.op)];
  const auto add = [&](const char* name, int value) { text += std::string(" ") + name + std::to_string(value); };
  switch (step.op) {
    case Op::kWork: return text + " " + std::to_string(step.work);
    case Op::kIsend:
    case Op::kIssend:
    case Op::kIrecv: add("slot ", step.slot); [[fallthrough]];
    case Op::kProbe:
    case Op::kIprobe:
      add("comm ", step.comm);
      add("peer ", step.peer);
      add("tag ", step.tag);
      break;
    case Op::kCancel: add("slot ", step.slot); break;
    case Op::kBcast: add("root ", step.peer); [[fallthrough]];
    case Op::kBarrier: add("comm ", step.comm); break;
    default: text += " slots";
  }
  for (const int slot : step.slots) text += " " + std::to_string(slot);
  return step.until_true ? text + " until true" : text;
}

}  // namespace

int slots_of(const Program& program, int rank) {
  int most = -1;
  for (const Step& step : program.steps[static_cast<size_t>(rank)]) {
    most = std::max(most, step.slot);
    for (const int slot : step.slots) most = std::max(most, slot);
  }
  return most + 1;
}

// Heavy-tailed: mostly less than 2 L, sometimes up to 21 L.
Time latency(const Program& program, int from, int to, int comm, uint64_t k) {
  const Time l = program.lookahead;
  if (program.seed == 0) return l;
  uint64_t x = mix(program.seed);
  for (const uint64_t part : {static_cast<uint64_t>(from), static_cast<uint64_t>(to), static_cast<uint64_t>(comm), k}) {
    x = mix(x + part + 0x9e3779b97f4a7c15u);
  }
  const Time extra = mix(x + 1) % (l + 1);
  return l + (x % 8 == 0 ? extra * 20 : extra);
}

std::string to_text(const Program& program) {
  std::string text = "lookahead " + std::to_string(program.lookahead) + ", seed " + std::to_string(program.seed) + "\n";
  for (size_t c = 1; c < program.comms.size(); ++c) {
    text += "comm " + std::to_string(c) + ":";
    for (const int rank : program.comms[c]) text += " " + std::to_string(rank);
    text += "\n";
  }
  for (size_t r = 0; r < program.steps.size(); ++r) {
    text += "rank " + std::to_string(r) + "\n";
    for (size_t i = 0; i < program.steps[r].size(); ++i) {
      text += "  " + std::to_string(i) + " " + step_text(program.steps[r][i]) + "\n";
    }
  }
  return text;
}

std::string to_text(const Program& program, const Trace& trace) {
  std::string text;
  for (size_t r = 0; r < trace.size(); ++r) {
    text += "rank " + std::to_string(r) + (trace[r].stuck ? ", stuck" : "") + ", clock " +
            std::to_string(trace[r].clock) + "\n";
    for (const Event& event : trace[r].events) {
      text += "  " + std::to_string(event.step) + " " + step_text(program.steps[r][static_cast<size_t>(event.step)]) +
              ": " + (event.flag ? "true" : "false") + " at " + std::to_string(event.clock);
      for (const auto& done : event.done) {
        text += ", slot " + std::to_string(done.slot);
        if (done.cancelled) text += " cancelled";
        else if (done.source >= 0) {
          text += " from " + std::to_string(done.source) + " tag " + std::to_string(done.tag) + " number " +
                  std::to_string(done.message);
        }
      }
      text += "\n";
    }
  }
  return text;
}

}  // namespace match_test
