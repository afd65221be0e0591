// The same ranks in three communicators: a copy of the world, its halves, and the world in reverse order. In each
// all ranks send to all others. They are received by MPI_Waitany over wildcard receives of all communicators,
// then by MPI_Probe, MPI_Mprobe and blocking receives from any source.
// Races: the source and tag of each receive and probe, and the communicator that MPI_Waitany gives next. A receive
// of one part may take a message that was sent for a later part.
// Ends: all sends are posted before a rank waits, and each rank receives in each communicator as many messages as
// it is sent there.
#include "racing.hpp"

using namespace racing;

namespace {

// Messages from each to each: before the first part, and before the second.
int each_sends() { return 6 * static_cast<int>(g_length); }
constexpr size_t kPending = 2;  // receives in each communicator

struct Side {
  MPI_Comm comm;
  int rank = 0;
  int size = 1;
  explicit Side(MPI_Comm c) : comm(c) {
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
  }
};

void send_to_all(const std::vector<Side>& sides, int messages, Outbox<>& outbox) {
  for (int i = 0; i < messages; ++i) {
    for (const Side& side : sides) {
      for (int k = 1; k < side.size; ++k) {
        const int to = (side.rank + k) % side.size;
        const uint64_t value = draw(static_cast<uint64_t>(g_rank), static_cast<uint64_t>(i), static_cast<uint64_t>(k));
        work(value, 3000);
        outbox.send(value, to, static_cast<int>(value % 3), side.comm);
      }
    }
  }
}

// The first part: `left` messages of each communicator.
void wait_any(const std::vector<Side>& sides, std::vector<int> left, Outbox<>& outbox, Account& account) {
  std::vector<uint64_t> values(sides.size() * kPending);
  std::vector<MPI_Request> requests(values.size(), MPI_REQUEST_NULL);
  const auto post = [&](size_t i) {
    if (left[i / kPending]-- <= 0) return;
    MPI_Irecv(&values[i], 1, MPI_UINT64_T, MPI_ANY_SOURCE, MPI_ANY_TAG, sides[i / kPending].comm, &requests[i]);
  };
  for (size_t i = 0; i < requests.size(); ++i) post(i);
  send_to_all(sides, each_sends(), outbox);
  for (;;) {
    int index = 0;
    MPI_Status status;
    MPI_Waitany(static_cast<int>(requests.size()), requests.data(), &index, &status);
    if (index == MPI_UNDEFINED) return;
    const auto i = static_cast<size_t>(index);
    account.add(index, status, values[i]);
    work(values[i], 3000);
    post(i);
  }
}

// The second part: one message, in a way that depends on the communicator.
void receive(size_t way, MPI_Comm comm, Account& account) {
  uint64_t value = 0;
  MPI_Status probed, status;
  if (way == 0) {
    MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &probed);
    MPI_Recv(&value, 1, MPI_UINT64_T, probed.MPI_SOURCE, probed.MPI_TAG, comm, &status);
  } else if (way == 1) {
    MPI_Recv(&value, 1, MPI_UINT64_T, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &status);
    probed = status;
  } else {
    MPI_Message message;
    MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &message, &probed);
    work(static_cast<uint64_t>(probed.MPI_SOURCE), 2000);
    MPI_Mrecv(&value, 1, MPI_UINT64_T, &message, &status);
  }
  EXPECT(probed.MPI_SOURCE == status.MPI_SOURCE && probed.MPI_TAG == status.MPI_TAG);
  account.add(way, status, value);
}

}  // namespace

int main(int argc, char** argv) {
  Job job(argc, argv);
  MPI_Comm copy, half, reverse;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Comm_split(MPI_COMM_WORLD, g_rank % 2, 0, &half);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -g_rank, &reverse);
  const std::vector<Side> sides = {Side(copy), Side(half), Side(reverse)};
  Account account;
  Report report;
  Outbox outbox;
  std::vector<int> first;
  for (const Side& side : sides) first.push_back(each_sends() * (side.size - 1));
  wait_any(sides, first, outbox, account);
  report.line("first part: %016lx", static_cast<unsigned long>(account.hash()));
  send_to_all(sides, each_sends(), outbox);
  for (int i = 0; i < each_sends() * (g_size - 1); ++i) {
    for (size_t way = 0; way < sides.size(); ++way) {
      if (i < each_sends() * (sides[way].size - 1)) receive(way, sides[way].comm, account);
    }
  }
  outbox.wait_all();
  print(report, account);
  MPI_Comm_free(&copy);
  MPI_Comm_free(&half);
  MPI_Comm_free(&reverse);
}
