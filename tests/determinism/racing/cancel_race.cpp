// Even ranks receive what odd ranks send, in windows of named and wildcard receives; after some work they cancel
// some of them.
// Races: whether a receive that is cancelled has its message already, which receives take which messages, and by
// both how many receives must be posted anew and which sources they may name (see Expected).
// Ends: a receive that was cancelled is posted again until there are as many received messages as were sent; one of
// each window is not cancelled, so each window receives something. Senders do not wait for their sends before they
// have posted all.
#include "racing.hpp"

using namespace racing;

namespace {

uint64_t messages() { return 120 * g_length; }  // of each sender
constexpr size_t kWindow = 6;

int receiver_of(int sender, uint64_t i) {
  const auto receivers = static_cast<uint64_t>((g_size + 1) / 2);
  return static_cast<int>(draw(static_cast<uint64_t>(sender), i) % receivers) * 2;
}

void send() {
  Outbox outbox;
  for (uint64_t i = 0; i < messages(); ++i) {
    work(draw(static_cast<uint64_t>(g_rank), i), 10000);
    outbox.send(i, receiver_of(g_rank, i), static_cast<int>(i % 3));
  }
  outbox.wait_all();
}

void receive(Account& account, Report& report) {
  const auto me = static_cast<uint64_t>(g_rank);
  std::vector<int> senders;
  for (int sender = 1; sender < g_size; sender += 2) senders.push_back(sender);
  Expected expected = expected_from(senders, messages(), receiver_of);
  uint64_t windows = 0, posted = 0, asked = 0, gone = 0;
  for (; expected.unclaimed() > 0; ++windows) {
    Slot slots[kWindow];
    MPI_Request requests[kWindow];
    const size_t count = std::min(kWindow, static_cast<size_t>(expected.unclaimed()));
    for (size_t i = 0; i < count; ++i) {
      const uint64_t choice = draw(me, posted++, 5);
      const int sender = static_cast<int>(choice / 2 % static_cast<uint64_t>(g_size / 2)) * 2 + 1;
      slots[i].post(expected, choice % 2 == 0 ? sender : MPI_ANY_SOURCE, MPI_ANY_TAG, &requests[i]);
    }
    work(draw(me, windows, 6), 30000);
    for (size_t i = 0; i < count; ++i) {
      const bool cancel = i + 1 < count && draw(me, windows, i) % 3 != 0;
      int cancelled = 0;
      MPI_Status status;
      if (cancel) MPI_Cancel(&requests[i]);
      MPI_Wait(&requests[i], &status);
      MPI_Test_cancelled(&status, &cancelled);
      asked += cancel;
      if (cancelled) {
        expected.cancelled(slots[i].source);
        account.add(i, slots[i].source);
        ++gone;
      } else {
        expected.received(slots[i].source, status.MPI_SOURCE);
        account.add(i, slots[i].source, status, slots[i].value);
      }
    }
  }
  report.line("%lu windows, %lu receives; %lu to be cancelled, %lu cancelled", static_cast<unsigned long>(windows),
              static_cast<unsigned long>(posted), static_cast<unsigned long>(asked), static_cast<unsigned long>(gone));
}

}  // namespace

int main(int argc, char** argv) {
  Job job(argc, argv);
  Account account;
  Report report;
  if (g_rank % 2 == 1) send();
  if (g_rank % 2 == 0 && g_size > 1) receive(account, report);
  print(report, account);
}
