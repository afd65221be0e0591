// MPI_Isendrecv and MPI_Isendrecv_replace: exchanges of all sizes, in every form of completion, from any source, with
// nobody, given up, and beside receives that are cancelled.
#include <chrono>
#include <thread>

#include "testing.hpp"

using namespace mpi_test;

namespace {

constexpr auto kComm = MPI_COMM_WORLD;

void sizes() {
  for (const size_t bytes : {0u, 8u, 5000u, 300000u}) {
    const auto out = message(bytes, static_cast<uint64_t>(g_rank));
    std::vector<unsigned char> in(bytes);
    const int n = static_cast<int>(bytes);
    MPI_Request request;
    MPI_Status status;
    MPI_Isendrecv(out.data(), n, MPI_BYTE, right(), 1, in.data(), n, MPI_BYTE, left(), 1, kComm, &request);
    MPI_Wait(&request, &status);
    EXPECT(request == MPI_REQUEST_NULL && holds(in.data(), bytes, static_cast<uint64_t>(left())));
    EXPECT(status.MPI_SOURCE == left() && status.MPI_TAG == 1 && count_of(status, MPI_BYTE) == n);
  }
}

// Every second element of a buffer, from the left to the right.
void replaced() {
  for (const int n : {3, 60000}) {
    MPI_Datatype sparse;
    MPI_Type_vector(n, 1, 2, MPI_INT, &sparse);
    MPI_Type_commit(&sparse);
    std::vector<int> buffer(static_cast<size_t>(2 * n), -1);
    for (int i = 0; i < n; ++i) buffer[static_cast<size_t>(2 * i)] = g_rank * 1000000 + i;
    MPI_Request request;
    MPI_Status status;
    MPI_Isendrecv_replace(buffer.data(), 1, sparse, right(), 2, left(), 2, kComm, &request);
    MPI_Type_free(&sparse);
    MPI_Wait(&request, &status);
    EXPECT(status.MPI_SOURCE == left() && count_of(status, MPI_INT) == n);
    for (int i = 0; i < n; ++i) {
      EXPECT(buffer[static_cast<size_t>(2 * i)] == left() * 1000000 + i &&
             buffer[static_cast<size_t>(2 * i + 1)] == -1);
    }
  }
}

void with_nobody() {
  int out = 1, in = 2;
  MPI_Request requests[2];
  MPI_Status statuses[2];
  MPI_Isendrecv(&out, 1, MPI_INT, MPI_PROC_NULL, 3, &in, 1, MPI_INT, MPI_PROC_NULL, 3, kComm, &requests[0]);
  MPI_Isendrecv_replace(&in, 1, MPI_INT, MPI_PROC_NULL, 3, MPI_PROC_NULL, 3, kComm, &requests[1]);
  MPI_Waitall(2, requests, statuses);
  EXPECT(in == 2 && statuses[0].MPI_SOURCE == MPI_PROC_NULL && statuses[1].MPI_TAG == MPI_ANY_TAG);
  // One end alone.
  const bool first = g_rank == 0, last = g_rank == g_size - 1;
  MPI_Isendrecv(&g_rank, 1, MPI_INT, last ? MPI_PROC_NULL : right(), 3, &in, 1, MPI_INT, first ? MPI_PROC_NULL : left(),
                3, kComm, &requests[0]);
  MPI_Wait(&requests[0], &statuses[0]);
  EXPECT(in == (first ? 2 : left()) && statuses[0].MPI_SOURCE == (first ? MPI_PROC_NULL : left()));
}

// Everybody sends to rank 0, which answers whoever comes; who that is, is a matter of the rules alone.
void from_any(Report& report) {
  if (g_rank != 0) {
    int answer = -1;
    MPI_Request request;
    MPI_Isendrecv(&g_rank, 1, MPI_INT, 0, 4, &answer, 1, MPI_INT, 0, 5, kComm, &request);
    int flag = 0;
    while (!flag) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    EXPECT(answer == 10 * g_rank);
    return;
  }
  std::vector<MPI_Request> requests(static_cast<size_t>(g_size) - 1);
  std::vector<int> who(requests.size());
  for (size_t i = 0; i < requests.size(); ++i) {
    MPI_Isendrecv(nullptr, 0, MPI_INT, MPI_PROC_NULL, 0, &who[i], 1, MPI_INT, MPI_ANY_SOURCE, 4, kComm, &requests[i]);
  }
  for (size_t i = 0; i < requests.size(); ++i) {
    int index = -1;
    MPI_Status status;
    MPI_Waitany(g_size - 1, requests.data(), &index, &status);
    const int from = who[static_cast<size_t>(index)], answer = 10 * from;
    EXPECT(status.MPI_SOURCE == from && status.MPI_TAG == 4);
    report.line("request %d has the message of rank %d", index, from);
    MPI_Send(&answer, 1, MPI_INT, from, 5, kComm);
  }
}

void some_of_several() {
  constexpr int kCount = 5;
  int out[kCount], in[kCount], left_over = kCount;
  MPI_Request requests[kCount];
  for (int i = 0; i < kCount; ++i) {
    out[i] = 100 * g_rank + i;
    MPI_Isendrecv(&out[i], 1, MPI_INT, right(), 10 + i, &in[i], 1, MPI_INT, left(), 10 + i, kComm, &requests[i]);
  }
  while (left_over > 0) {
    int count = 0, indices[kCount];
    MPI_Status statuses[kCount];
    MPI_Waitsome(kCount, requests, &count, indices, statuses);
    for (int i = 0; i < count; ++i) {
      EXPECT(in[indices[i]] == 100 * left() + indices[i] && statuses[i].MPI_TAG == 10 + indices[i]);
    }
    left_over -= count;
  }
}

// Given up, the messages still go and come.
void freed() {
  static int in, first_in;  // nobody tells when what was given up is complete: the program must not look at these
  MPI_Request request, other;
  MPI_Isendrecv(&g_rank, 1, MPI_INT, right(), 20, &first_in, 1, MPI_INT, left(), 20, kComm, &request);
  MPI_Request_free(&request);
  EXPECT(request == MPI_REQUEST_NULL);
  int later = -1;
  const int second = g_rank + 100;
  MPI_Isendrecv(&second, 1, MPI_INT, right(), 20, &later, 1, MPI_INT, left(), 20, kComm, &other);
  MPI_Wait(&other, MPI_STATUS_IGNORE);
  EXPECT(later == left() + 100);  // the first message went to the receive that was given up
  MPI_Irecv(&later, 1, MPI_INT, left(), 21, kComm, &request);
  MPI_Isendrecv(&g_rank, 1, MPI_INT, right(), 21, &in, 1, MPI_INT, left(), 21, kComm, &other);
  MPI_Request_free(&other);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Barrier(kComm);
}

// Given up before its message has come in logical time: that is in its buffer once it has. Own messages are there at
// once, and in memory of the library until no cancel can take them back.
void freed_early() {
  static volatile int in = -1;
  MPI_Request request;
  MPI_Isendrecv(&g_rank, 1, MPI_INT, g_rank, 22, const_cast<int*>(&in), 1, MPI_INT, g_rank, 22, kComm, &request);
  MPI_Request_free(&request);
  EXPECT(in == -1);
  detmpi_work_usleep(1'000'000);
  for (int look = 0, flag = 0; look < 20; ++look) MPI_Iprobe(g_rank, 23, kComm, &flag, MPI_STATUS_IGNORE);
  EXPECT(in == g_rank);
}

// A receive that is cancelled leaves its message to the exchange after it, and this one its own to the next receive:
// also if both are there already, but not in logical time. The token sees to it that they are later than the cancel.
void cancelled() {
  if (g_size < 2 || g_rank > 1) return;
  int first = -1, in = -1, token = 0, flag = 0;
  MPI_Request requests[2], sent;
  if (g_rank == 1) {
    const int out[2] = {100, 200};
    MPI_Recv(&token, 1, MPI_INT, 0, 29, kComm, MPI_STATUS_IGNORE);
    MPI_Isend(&out[0], 1, MPI_INT, 0, 30, kComm, &requests[0]);
    MPI_Isendrecv(&out[1], 1, MPI_INT, 0, 30, &in, 1, MPI_INT, MPI_PROC_NULL, 30, kComm, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    return;
  }
  MPI_Status status;
  MPI_Isend(&token, 1, MPI_INT, 1, 29, kComm, &sent);
  MPI_Irecv(&first, 1, MPI_INT, 1, 30, kComm, &requests[0]);
  MPI_Isendrecv(nullptr, 0, MPI_INT, MPI_PROC_NULL, 30, &in, 1, MPI_INT, 1, 30, kComm, &requests[1]);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  MPI_Iprobe(1, 31, kComm, &flag, MPI_STATUS_IGNORE);
  MPI_Cancel(&requests[0]);
  MPI_Wait(&requests[0], &status);
  MPI_Test_cancelled(&status, &flag);
  EXPECT(flag != 0);
  MPI_Wait(&requests[1], &status);
  EXPECT(in == 100 && status.MPI_SOURCE == 1);
  MPI_Recv(&in, 1, MPI_INT, 1, 30, kComm, MPI_STATUS_IGNORE);
  EXPECT(in == 200);
  MPI_Wait(&sent, MPI_STATUS_IGNORE);
}

void errors() {
  MPI_Comm comm;
  MPI_Comm_dup(kComm, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  const int out[2] = {1, 2};
  int in[2] = {-1, -1};
  MPI_Request request = MPI_REQUEST_NULL;
  const auto start = [&](int dest, int tag, int source) {
    return error_class(MPI_Isendrecv(out, 2, MPI_INT, dest, tag, in, 1, MPI_INT, source, 1, comm, &request));
  };
  EXPECT(start(g_size, 1, left()) == MPI_ERR_RANK && start(right(), 1, g_size) == MPI_ERR_RANK);
  EXPECT(start(right(), -1, left()) == MPI_ERR_TAG);
  EXPECT(error_class(MPI_Isendrecv_replace(in, -1, MPI_INT, right(), 1, left(), 1, comm, &request)) == MPI_ERR_COUNT);
  EXPECT(request == MPI_REQUEST_NULL);
  start(right(), 1, left());
  MPI_Status status;
  EXPECT(error_class(MPI_Wait(&request, &status)) == MPI_ERR_TRUNCATE && in[0] == 1 && in[1] == -1);
  MPI_Comm_free(&comm);
}

}  // namespace

int main(int argc, char** argv) {
  Mpi mpi(argc, argv);
  Report report;
  sizes();
  replaced();
  with_nobody();
  from_any(report);
  some_of_several();
  freed();
  freed_early();
  cancelled();
  errors();
  report.print();
  if (g_rank == 0) std::puts("exchanged");
}
