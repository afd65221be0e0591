// Very many receives, each tested until it is complete.
//
//   irecv_test_storm [RECEIVES [WINDOW]]
//
// RECEIVES are shared among the ranks (32768), WINDOW are pending at a time (64; all at once if it is large).
// Races: which wildcard receive gets which message, which named receives may be posted at all (see Expected),
// and what each test answers.
// Ends: as many receives as messages are posted, each can get one in every matching, and no rank waits while
// it has something to send.
#include "racing.hpp"

using namespace racing;

namespace {

int destination(int from, uint64_t i) {
  const auto others = static_cast<uint64_t>(g_size - 1);
  return (from + 1 + static_cast<int>(draw(static_cast<uint64_t>(from), i) % others)) % g_size;
}

void storm(uint64_t receives, size_t most, Account& account, Report& report) {
  const auto me = static_cast<uint64_t>(g_rank);
  const uint64_t to_send = receives / static_cast<uint64_t>(g_size);
  std::vector<int> senders;
  for (int from = 0; from < g_size; ++from) senders.push_back(from);
  Expected expected = expected_from(senders, to_send, destination);
  const size_t window = std::min(most, static_cast<size_t>(expected.unclaimed()));
  std::vector<Slot> slots(window);
  std::vector<MPI_Request> requests(window, MPI_REQUEST_NULL);
  Outbox outbox;
  uint64_t posted = 0, sent = 0, named = 0, failed = 0;
  size_t pending = 0;
  while (sent < to_send || pending > 0 || expected.unclaimed() > 0) {
    for (size_t i = 0; i < window && expected.unclaimed() > 0; ++i) {
      if (requests[i] != MPI_REQUEST_NULL) continue;
      const uint64_t choice = draw(me, posted++, 7);
      const int other = (g_rank + 1 + static_cast<int>(choice / 2 % static_cast<uint64_t>(g_size - 1))) % g_size;
      slots[i].post(expected, choice % 2 == 0 ? MPI_ANY_SOURCE : other, MPI_ANY_TAG, &requests[i]);
      named += slots[i].source != MPI_ANY_SOURCE;
      ++pending;
    }
    for (uint64_t burst = draw(me, sent, 3) % 16 + 1; burst > 0 && sent < to_send; --burst, ++sent) {
      work(me * 100000 + sent, 1000);
      outbox.send(sent, destination(g_rank, sent), static_cast<int>(sent % 5));
    }
    for (size_t i = 0; i < window; ++i) {
      if (requests[i] == MPI_REQUEST_NULL) continue;
      int complete = 0;
      MPI_Status status;
      MPI_Test(&requests[i], &complete, &status);
      if (!complete) {
        ++failed;
        continue;
      }
      EXPECT(slots[i].source == MPI_ANY_SOURCE || slots[i].source == status.MPI_SOURCE);
      expected.received(slots[i].source, status.MPI_SOURCE);
      account.add(i, status, slots[i].value, failed);
      --pending;
    }
  }
  outbox.wait_all();
  report.line("%lu receives, %lu of them named; %lu failed tests", static_cast<unsigned long>(posted),
              static_cast<unsigned long>(named), static_cast<unsigned long>(failed));
}

}  // namespace

int main(int argc, char** argv) {
  Mpi mpi(argc, argv);
  Account account;
  Report report;
  const uint64_t receives = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 32768;
  const size_t window = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 64;
  EXPECT(window > 0);
  if (g_size > 1) storm(receives, window, account, report);
  print(report, account);
}
