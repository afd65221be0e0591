// Operations that do not match and for which nobody waits, on a communicator that is not used any more. By the name
// that is given; the last rank differs from the others.
#include "testing.hpp"

using namespace mpi_test;

namespace {

constexpr auto kWorld = MPI_COMM_WORLD;
int g_number = 0;
int g_handled = 0;  // errors, by a function of the program's

MPI_Comm copy() {
  MPI_Comm comm;
  MPI_Comm_dup(kWorld, &comm);
  return comm;
}
bool is_odd() { return g_rank == g_size - 1; }

// Every rank takes itself for the root: so nobody waits.
int bcast_as_root(MPI_Comm comm) { return MPI_Bcast(&g_number, 1, MPI_INT, g_rank, comm); }

void freed() {
  MPI_Comm comm = copy();
  bcast_as_root(comm);
  MPI_Comm_free(&comm);
}
void kept() { bcast_as_root(copy()); }

// The memory of freed communicators is used again.
void many_later() {
  freed();
  for (int i = 0; i < 50; ++i) {
    MPI_Comm comm = copy();
    MPI_Barrier(comm);
    MPI_Comm_free(&comm);
  }
}

// Of the two the first one is told.
void two() {
  MPI_Comm first = copy(), second = copy();
  MPI_Comm_set_name(first, "the first");
  MPI_Comm_set_name(second, "the second");
  bcast_as_root(second);
  MPI_Comm_free(&second);
  bcast_as_root(first);
  MPI_Comm_free(&first);
}

// Of one who does more than the others.
void left_out() {
  const MPI_Comm comm = copy();
  MPI_Barrier(comm);
  if (is_odd()) bcast_as_root(comm);
}
void request() {
  const MPI_Comm comm = copy();
  MPI_Request request;
  if (!is_odd()) return;
  MPI_Ibcast(&g_number, 1, MPI_INT, g_rank, comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

// The first rank is a group of its own, as whose root it sends.
void between_groups() {
  MPI_Comm half, inter;
  MPI_Comm_split(kWorld, g_rank == 0, 0, &half);
  MPI_Intercomm_create(half, 0, kWorld, g_rank == 0 ? 1 : 0, 0, &inter);
  MPI_Comm_free(&half);
  if (g_rank == 0) MPI_Bcast(&g_number, 1, MPI_INT, MPI_ROOT, inter);
  MPI_Comm_free(&inter);
}

// Told by MPI_Finalize.
void returned() {
  MPI_Comm_set_errhandler(kWorld, MPI_ERRORS_RETURN);
  freed();
}
void count_error(MPI_Comm*, int*, ...) { ++g_handled; }
void handled() {
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(count_error, &handler);
  MPI_Comm_set_errhandler(kWorld, handler);
  freed();
}

// The one whose length is wrong is told at once, and takes part in what the others do: that is no difference any more.
void told_before() {
  int numbers[2] = {};
  MPI_Comm comm = copy();
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  const int code = MPI_Bcast(numbers, is_odd() ? 2 : 1, MPI_INT, 0, comm);
  EXPECT(error_class(code) == (is_odd() ? MPI_ERR_COUNT : MPI_SUCCESS));
  MPI_Comm_free(&comm);
}

// Nothing is wrong here, however few of its members use a communicator, or free it.
void in_order() {
  MPI_Comm half, all = copy();
  MPI_Comm_split(all, g_rank % 2, 0, &half);
  if (g_rank % 2 == 0) MPI_Allreduce(MPI_IN_PLACE, &g_number, 1, MPI_INT, MPI_SUM, half);
  MPI_Bcast(&g_number, 1, MPI_INT, 0, all);
  if (is_odd()) MPI_Comm_free(&all);
  if (g_rank % 2 == 0) MPI_Comm_free(&half);
}

constexpr Case kCases[] = {
    {"freed", freed},
    {"kept", kept},
    {"many_later", many_later},
    {"two", two},
    {"left_out", left_out},
    {"request", request},
    {"between_groups", between_groups},
    {"returned", returned},
    {"handled", handled},
    {"told_before", told_before},
    {"in_order", in_order},
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(kWorld, &g_rank);
  MPI_Comm_size(kWorld, &g_size);
  run_case(kCases, argv[1]);
  const int code = MPI_Finalize();
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(code, text, &length);
  std::printf("rank %d: %d handled; %s\n", g_rank, g_handled, code == MPI_SUCCESS ? "well" : text);
}
