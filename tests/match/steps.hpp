// Short forms for writing programs by hand, and for reading what became of them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "program.hpp"

namespace match_test {

inline Step posting(Op op, int peer, int slot, int tag, int comm) {
  Step step;
  step.op = op;
  step.comm = comm;
  step.peer = peer;
  step.tag = tag;
  step.slot = slot;
  return step;
}
inline Step isend(int to, int slot, int tag = 0, int comm = 0) { return posting(Op::kIsend, to, slot, tag, comm); }
inline Step issend(int to, int slot, int tag = 0, int comm = 0) { return posting(Op::kIssend, to, slot, tag, comm); }
inline Step irecv(int from, int slot, int tag = 0, int comm = 0) { return posting(Op::kIrecv, from, slot, tag, comm); }
inline Step recv(int from, int slot) { return posting(Op::kRecv, from, slot, 0, 0); }
// The receive prefers the member to others by the grace.
inline Step prefer(Step step, int usual, Time grace) {
  step.usual = usual;
  step.grace = grace;
  return step;
}
inline Step probe(int from, int tag = 0, int comm = 0) { return posting(Op::kProbe, from, 0, tag, comm); }
inline Step iprobe(int from, int tag = 0, int comm = 0) { return posting(Op::kIprobe, from, 0, tag, comm); }
inline Step cancel(int slot) { return posting(Op::kCancel, 0, slot, 0, 0); }
inline Step barrier(int comm = 0) { return posting(Op::kBarrier, 0, 0, 0, comm); }
inline Step bcast(int root, int comm = 0) { return posting(Op::kBcast, root, 0, 0, comm); }

inline Step completing(Op op, std::vector<int> slots) {
  Step step;
  step.op = op;
  step.slots = std::move(slots);
  return step;
}
inline Step waitall(std::vector<int> slots) { return completing(Op::kWaitall, std::move(slots)); }
inline Step waitany(std::vector<int> slots) { return completing(Op::kWaitany, std::move(slots)); }
inline Step waitsome(std::vector<int> slots) { return completing(Op::kWaitsome, std::move(slots)); }
inline Step testall(std::vector<int> slots) { return completing(Op::kTestall, std::move(slots)); }
inline Step testany(std::vector<int> slots) { return completing(Op::kTestany, std::move(slots)); }
inline Step testsome(std::vector<int> slots) { return completing(Op::kTestsome, std::move(slots)); }

inline Step work(Time amount) {
  Step step;
  step.work = amount;
  return step;
}

inline Step until_true(Step step) {
  step.until_true = true;
  return step;
}

// A program with one communicator.
inline Program job(Time lookahead, std::vector<std::vector<Step>> steps) {
  Program program;
  program.ranks = static_cast<int>(steps.size());
  program.lookahead = lookahead;
  program.steps = std::move(steps);
  program.comms.resize(1);
  for (int rank = 0; rank < program.ranks; ++rank) program.comms[0].push_back(rank);
  return program;
}

// A rank's trace in a line: the clock after each call, "-" if the answer was false, and in brackets what was completed:
// "0" a send in slot 0, "0<1#2" a receive of message 2 from member 1, "?<1#2" a probe that saw it, "0x" a cancelled
// one. Then the clock at the end: "31 11(0<1#0) | 11 done".
inline std::string brief(const RankTrace& trace) {
  std::string text;
  for (const Event& event : trace.events) {
    text += std::to_string(event.clock) + (event.flag ? "" : "-");
    std::string done;
    for (const auto& completion : event.done) {
      done += (done.empty() ? "" : " ") + (completion.slot < 0 ? "?" : std::to_string(completion.slot));
      if (completion.cancelled) done += "x";
      if (completion.source < 0) continue;
      done += "<" + std::to_string(completion.source) + "#" + std::to_string(completion.message);
    }
    text += done.empty() ? " " : "(" + done + ") ";
  }
  return text + "| " + std::to_string(trace.clock) + (trace.stuck ? " stuck" : " done");
}

}  // namespace match_test
