// Partitioned communication: partitions of all sizes, numbers that differ, orders of readiness and of starts, what has
// arrived, matching, and wrong use.
#include <algorithm>

#include "testing.hpp"

using namespace mpi_test;

namespace {

constexpr auto kComm = MPI_COMM_WORLD;

int send_init(const void* buffer, int partitions, MPI_Count count, MPI_Datatype type, int dest, int tag,
              MPI_Request* request, MPI_Comm comm = kComm) {
  return MPI_Psend_init(buffer, partitions, count, type, dest, tag, comm, MPI_INFO_NULL, request);
}
int receive_init(void* buffer, int partitions, MPI_Count count, MPI_Datatype type, int source, int tag,
                 MPI_Request* request, MPI_Comm comm = kComm) {
  return MPI_Precv_init(buffer, partitions, count, type, source, tag, comm, MPI_INFO_NULL, request);
}

// Runs of `bytes` to the right; a permutation of the partitions becomes ready one by one.
void runs(int out_partitions, int in_partitions, size_t bytes) {
  std::vector<unsigned char> in(bytes);
  auto out = message(bytes, 0);
  const auto of = [&](int n) { return static_cast<MPI_Count>(bytes) / std::max(n, 1); };
  MPI_Request requests[2];
  send_init(out.data(), out_partitions, of(out_partitions), MPI_BYTE, right(), 1, &requests[0]);
  receive_init(in.data(), in_partitions, of(in_partitions), MPI_BYTE, left(), 1, &requests[1]);
  for (int run = 0; run < 3; ++run) {
    const auto seed = static_cast<uint64_t>(run * 100);
    for (size_t i = 0; i < bytes; ++i) out[i] = byte_of(seed + static_cast<uint64_t>(g_rank), i);
    std::fill(in.begin(), in.end(), static_cast<unsigned char>(0));
    MPI_Startall(2, requests);
    for (int i = 0; i < out_partitions; ++i) MPI_Pready((i * 7 + run) % out_partitions, requests[0]);
    MPI_Status statuses[2];
    MPI_Waitall(2, requests, statuses);
    EXPECT(requests[0] != MPI_REQUEST_NULL && holds(in.data(), bytes, seed + static_cast<uint64_t>(left())));
    EXPECT(statuses[1].MPI_SOURCE == left() && statuses[1].MPI_TAG == 1);
    EXPECT(count_of(statuses[1], MPI_BYTE) == static_cast<int>(bytes));
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
}

// What is there arrives; what is not ready does not.
void arrivals() {
  constexpr int kOut = 6, kIn = 4, kEach = 24;  // integers in all
  int out[kEach], in[kEach], flag = 0;
  MPI_Request requests[2];
  send_init(out, kOut, kEach / kOut, MPI_INT, right(), 2, &requests[0]);
  receive_init(in, kIn, kEach / kIn, MPI_INT, left(), 2, &requests[1]);
  const auto arrived = [&](int partition) {
    MPI_Parrived(requests[1], partition, &flag);
    return flag != 0;
  };
  EXPECT(arrived(3));  // not started
  for (int i = 0; i < kEach; ++i) out[i] = g_rank * 100 + i;
  std::fill(in, in + kEach, -1);
  MPI_Startall(2, requests);
  EXPECT(!arrived(0));
  MPI_Pready(1, requests[0]);  // 4 to 7: of the receiver's partitions, 6 each, parts of 0 and 1
  MPI_Barrier(kComm);
  for (int i = 0; i < 100; ++i) EXPECT(!arrived(0) && !arrived(1));
  MPI_Barrier(kComm);
  MPI_Pready_range(2, 3, requests[0]);  // 8 to 15: all of 1
  while (!arrived(1)) {
  }
  for (int i = 6; i < 12; ++i) EXPECT(in[i] == left() * 100 + i);
  EXPECT(!arrived(0) && !arrived(2) && !arrived(3));
  MPI_Test(&requests[1], &flag, MPI_STATUS_IGNORE);
  EXPECT(!flag);
  MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
  EXPECT(!flag);
  MPI_Barrier(kComm);
  const int rest[3] = {5, 0, 4};
  MPI_Pready_list(3, rest, requests[0]);
  MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
  EXPECT(flag);
  while (!arrived(0) || !arrived(3)) {
  }
  MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
  for (int i = 0; i < kEach; ++i) EXPECT(in[i] == left() * 100 + i);
  EXPECT(arrived(0));
  flag = 0;
  EXPECT(MPI_Parrived(MPI_REQUEST_NULL, 0, &flag) == MPI_SUCCESS && flag);
  for (MPI_Request& request : requests) MPI_Request_free(&request);
}

// The order of the first calls decides, not that of the starts; tags apart, and nothing else may match.
void matching() {
  int out[3] = {g_rank, 100 + g_rank, 200 + g_rank}, in[3] = {-1, -1, -1}, plain = -1;
  MPI_Request sends[3], receives[3], other;
  MPI_Irecv(&plain, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, kComm, &other);
  receive_init(&in[2], 1, 1, MPI_INT, left(), 4, &receives[2]);
  receive_init(&in[0], 1, 1, MPI_INT, left(), 3, &receives[0]);
  receive_init(&in[1], 1, 1, MPI_INT, left(), 3, &receives[1]);
  // These are started before there is a send.
  MPI_Start(&receives[1]);
  MPI_Start(&receives[2]);
  MPI_Barrier(kComm);
  for (int i = 0; i < 3; ++i) send_init(&out[i], 1, 1, MPI_INT, right(), i < 2 ? 3 : 4, &sends[i]);
  MPI_Start(&receives[0]);
  for (const int i : {1, 2, 0}) {
    MPI_Start(&sends[i]);
    MPI_Pready(0, sends[i]);
  }
  MPI_Waitall(3, receives, MPI_STATUSES_IGNORE);
  for (int i = 0; i < 3; ++i) EXPECT(in[i] == 100 * i + left());
  MPI_Waitall(3, sends, MPI_STATUSES_IGNORE);
  const int last = 300 + g_rank;
  MPI_Send(&last, 1, MPI_INT, right(), 3, kComm);
  MPI_Wait(&other, MPI_STATUS_IGNORE);
  EXPECT(plain == 300 + left());
  for (int i = 0; i < 3; ++i) {
    MPI_Request_free(&sends[i]);
    MPI_Request_free(&receives[i]);
  }
}

// Requests that nobody starts still match each other.
void freed() {
  int out = g_rank, in = -1;
  MPI_Request send, receive;
  receive_init(&in, 1, 1, MPI_INT, left(), 5, &receive);
  MPI_Request_free(&receive);
  EXPECT(receive == MPI_REQUEST_NULL);
  MPI_Barrier(kComm);
  send_init(&out, 1, 1, MPI_INT, right(), 5, &send);
  MPI_Request_free(&send);
  send_init(&out, 1, 1, MPI_INT, right(), 5, &send);
  receive_init(&in, 1, 1, MPI_INT, left(), 5, &receive);
  MPI_Start(&receive);
  MPI_Start(&send);
  MPI_Pready(0, send);
  MPI_Wait(&send, MPI_STATUS_IGNORE);
  MPI_Wait(&receive, MPI_STATUS_IGNORE);
  EXPECT(in == left());
  MPI_Request_free(&send);
  MPI_Request_free(&receive);
}

// Every second element on one side, all of a buffer on the other; the first to be complete of several.
void types() {
  constexpr int kPartitions = 5, kElements = 7, kAll = kPartitions * kElements;
  MPI_Datatype pair;
  MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &pair);
  MPI_Type_commit(&pair);
  std::vector<int> out(2 * kAll, -1), in(2 * kAll, -1), dense(kAll, -1);
  for (int i = 0; i < kAll; ++i) out[static_cast<size_t>(2 * i)] = g_rank * 1000 + i;
  MPI_Request requests[4];
  send_init(out.data(), kPartitions, kElements, pair, right(), 6, &requests[0]);
  send_init(out.data(), kPartitions, kElements, pair, right(), 7, &requests[1]);
  receive_init(in.data(), kElements, kPartitions, pair, left(), 6, &requests[2]);
  receive_init(dense.data(), 1, kAll, MPI_INT, left(), 7, &requests[3]);
  MPI_Type_free(&pair);
  MPI_Startall(4, requests);
  for (int k = 1; k >= 0; --k) MPI_Pready_range(0, kPartitions - 1, requests[k]);
  for (int done = 0, index = 0; done < 4; ++done) {
    MPI_Waitany(4, requests, &index, MPI_STATUS_IGNORE);
    EXPECT(index != MPI_UNDEFINED);
  }
  for (int i = 0; i < kAll; ++i) {
    const auto at = static_cast<size_t>(i);
    EXPECT(in[2 * at] == left() * 1000 + i && in[2 * at + 1] == -1 && dense[at] == left() * 1000 + i);
  }
  for (MPI_Request& request : requests) MPI_Request_free(&request);
}

// Where nothing is sent no numbers are used up, of which there are 2^31 for a communicator.
void many_with_nobody() {
  MPI_Request request;
  for (int i = 0; i < 4; ++i) {
    EXPECT(send_init(nullptr, 1 << 30, 0, MPI_INT, MPI_PROC_NULL, 8, &request) == MPI_SUCCESS);
    MPI_Request_free(&request);
  }
}

void with_nobody() {
  int value = 1, flag = 0;
  MPI_Request requests[2];
  MPI_Status statuses[2];
  send_init(&value, 2, 1, MPI_INT, MPI_PROC_NULL, 8, &requests[0]);
  receive_init(&value, 2, 1, MPI_INT, MPI_PROC_NULL, 8, &requests[1]);
  MPI_Startall(2, requests);
  MPI_Parrived(requests[1], 1, &flag);
  EXPECT(flag);
  MPI_Pready_range(0, 1, requests[0]);
  MPI_Waitall(2, requests, statuses);
  EXPECT(statuses[1].MPI_SOURCE == MPI_PROC_NULL && value == 1);
  for (MPI_Request& request : requests) MPI_Request_free(&request);
}

void errors() {
  MPI_Comm comm;
  MPI_Comm_dup(kComm, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);  // of what follows; those of MPI_COMM_WORLD are fatal
  int out[4] = {1, 2, 3, 4}, in[4] = {-1, -1, -1, -1}, flag = 0;
  MPI_Request send = MPI_REQUEST_NULL, receive = MPI_REQUEST_NULL;
  const auto init = [&](int partitions, MPI_Count count, int peer, int tag) {
    const int code = error_class(send_init(out, partitions, count, MPI_INT, peer, tag, &send, comm));
    EXPECT(error_class(receive_init(in, partitions, count, MPI_INT, peer, tag, &receive, comm)) == code);
    EXPECT(send == MPI_REQUEST_NULL && receive == MPI_REQUEST_NULL);
    return code;
  };
  EXPECT(init(-1, 1, 0, 0) == MPI_ERR_ARG && init(1, -1, 0, 0) == MPI_ERR_COUNT && init(1, 1, 0, -1) == MPI_ERR_TAG);
  EXPECT(init(1, 1, g_size, 0) == MPI_ERR_RANK && init(1, 1, MPI_ANY_SOURCE, 0) == MPI_ERR_RANK);
  EXPECT(init(1 << 30, MPI_Count{1} << 40, 0, 0) == MPI_ERR_COUNT);
  EXPECT(error_class(send_init(nullptr, 1, 1, MPI_INT, 0, 0, &send, comm)) == MPI_ERR_BUFFER);
  send_init(out, 4, 1, MPI_INT, right(), 0, &send, comm);
  receive_init(in, 2, 1, MPI_INT, left(), 0, &receive, comm);   // half of it
  EXPECT(error_class(MPI_Pready(0, send)) == MPI_ERR_REQUEST);  // not started
  MPI_Comm_set_errhandler(kComm, MPI_ERRORS_RETURN);
  EXPECT(error_class(MPI_Pready(0, MPI_REQUEST_NULL)) == MPI_ERR_REQUEST);
  MPI_Comm_set_errhandler(kComm, MPI_ERRORS_ARE_FATAL);
  flag = -1;
  EXPECT(error_class(MPI_Parrived(send, 0, &flag)) == MPI_ERR_REQUEST);
  EXPECT(error_class(MPI_Parrived(receive, 2, &flag)) == MPI_ERR_ARG && flag == -1);
  MPI_Start(&send);
  MPI_Start(&receive);
  EXPECT(error_class(MPI_Start(&send)) == MPI_ERR_REQUEST && error_class(MPI_Start(&receive)) == MPI_ERR_REQUEST);
  EXPECT(error_class(MPI_Pready(0, receive)) == MPI_ERR_REQUEST);
  EXPECT(error_class(MPI_Pready(4, send)) == MPI_ERR_ARG && error_class(MPI_Pready(-1, send)) == MPI_ERR_ARG);
  EXPECT(error_class(MPI_Pready_range(2, 4, send)) == MPI_ERR_ARG);
  EXPECT(error_class(MPI_Pready_range(2, 1, send)) == MPI_ERR_ARG);
  const int twice[3] = {0, 3, 0};
  EXPECT(error_class(MPI_Pready_list(3, twice, send)) == MPI_ERR_ARG);
  EXPECT(MPI_Pready(2, send) == MPI_SUCCESS && error_class(MPI_Pready(2, send)) == MPI_ERR_ARG);
  EXPECT(error_class(MPI_Pready_range(0, 3, send)) == MPI_ERR_ARG);  // none of them is, now
  MPI_Request copy = send;
  EXPECT(error_class(MPI_Request_free(&copy)) == MPI_ERR_REQUEST);
  EXPECT(error_class(MPI_Cancel(&send)) == MPI_ERR_REQUEST && error_class(MPI_Cancel(&receive)) == MPI_ERR_REQUEST);
  EXPECT(MPI_Pready_list(2, twice, send) == MPI_SUCCESS && MPI_Pready(1, send) == MPI_SUCCESS);
  EXPECT(MPI_Wait(&send, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  const int code = MPI_Wait(&receive, MPI_STATUS_IGNORE);
  EXPECT(error_class(code) == MPI_ERR_TRUNCATE);
  EXPECT(error_text(code) == "4 partitions of 4 bytes each (source " + std::to_string(left()) +
                                 ", tag 0) are longer than the receive buffer of 8 bytes");
  EXPECT(in[0] == 1 && in[1] == 2 && in[2] == -1);
  MPI_Request_free(&send);
  MPI_Request_free(&receive);
  MPI_Comm_free(&comm);
}

// When partitions arrive is a function of the program: rank 0 prints how often it has to ask.
void questions(Report& report) {
  if (g_size < 2) return;
  constexpr int kPartitions = 8;
  std::vector<int> values(kPartitions, g_rank);
  MPI_Request request;
  if (g_rank != 0) {
    send_init(values.data(), kPartitions, 1, MPI_INT, 0, 9, &request);
    MPI_Start(&request);
    for (int i = 0; i < kPartitions; ++i) {
      for (int k = 0; k < g_rank * i; ++k) MPI_Wtime();
      MPI_Pready(i, request);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    return;
  }
  for (int from = 1; from < g_size; ++from) {
    receive_init(values.data(), kPartitions, 1, MPI_INT, from, 9, &request);
    MPI_Start(&request);
    for (int i = 0; i < kPartitions; ++i) {
      int asked = 0;
      for (int flag = 0; !flag; ++asked) MPI_Parrived(request, i, &flag);
      EXPECT(values[static_cast<size_t>(i)] == from);
      report.line("partition %d of rank %d: asked %d times", i, from, asked);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
  }
}

}  // namespace

int main(int argc, char** argv) {
  Mpi mpi(argc, argv);
  Report report;
  runs(1, 1, 1000);
  runs(8, 8, 8);
  runs(6, 4, 120);
  runs(4, 6, 1200000);
  runs(1, 10, 200000);
  runs(300, 1, 3000);
  runs(3, 2, 0);
  arrivals();
  matching();
  freed();
  types();
  with_nobody();
  many_with_nobody();
  questions(report);
  errors();
  report.print();
  if (g_rank == 0) std::puts("in partitions");
}
