// Every rank reads standard input to its end.
#include "testing.hpp"

using namespace mpi_test;

int main(int argc, char** argv) {
  char before = 0;
  // `input early`: a byte is read before MPI_Init; what is buffered then still belongs to rank 0.
  if (argc > 1) before = static_cast<char>(std::getchar());
  Mpi mpi(argc, argv);
  std::string text;
  for (int c = 0; (c = std::getchar()) != EOF;) text += static_cast<char>(c);
  Report report;
  if (before != 0 && g_rank == 0) report.line("before: %c", before);
  report.line("%zu bytes: %.20s", text.size(), text.c_str());
  report.print();
}
