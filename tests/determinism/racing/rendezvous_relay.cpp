// Fig. 4 of paper 000: process 3 receives from anybody. Process 2 sends to it, with a rendezvous message, and then to
// process 1, which waits for that before it sends to process 3. In the papers' method the receive does not take the
// message of process 2, because the clock of process 1 is smaller; so process 2 does not return from its send, process
// 1 gets nothing, and its clock stays. Here the receiver knows that process 1 can send nothing before process 2 does.
// With more ranks the relay is longer, and from four on there are two that race. The receiver changes from round to
// round; sends are synchronous, some of messages so large that they are copied from buffer to buffer.
// Races: how the two relays mix. Ends: a round has its own tag, and the receiver takes all that is sent to it.
#include "racing.hpp"

using namespace racing;

namespace {

constexpr int kRounds = 24;
constexpr size_t kLarge = 40'000;  // of 8 bytes
constexpr int kPass = 30'000;      // tag

uint64_t value_of(int round, int from) { return draw(static_cast<uint64_t>(round), static_cast<uint64_t>(from), 3); }

// Places are counted from the receiver. Who is one relay behind passes on to whoever is one relay nearer.
int relays() { return g_size >= 4 ? 2 : 1; }

void receive(int round, Account& account) {
  std::vector<uint64_t> data(kLarge);
  std::vector<int> last(static_cast<size_t>(relays()), g_size + 1);
  for (int left = g_size - 1; left > 0; --left) {
    MPI_Status status;
    MPI_Recv(data.data(), static_cast<int>(kLarge), MPI_UINT64_T, MPI_ANY_SOURCE, round, MPI_COMM_WORLD, &status);
    const int place = (status.MPI_SOURCE - g_rank + g_size) % g_size;
    EXPECT(place < last[static_cast<size_t>(place % relays())]);
    last[static_cast<size_t>(place % relays())] = place;
    const auto count = static_cast<size_t>(count_of(status, MPI_UINT64_T));
    EXPECT(data[0] == value_of(round, status.MPI_SOURCE));
    EXPECT(data[count - 1] == data[0] + count - 1);
    account.add(status, count, data[0]);
  }
}

void send(int round, int receiver) {
  const int place = (g_rank - receiver + g_size) % g_size;
  const int before = place + relays(), next = place - relays();
  int pass = 0;
  if (before < g_size) {
    MPI_Recv(&pass, 1, MPI_INT, (receiver + before) % g_size, kPass, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    EXPECT(pass == round);
  }
  work(draw(static_cast<uint64_t>(g_rank), static_cast<uint64_t>(round)), 20000);
  const bool large = (round + place) % 3 == 0;
  std::vector<uint64_t> data(large ? kLarge : 1);
  for (size_t i = 0; i < data.size(); ++i) data[i] = value_of(round, g_rank) + i;
  MPI_Ssend(data.data(), static_cast<int>(data.size()), MPI_UINT64_T, receiver, round, MPI_COMM_WORLD);
  if (next > 0) MPI_Send(&round, 1, MPI_INT, (receiver + next) % g_size, kPass, MPI_COMM_WORLD);
}

}  // namespace

int main(int argc, char** argv) {
  Mpi mpi(argc, argv);
  Account account;
  Report report;
  for (int round = 0; round < kRounds; ++round) {
    const int receiver = round % g_size;
    receiver == g_rank ? receive(round, account) : send(round, receiver);
  }
  print(report, account);
}
