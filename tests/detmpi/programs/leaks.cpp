// What a program has at MPI_Finalize, by the name that is given.
#include <chrono>
#include <thread>
#include <vector>

#include "testing.hpp"

using namespace mpi_test;

namespace {

constexpr int kLong = 1 << 20;
std::vector<char> g_buffer(kLong);

int right() { return (g_rank + 1) % g_size; }

[[gnu::noinline]] void isend(int bytes, int to, int tag, MPI_Comm comm = MPI_COMM_WORLD) {
  MPI_Request request;
  MPI_Isend(g_buffer.data(), bytes, MPI_BYTE, to, tag, comm, &request);
}

// With something after the call, which would else return to whoever has called this function.
[[gnu::noinline]] void send(int to, int tag) {
  MPI_Send(g_buffer.data(), 1, MPI_BYTE, to, tag, MPI_COMM_WORLD);
  g_buffer[0] += 1;
}

void on_error(MPI_Comm*, int*, ...) {}

void add(void*, void*, int*, MPI_Datatype*) {}

// An object of each kind. Two of one kind that are made at one place are told of together.
void make_objects() {
  for (int i = 0; i < 2; ++i) {
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  }
  MPI_Group group;
  MPI_Comm_group(MPI_COMM_WORLD, &group);
  MPI_Datatype type;
  MPI_Type_contiguous(3, MPI_INT, &type);
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(on_error, &handler);
  MPI_Op op;
  MPI_Op_create(add, 1, &op);
  MPI_Info info;
  MPI_Info_create(&info);
  int key;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, nullptr);
}

// Also messages that nobody receives: short, long, synchronous, and one that a probe has taken.
void begin_and_leave() {
  isend(1, right(), 3);
  isend(kLong, right(), 4);
  MPI_Request request;
  MPI_Issend(g_buffer.data(), 1, MPI_BYTE, right(), 5, MPI_COMM_WORLD, &request);
  static char value;
  MPI_Irecv(&value, 1, MPI_BYTE, right(), 6, MPI_COMM_WORLD, &request);
  MPI_Recv_init(&value, 1, MPI_BYTE, right(), 7, MPI_COMM_WORLD, &request);
  for (int i = 0; i < 3; ++i) send(right(), 8);
  MPI_Message message;
  MPI_Mprobe(MPI_ANY_SOURCE, 8, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
}

// In one rank alone, far from the first one.
void one_rank() {
  if (g_rank == g_size - 1) isend(1, g_rank, 3);
}

// What the program need not free, and what it has freed while it is still in use.
void leave_nothing() {
  MPI_Datatype type, copy;
  MPI_Type_create_f90_real(6, 30, &type);
  MPI_Type_contiguous(3, MPI_INT, &type);
  MPI_Type_contiguous(2, type, &copy);
  MPI_Type_free(&type);
  int integer;
  MPI_Aint address;
  MPI_Type_get_contents(copy, 1, 0, 1, &integer, &address, &type);
  MPI_Type_free(&type);
  MPI_Type_free(&copy);
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(on_error, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  MPI_Errhandler_free(&handler);
  MPI_Comm_get_errhandler(MPI_COMM_WORLD, &handler);
  MPI_Errhandler_free(&handler);
  int key;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, nullptr);
  MPI_Comm_set_attr(MPI_COMM_WORLD, key, nullptr);
  MPI_Comm_free_keyval(&key);
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Request request;
  MPI_Isend(g_buffer.data(), kLong, MPI_BYTE, right(), 3, comm, &request);
  MPI_Request_free(&request);
  MPI_Recv(g_buffer.data(), kLong, MPI_BYTE, MPI_ANY_SOURCE, 3, comm, MPI_STATUS_IGNORE);
  MPI_Comm_free(&comm);
  send(right(), 4);
  MPI_Message message;
  MPI_Mprobe(MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
  MPI_Mrecv(g_buffer.data(), 1, MPI_BYTE, &message, MPI_STATUS_IGNORE);
  send(MPI_PROC_NULL, 4);
}

// Nobody waits for the receive, so which message is left was never asked. The later rank's comes first.
void race() {
  MPI_Request request;
  if (g_rank == 0) MPI_Irecv(g_buffer.data(), 1, MPI_BYTE, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &request);
  MPI_Barrier(MPI_COMM_WORLD);
  if (g_rank == 0) return;
  std::this_thread::sleep_for(std::chrono::milliseconds(50 * (g_size - g_rank)));
  send(0, 3);
}

// MPI_Finalize itself frees what the delete callback of MPI_COMM_SELF frees.
int free_it(MPI_Comm, int, void* value, void*) { return MPI_Comm_free(static_cast<MPI_Comm*>(value)); }
void freed_at_the_end() {
  static MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  int key;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_it, &key, nullptr);
  MPI_Comm_set_attr(MPI_COMM_SELF, key, &comm);
  MPI_Comm_free_keyval(&key);
}

constexpr Case kCases[] = {{"objects", make_objects},
                           {"requests", begin_and_leave},
                           {"one rank", one_rank},
                           {"nothing", leave_nothing},
                           {"race", race},
                           {"freed at the end", freed_at_the_end}};

}  // namespace

int main(int argc, char** argv) {
  const Mpi mpi(argc, argv);
  run_case(kCases, argv[1]);
}
