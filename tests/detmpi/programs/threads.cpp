// A thread is begun before MPI_Init_thread, which is asked for the level of the command line, another one after it.
#include <unistd.h>

#include <thread>

#include "testing.hpp"

using namespace mpi_test;

int is_main_thread() {
  int flag = -1;
  MPI_Is_thread_main(&flag);
  return flag;
}

std::string name_of_level() {
  char name[MPI_MAX_INFO_VAL];
  int room = sizeof name, flag = 0;
  MPI_Info_get_string(MPI_INFO_ENV, "thread_level", &room, name, &flag);
  return flag ? name : "none";
}

int main(int argc, char** argv) {
  std::thread([] { pause(); }).detach();
  int provided = -1, queried = -1;
  MPI_Init_thread(&argc, &argv, argc > 1 ? std::atoi(argv[1]) : MPI_THREAD_SINGLE, &provided);
  MPI_Query_thread(&queried);
  EXPECT(queried == provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &g_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &g_size);
  Report report;
  int in_thread = -1;
  std::thread([&] { in_thread = is_main_thread(); }).join();
  report.line("main thread %d, another one %d, level %d: %s", is_main_thread(), in_thread, provided,
              name_of_level().c_str());
  report.print();
  MPI_Finalize();
}
