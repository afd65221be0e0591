// Rank 0 fails while others still need it for what came before: it has not acknowledged what its receives have got, has
// sent more than there is room for, and is sent more than there is room for. One looks for ever whether it has taken a
// message.
#include "testing.hpp"

using namespace mpi_test;

namespace {

constexpr auto kComm = MPI_COMM_WORLD;
constexpr int kMessages = 300;
constexpr int kBytes = 8192;

void leave_with_debts() {
  static int received[4];
  static char sent[kMessages][kBytes];
  MPI_Request requests[4 + kMessages];
  for (int i = 0; i < 4; ++i) {
    MPI_Irecv(&received[i], 1, MPI_INT, i < 2 ? MPI_ANY_SOURCE : i - 1, i, kComm, &requests[i]);
  }
  for (int i = 0; i < kMessages; ++i) {
    std::snprintf(sent[i], kBytes, "message %d", i);
    MPI_Isend(sent[i], kBytes, MPI_CHAR, 1, 9, kComm, &requests[4 + i]);
  }
  for (int call = 0; call < 2000; ++call) MPI_Wtime();
  std::printf("rank 0 leaves\n");
  std::exit(17);
}

// Each of these acknowledged, but for the last, which no receive takes.
void send_synchronously(std::initializer_list<int> tags) {
  for (const int tag : tags) {
    MPI_Ssend(&g_rank, 1, MPI_INT, 0, tag, kComm);
    std::printf("rank %d: %d is taken\n", g_rank, tag);
  }
}

void receive_all() {
  static char text[kBytes];
  for (int i = 0;; ++i) {
    MPI_Recv(text, kBytes, MPI_CHAR, 0, 9, kComm, MPI_STATUS_IGNORE);
    for (uint32_t call = 0; call < mix(static_cast<uint64_t>(i)) % 20; ++call) MPI_Wtime();
    std::printf("rank %d got %s\n", g_rank, text);
  }
}

void test_for_ever() {
  MPI_Request request;
  MPI_Issend(&g_rank, 1, MPI_INT, 0, 6, kComm, &request);
  for (int look = 1;; ++look) {
    int complete = 0;
    MPI_Test(&request, &complete, MPI_STATUS_IGNORE);
    if (look % 10 != 0) continue;
    std::printf("rank %d has looked %d times\n", g_rank, look);
    MPI_Wtime();
  }
}

void flood() {
  for (int i = 0;; ++i) {
    MPI_Send(&i, 1, MPI_INT, 0, 5, kComm);
    if (i % 10 == 0) std::printf("rank %d has sent %d\n", g_rank, i);
  }
}

}  // namespace

int main(int argc, char** argv) {
  Mpi mpi(argc, argv);
  if (g_rank == 0) leave_with_debts();
  if (g_rank == 1) send_synchronously({0, 2});
  if (g_rank == 2) send_synchronously({1, 3, 4});
  if (g_rank == 1) receive_all();
  if (g_rank == 3) test_for_ever();
  flood();
}
