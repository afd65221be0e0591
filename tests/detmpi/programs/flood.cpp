// Very many messages that nobody asked for: 100,000 small ones sent before the first receive, and thousands
// of pending sends at once. Rank 0 receives; the others send.
#include "testing.hpp"

using namespace mpi_test;

namespace {

void unsolicited(int total) {
  const int each = g_size > 1 ? total / (g_size - 1) : 0;
  if (g_rank != 0) {
    for (int i = 0; i < each; ++i) MPI_Send(&i, 1, MPI_INT, 0, i % 7, MPI_COMM_WORLD);
    MPI_Send(nullptr, 0, MPI_INT, 0, 99, MPI_COMM_WORLD);
    return;
  }
  for (int from = g_size - 1; from > 0; --from) {
    // The end of its stream is taken first: all others are unexpected by then.
    MPI_Recv(nullptr, 0, MPI_INT, from, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < each; ++i) {
      int value = -1;
      MPI_Recv(&value, 1, MPI_INT, from, i % 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      EXPECT(value == i);
    }
  }
}

// All sends pending before anything is received; the buffers are looked at at the end only.
void pending(int count, int ints) {
  std::vector<std::vector<int>> out(static_cast<size_t>(count));
  std::vector<MPI_Request> requests(static_cast<size_t>(count));
  for (int i = 0; i < count; ++i) {
    auto& data = out[static_cast<size_t>(i)];
    data.assign(static_cast<size_t>(ints), i * 3 + g_rank);
    MPI_Isend(data.data(), ints, MPI_INT, right(), 4, MPI_COMM_WORLD, &requests[static_cast<size_t>(i)]);
  }
  std::vector<int> in(static_cast<size_t>(ints));
  for (int i = 0; i < count; ++i) {
    MPI_Recv(in.data(), ints, MPI_INT, left(), 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (const int value : in) EXPECT(value == i * 3 + left());
  }
  MPI_Waitall(count, requests.data(), MPI_STATUSES_IGNORE);
}

unsigned long long waiting_messages() {
  MPI_T_pvar_session session;
  MPI_T_pvar_handle handle;
  int provided = 0, index = -1, count = 0;
  unsigned long long waiting = 0;
  MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
  MPI_T_pvar_get_index("messages_waiting", MPI_T_PVAR_CLASS_LEVEL, &index);
  MPI_T_pvar_session_create(&session);
  MPI_T_pvar_handle_alloc(session, index, nullptr, &handle, &count);
  EXPECT(MPI_T_pvar_read(session, handle, &waiting) == MPI_SUCCESS);
  MPI_T_pvar_session_free(&session);
  MPI_T_finalize();
  return waiting;
}

// Messages that nobody has received go with their communicator.
void never_received() {
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  for (const int ints : {0, 1, 50000}) {
    const std::vector<int> out(static_cast<size_t>(ints));
    MPI_Send(out.data(), ints, MPI_INT, right(), 5, comm);
  }
  MPI_Barrier(comm);
  MPI_Comm_free(&comm);
  EXPECT(waiting_messages() == 0);
  MPI_Barrier(MPI_COMM_WORLD);
}

}  // namespace

int main(int argc, char** argv) {
  Mpi mpi(argc, argv);
  unsolicited(100000);
  MPI_Barrier(MPI_COMM_WORLD);
  pending(5000, 1);
  pending(200, 10000);
  MPI_Barrier(MPI_COMM_WORLD);
  never_received();
  if (g_rank == 0) std::puts("all taken");
}
