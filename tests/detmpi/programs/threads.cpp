// A thread is begun before MPI_Init, another one after it.
#include <unistd.h>

#include <thread>

#include "testing.hpp"

using namespace mpi_test;

int is_main_thread() {
  int flag = -1;
  MPI_Is_thread_main(&flag);
  return flag;
}

int main(int argc, char** argv) {
  std::thread([] { pause(); }).detach();
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &g_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &g_size);
  Report report;
  int in_thread = -1;
  std::thread([&] { in_thread = is_main_thread(); }).join();
  report.line("main thread %d, another one %d", is_main_thread(), in_thread);
  report.print();
  MPI_Finalize();
}
