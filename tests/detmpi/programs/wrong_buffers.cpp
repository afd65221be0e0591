// Wrong buffers of collective operations: the same memory sent from and received into, MPI_IN_PLACE where it says
// nothing, and broadcasts of which the ranks expect different lengths. All are errors at every rank that can see them,
// and the communicator is as good as before.
#include <algorithm>

#include "colls.hpp"

using namespace mpi_test;

namespace {

bool refused(int code) { return error_class(code) == MPI_ERR_BUFFER; }

int wait(int code, MPI_Request* request) { return code == MPI_SUCCESS ? MPI_Wait(request, MPI_STATUS_IGNORE) : code; }

struct Buffers {
  std::vector<int> data = std::vector<int>(static_cast<size_t>(2 * g_size), g_rank);
  std::vector<int> ones = std::vector<int>(static_cast<size_t>(g_size), 1);
  std::vector<int> places, bytes;
  std::vector<MPI_Datatype> types = std::vector<MPI_Datatype>(static_cast<size_t>(g_size), MPI_INT);
  Buffers() {
    for (int i = 0; i < g_size; ++i) {
      places.push_back(i);
      bytes.push_back(i * static_cast<int>(sizeof(int)));
    }
  }
};

void same_memory(MPI_Comm comm) {
  Buffers b;
  int* const all = b.data.data();
  int* const mine = &b.data[static_cast<size_t>(g_rank)];
  const int *ones = b.ones.data(), *places = b.places.data(), *bytes = b.bytes.data();
  MPI_Request request;
  EXPECT(refused(MPI_Allreduce(all, all, 1, MPI_INT, MPI_SUM, comm)));
  EXPECT(refused(MPI_Iallreduce(all, all, 1, MPI_INT, MPI_SUM, comm, &request)));
  EXPECT(refused(MPI_Allreduce_init(all, all, 1, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &request)));
  EXPECT(refused(MPI_Scan(all, all, 1, MPI_INT, MPI_SUM, comm)));
  EXPECT(g_rank == 0 || refused(MPI_Exscan(all, all, 1, MPI_INT, MPI_SUM, comm)));
  EXPECT(refused(MPI_Reduce_scatter(all, all, ones, MPI_INT, MPI_SUM, comm)));
  EXPECT(refused(MPI_Reduce_scatter_block(all, all, 1, MPI_INT, MPI_SUM, comm)));
  EXPECT(refused(MPI_Allgather(mine, 1, MPI_INT, all, 1, MPI_INT, comm)));
  EXPECT(refused(MPI_Iallgather(mine, 1, MPI_INT, all, 1, MPI_INT, comm, &request)));
  EXPECT(refused(MPI_Allgatherv(mine, 1, MPI_INT, all, ones, places, MPI_INT, comm)));
  EXPECT(refused(MPI_Alltoall(all, 1, MPI_INT, all, 1, MPI_INT, comm)));
  EXPECT(refused(MPI_Alltoallv(all, ones, places, MPI_INT, all, ones, places, MPI_INT, comm)));
  EXPECT(refused(MPI_Alltoallw(all, ones, bytes, b.types.data(), all, ones, bytes, b.types.data(), comm)));
  EXPECT(refused(MPI_Reduce_local(all, all, 1, MPI_INT, MPI_SUM)));
  // Each rank as the root: it is refused before anything is sent.
  EXPECT(refused(MPI_Reduce(all, all, 1, MPI_INT, MPI_SUM, g_rank, comm)));
  EXPECT(refused(MPI_Gather(mine, 1, MPI_INT, all, 1, MPI_INT, g_rank, comm)));
  EXPECT(refused(MPI_Gatherv(mine, 1, MPI_INT, all, ones, places, MPI_INT, g_rank, comm)));
  EXPECT(refused(MPI_Scatter(all, 1, MPI_INT, mine, 1, MPI_INT, g_rank, comm)));
  EXPECT(refused(MPI_Scatterv(all, ones, places, MPI_INT, mine, 1, MPI_INT, g_rank, comm)));
}

// What looks like it and is none.
void other_memory(MPI_Comm comm) {
  Buffers b;
  int* const all = b.data.data();
  // Nothing is moved.
  EXPECT(MPI_Allreduce(all, all, 0, MPI_INT, MPI_SUM, comm) == MPI_SUCCESS);
  // One address, but the data lie beside each other.
  MPI_Datatype behind;
  const int one = 1, second = g_size;
  MPI_Type_indexed(1, &one, &second, MPI_INT, &behind);
  MPI_Type_commit(&behind);
  EXPECT(MPI_Gather(all, 1, behind, all, 1, MPI_INT, 0, comm) == MPI_SUCCESS);
  for (int i = 0; g_rank == 0 && i < g_size; ++i) EXPECT(b.data[static_cast<size_t>(i)] == i);
  MPI_Type_free(&behind);
  // The buffer of another rank's block.
  int* const next = &b.data[static_cast<size_t>(g_size)];
  EXPECT(MPI_Allgather(next, 1, MPI_INT, all, 1, MPI_INT, comm) == MPI_SUCCESS);
  for (int i = 0; i < g_size; ++i) EXPECT(b.data[static_cast<size_t>(i)] == i);
  // What the first rank of MPI_Exscan would receive into is left alone.
  int* const unused[] = {all, nullptr};
  for (int* const none : unused) {
    EXPECT(MPI_Exscan(all, g_rank == 0 ? none : next, 1, MPI_INT, MPI_SUM, comm) == MPI_SUCCESS);
  }
  MPI_Request request;
  EXPECT(wait(MPI_Iexscan(all, g_rank == 0 ? nullptr : next, 1, MPI_INT, MPI_SUM, comm, &request), &request) ==
         MPI_SUCCESS);
  // Of the buffers that count at the root alone the others may give any.
  EXPECT(MPI_Reduce(g_rank == 0 ? MPI_IN_PLACE : all, all, 1, MPI_INT, MPI_SUM, 0, comm) == MPI_SUCCESS);
}

void in_place(MPI_Comm comm) {
  int in = 1, out = 0;
  MPI_Request request;
  EXPECT(refused(MPI_Allreduce(&in, MPI_IN_PLACE, 1, MPI_INT, MPI_SUM, comm)));
  EXPECT(refused(MPI_Ialltoall(&in, 1, MPI_INT, MPI_IN_PLACE, 1, MPI_INT, comm, &request)));
  EXPECT(refused(MPI_Reduce_local(MPI_IN_PLACE, &out, 1, MPI_INT, MPI_SUM)));
  EXPECT(refused(MPI_Reduce_local(&in, MPI_IN_PLACE, 1, MPI_INT, MPI_SUM)));
  EXPECT(refused(MPI_Scatter(MPI_IN_PLACE, 1, MPI_INT, &out, 1, MPI_INT, g_rank, comm)));
  EXPECT(refused(MPI_Bcast(MPI_IN_PLACE, 1, MPI_INT, 0, comm)));
  EXPECT(refused(MPI_Ibcast(MPI_IN_PLACE, 1, MPI_INT, 0, comm, &request)));
  if (g_size == 1) return;
  // At another rank than the root.
  EXPECT(refused(MPI_Gather(MPI_IN_PLACE, 1, MPI_INT, &out, 1, MPI_INT, right(), comm)));
  EXPECT(refused(MPI_Gatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, &out, &in, &out, MPI_INT, right(), comm)));
  EXPECT(refused(MPI_Scatter(&in, 1, MPI_INT, MPI_IN_PLACE, 1, MPI_INT, right(), comm)));
  EXPECT(refused(MPI_Reduce(MPI_IN_PLACE, &out, 1, MPI_INT, MPI_SUM, right(), comm)));
  EXPECT(refused(MPI_Ireduce(MPI_IN_PLACE, &out, 1, MPI_INT, MPI_SUM, right(), comm, &request)));
}

// In bytes: what the root sends, what the others ask for. Both in one piece, both in many, and one in more than the
// other.
void lengths(MPI_Comm comm) {
  const struct {
    int sent, here;
  } cases[] = {{4, 40}, {40, 4}, {4, 4000}, {4000, 4}, {100, 200000}, {200000, 100}, {0, 4}, {4, 0}, {300000, 299999}};
  for (const auto& c : cases) {
    for (const bool blocks : {true, false}) {
      const int root = g_size - 1, n = g_rank == root ? c.sent : c.here;
      std::vector<unsigned char> data = message(static_cast<size_t>(n), g_rank == root ? 7 : 8);
      MPI_Request request;
      const int code = blocks ? MPI_Bcast(data.data(), n, MPI_BYTE, root, comm)
                              : wait(MPI_Ibcast(data.data(), n, MPI_BYTE, root, comm, &request), &request);
      const int expected = c.sent > c.here ? MPI_ERR_TRUNCATE : MPI_ERR_COUNT;
      EXPECT(g_rank == root ? code == MPI_SUCCESS : error_class(code) == expected);
      if (blocks && g_rank != root) EXPECT(holds(data.data(), static_cast<size_t>(std::min(c.sent, c.here)), 7));
      int sum = 0;
      MPI_Allreduce(&g_rank, &sum, 1, MPI_INT, MPI_SUM, comm);
      EXPECT(sum == g_size * (g_size - 1) / 2);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  Mpi mpi(argc, argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  same_memory(MPI_COMM_WORLD);
  other_memory(MPI_COMM_WORLD);
  in_place(MPI_COMM_WORLD);
  lengths(MPI_COMM_WORLD);
  Report report;
  report.line("wrong buffers are refused");
  report.print();
}
