// Says who it is and with which arguments it was started.
#include "testing.hpp"

using namespace mpi_test;

int main(int argc, char** argv) {
  Mpi mpi(argc, argv);
  Report report;
  std::string all;
  for (int i = 1; i < argc; ++i) all += std::string(" <") + argv[i] + ">";
  report.line("hello %d of %d%s", g_rank, g_size, all.c_str());
  report.print();
}
