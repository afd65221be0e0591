// Random traffic by a plan that all ranks draw from one seed: sizes from nothing to 100 KB, all send modes,
// receives posted early and late, tags reused.
#include "testing.hpp"

using namespace mpi_test;

namespace {

constexpr int kPhases = 15;
constexpr int kMessages = 40;  // per phase, in the whole job

struct Planned {
  int from, to, tag, bytes, mode;
};

std::vector<Planned> plan(int phase) {
  std::vector<Planned> all;
  for (int i = 0; i < kMessages; ++i) {
    const auto draw = [&](unsigned what, unsigned limit) {
      return static_cast<int>(mix(static_cast<uint64_t>(phase) * 100003 + static_cast<uint64_t>(i) * 17 + what) %
                              limit);
    };
    const int kind = draw(1, 4);
    const int bytes = kind == 0   ? draw(2, 40)
                      : kind == 1 ? draw(2, 2000)
                      : kind == 2 ? draw(2, 20000)
                                  : draw(2, 100000);
    all.push_back({draw(3, static_cast<unsigned>(g_size)), draw(4, static_cast<unsigned>(g_size)), draw(5, 3), bytes,
                   draw(6, 3)});
  }
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  Mpi mpi(argc, argv);
  std::vector<char> room(kMessages * (100000 + MPI_BSEND_OVERHEAD));
  MPI_Buffer_attach(room.data(), static_cast<int>(room.size()));
  Report report;
  uint64_t hash = 1;
  for (int phase = 0; phase < kPhases; ++phase) {
    const auto messages = plan(phase);
    std::vector<std::vector<unsigned char>> buffers;
    std::vector<MPI_Request> sends, receives;
    std::vector<size_t> order;
    const auto receive = [&](const Planned& m, std::vector<unsigned char>& in) {
      receives.emplace_back();
      MPI_Irecv(in.data(), m.bytes, MPI_BYTE, m.from, m.tag, MPI_COMM_WORLD, &receives.back());
    };
    const bool late = (phase + g_rank) % 2 == 0;
    for (size_t i = 0; i < messages.size(); ++i) buffers.emplace_back(static_cast<size_t>(messages[i].bytes));
    std::vector<std::vector<unsigned char>> out(messages.size());
    for (int pass = 0; pass < 2; ++pass) {
      for (size_t i = 0; i < messages.size(); ++i) {
        const Planned& m = messages[i];
        if (m.to == g_rank && late == (pass == 1)) receive(m, buffers[i]), order.push_back(i);
        if (m.from != g_rank || pass != 0) continue;
        out[i] = message(static_cast<size_t>(m.bytes), hash + i);
        sends.emplace_back();
        const auto send = m.mode == 0 ? MPI_Isend : m.mode == 1 ? MPI_Issend : MPI_Ibsend;
        send(out[i].data(), m.bytes, MPI_BYTE, m.to, m.tag, MPI_COMM_WORLD, &sends.back());
      }
    }
    std::vector<MPI_Status> statuses(receives.size() + 1);
    MPI_Waitall(static_cast<int>(receives.size()), receives.data(), statuses.data());
    MPI_Waitall(static_cast<int>(sends.size()), sends.data(), MPI_STATUSES_IGNORE);
    for (size_t k = 0; k < order.size(); ++k) {
      for (const unsigned char byte : buffers[order[k]]) hash = hash * 1099511628211u + byte;
      hash ^= static_cast<uint64_t>(statuses[k].MPI_SOURCE * 31 + statuses[k].MPI_TAG);
    }
    report.line("phase %d: %016lx", phase, static_cast<unsigned long>(hash));
  }
  report.print();
}
