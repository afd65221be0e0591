// Synchronous and standard sends that their sender tests until they are complete, while the receiver posts its
// receives late, one after the other, named and wildcard ones. Roles change from round to round.
// Races: how often each send is tested, in which order sends are complete, and which sends wildcards take.
// Ends: a round has its own tags, one for named and one for wildcard receives; its senders wait for nothing, and
// its receivers receive as many messages of each tag as they are sent.
#include "racing.hpp"

using namespace racing;

namespace {

int number_of_rounds() { return 24 * static_cast<int>(g_length); }

// Of a message: how it is sent, and how received.
struct Kind {
  bool synchronous;
  bool wildcard;
};
Kind kind_of(int round, int from, int to) {
  const uint64_t x = draw(static_cast<uint64_t>(round), static_cast<uint64_t>(from), static_cast<uint64_t>(to));
  return {x % 4 != 0, x / 4 % 2 == 0};
}
int tag_of(int round, Kind kind) { return 2 * round + (kind.wildcard ? 1 : 0); }

void send(int round, const std::vector<int>& receivers, Account& account) {
  std::vector<uint64_t> values(receivers.size(), account.hash());
  std::vector<MPI_Request> requests(receivers.size());
  for (size_t i = 0; i < receivers.size(); ++i) {
    const Kind kind = kind_of(round, g_rank, receivers[i]);
    const auto start = kind.synchronous ? MPI_Issend : MPI_Isend;
    start(&values[i], 1, MPI_UINT64_T, receivers[i], tag_of(round, kind), MPI_COMM_WORLD, &requests[i]);
  }
  uint64_t tests = 0;
  for (size_t left = receivers.size(); left > 0;) {
    for (size_t i = 0; i < receivers.size(); ++i) {
      if (requests[i] == MPI_REQUEST_NULL) continue;
      int complete = 0;
      MPI_Test(&requests[i], &complete, MPI_STATUS_IGNORE);
      work(++tests, 400);
      if (!complete) continue;
      account.add(i, tests);
      --left;
    }
  }
}

void receive(int round, const std::vector<int>& senders, Account& account) {
  for (const int sender : senders) {
    const Kind kind = kind_of(round, sender, g_rank);
    work(draw(static_cast<uint64_t>(round), static_cast<uint64_t>(sender), 99), 30000);
    uint64_t value = 0;
    MPI_Status status;
    MPI_Recv(&value, 1, MPI_UINT64_T, kind.wildcard ? MPI_ANY_SOURCE : sender, tag_of(round, kind), MPI_COMM_WORLD,
             &status);
    account.add(status, value);
  }
}

}  // namespace

int main(int argc, char** argv) {
  Job job(argc, argv);
  Account account;
  Report report;
  // Of an odd number of ranks one has a pause in each round.
  const int half = g_size / 2;
  for (int round = 0; round < number_of_rounds(); ++round) {
    const int role = (g_rank + round) % g_size;
    std::vector<int> others;
    for (int i = 0; i < std::min(half, 4); ++i) {
      const int other = role < half ? half + (role + i) % half : (role - half + half - i) % half;
      others.push_back((other + number_of_rounds() * g_size - round) % g_size);
    }
    if (role < half) send(round, others, account);
    if (role >= half && role < 2 * half) receive(round, others, account);
    if (round % 6 == 5) report.line("round %d: %016lx", round, static_cast<unsigned long>(account.hash()));
  }
  print(report, account);
}
