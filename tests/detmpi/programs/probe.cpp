// Probes: what they tell, what stays to be received, and that a matched probe keeps its message from others.
#include "testing.hpp"

using namespace mpi_test;

namespace {

constexpr int kSizes[] = {0, 1, 33, 16385, 200000};

uint64_t seed(int from, int bytes) { return static_cast<uint64_t>(from * 10 + bytes); }

void blocking_probe(int bytes) {
  const auto out = message(static_cast<size_t>(bytes), seed(g_rank, bytes));
  MPI_Request request;
  MPI_Isend(out.data(), bytes, MPI_BYTE, right(), 7, MPI_COMM_WORLD, &request);
  MPI_Status status;
  for (int i = 0; i < 2; ++i) {
    MPI_Probe(left(), i == 0 ? MPI_ANY_TAG : 7, MPI_COMM_WORLD, &status);
    EXPECT(status.MPI_SOURCE == left() && status.MPI_TAG == 7 && count_of(status, MPI_BYTE) == bytes);
  }
  std::vector<unsigned char> in(out.size());
  MPI_Recv(in.data(), bytes, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, &status);
  EXPECT(holds(in.data(), in.size(), seed(left(), bytes)));
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

void polled_probe(int bytes) {
  const auto out = message(static_cast<size_t>(bytes), seed(g_rank, bytes));
  MPI_Request request;
  MPI_Isend(out.data(), bytes, MPI_BYTE, right(), 8, MPI_COMM_WORLD, &request);
  MPI_Status status;
  int flag = 0;
  MPI_Iprobe(left(), 9, MPI_COMM_WORLD, &flag, &status);
  EXPECT(!flag);  // nobody sends with this tag
  while (!flag) MPI_Iprobe(left(), 8, MPI_COMM_WORLD, &flag, &status);
  EXPECT(count_of(status, MPI_BYTE) == bytes);
  std::vector<unsigned char> in(out.size());
  MPI_Recv(in.data(), bytes, MPI_BYTE, left(), 8, MPI_COMM_WORLD, &status);
  EXPECT(holds(in.data(), in.size(), seed(left(), bytes)));
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

// Two messages of one tag: the first is taken by the probe, a receive gets the second.
void matched_probe(int bytes, bool immediate) {
  const auto out = message(static_cast<size_t>(bytes), seed(g_rank, bytes));
  const int second = 4711;
  MPI_Request requests[2];
  MPI_Isend(out.data(), bytes, MPI_BYTE, right(), 5, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(&second, 1, MPI_INT, right(), 5, MPI_COMM_WORLD, &requests[1]);
  MPI_Message found = MPI_MESSAGE_NULL;
  MPI_Status status;
  int flag = 0;
  if (immediate) {
    while (!flag) MPI_Improbe(left(), 5, MPI_COMM_WORLD, &flag, &found, &status);
  } else {
    MPI_Mprobe(left(), 5, MPI_COMM_WORLD, &found, &status);
  }
  EXPECT(found != MPI_MESSAGE_NULL && count_of(status, MPI_BYTE) == bytes && status.MPI_SOURCE == left());
  int value = 0;
  MPI_Recv(&value, 1, MPI_INT, left(), 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  EXPECT(value == second);
  std::vector<unsigned char> in(out.size());
  if (immediate) {
    MPI_Request receive;
    MPI_Imrecv(in.data(), bytes, MPI_BYTE, &found, &receive);
    MPI_Wait(&receive, &status);
  } else {
    MPI_Mrecv(in.data(), bytes, MPI_BYTE, &found, &status);
  }
  EXPECT(found == MPI_MESSAGE_NULL && status.MPI_SOURCE == left() && status.MPI_TAG == 5);
  EXPECT(count_of(status, MPI_BYTE) == bytes && holds(in.data(), in.size(), seed(left(), bytes)));
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

void any_source() {
  if (g_rank != 0) {
    std::vector<int> out(static_cast<size_t>(g_rank), g_rank);
    MPI_Send(out.data(), g_rank, MPI_INT, 0, g_rank, MPI_COMM_WORLD);
    return;
  }
  std::vector<bool> seen(static_cast<size_t>(g_size));
  for (int i = 1; i < g_size; ++i) {
    MPI_Status status;
    MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    const int from = status.MPI_SOURCE;
    EXPECT(from > 0 && status.MPI_TAG == from && count_of(status, MPI_INT) == from && !seen[static_cast<size_t>(from)]);
    seen[static_cast<size_t>(from)] = true;
    std::vector<int> in(static_cast<size_t>(from));
    MPI_Recv(in.data(), from, MPI_INT, from, from, MPI_COMM_WORLD, &status);
    for (const int value : in) EXPECT(value == from);
  }
}

// A receive with a probe's arguments gets the message that the probe has seen; also where all that came before were of
// one rank, which receives prefer by then.
void seen_is_received() {
  constexpr int kTag = 6, kBefore = 20;
  int value = g_rank;
  const auto receive = [&](MPI_Status* status) {
    MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, kTag, MPI_COMM_WORLD, status);
  };
  for (int i = 0; i < kBefore; ++i) {
    if (g_rank == 2) MPI_Send(&value, 1, MPI_INT, 0, kTag, MPI_COMM_WORLD);
    if (g_rank == 0) receive(MPI_STATUS_IGNORE);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  for (int calls = 0; calls < g_rank * 3; ++calls) MPI_Wtime();
  if (g_rank == 1 || g_rank == 2) MPI_Send(&value, 1, MPI_INT, 0, kTag, MPI_COMM_WORLD);
  for (int i = 0; i < 2 && g_rank == 0; ++i) {
    MPI_Status seen, received;
    MPI_Probe(MPI_ANY_SOURCE, kTag, MPI_COMM_WORLD, &seen);
    receive(&received);
    EXPECT(received.MPI_SOURCE == seen.MPI_SOURCE && value == seen.MPI_SOURCE);
  }
}

// The error of a message that is too long is its communicator's, also after the program has freed that.
void too_long() {
  const int two[2] = {1, 2};
  int one = 0;
  for (const bool immediate : {false, true}) {
    for (const bool freed : {false, true}) {
      MPI_Comm comm;
      MPI_Message found;
      MPI_Request receive;
      MPI_Comm_dup(MPI_COMM_SELF, &comm);
      MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
      MPI_Send(two, 2, MPI_INT, 0, 9, comm);
      MPI_Mprobe(0, 9, comm, &found, MPI_STATUS_IGNORE);
      if (freed) MPI_Comm_free(&comm);
      if (immediate) MPI_Imrecv(&one, 1, MPI_INT, &found, &receive);
      const int code =
          immediate ? MPI_Wait(&receive, MPI_STATUS_IGNORE) : MPI_Mrecv(&one, 1, MPI_INT, &found, MPI_STATUS_IGNORE);
      EXPECT(error_class(code) == MPI_ERR_TRUNCATE && one == 1);
      if (!freed) MPI_Comm_free(&comm);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  Mpi mpi(argc, argv);
  if (g_size > 2) seen_is_received();  // before all other probes
  for (const int bytes : kSizes) {
    blocking_probe(bytes);
    polled_probe(bytes);
    matched_probe(bytes, false);
    matched_probe(bytes, true);
  }
  any_source();
  too_long();
  if (g_rank == 0) std::puts("probed");
}
