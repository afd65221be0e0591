// Parts of arrays across the wire: each rank sends its share of a distributed matrix to rank 0, which puts it in place
// by the share's type; ranks exchange the borders of their blocks; and numbers travel in their portable form.
#include "testing.hpp"

using namespace mpi_test;

namespace {

constexpr int kRows = 61;
constexpr int kColumns = 47;

int value_at(int i) { return i * 7 + 1; }

MPI_Datatype share_of(int rank, int row_kind, int row_block) {
  int grid[2] = {g_size % 2 == 0 ? g_size / 2 : g_size, g_size % 2 == 0 ? 2 : 1};
  const int sizes[] = {kRows, kColumns}, kinds[] = {row_kind, MPI_DISTRIBUTE_CYCLIC};
  const int blocks[] = {row_block, 5};
  MPI_Datatype type;
  MPI_Type_create_darray(g_size, rank, 2, sizes, kinds, blocks, grid, MPI_ORDER_C, MPI_INT, &type);
  MPI_Type_commit(&type);
  return type;
}

// From the matrix by one type, into the matrix of rank 0 by the same.
void collect(int row_kind, int row_block) {
  std::vector<int> matrix(kRows * kColumns), whole(kRows * kColumns, -1);
  for (int i = 0; i < kRows * kColumns; ++i) matrix[static_cast<size_t>(i)] = value_at(i);
  MPI_Datatype mine = share_of(g_rank, row_kind, row_block);
  MPI_Request request;
  MPI_Isend(matrix.data(), 1, mine, 0, 1, MPI_COMM_WORLD, &request);
  for (int from = 0; g_rank == 0 && from < g_size; ++from) {
    MPI_Datatype share = share_of(from, row_kind, row_block);
    MPI_Recv(whole.data(), 1, share, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Type_free(&share);
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Type_free(&mine);
  EXPECT(g_rank != 0 || whole == matrix);
}

// A row of 1 x n blocks with a border of one column on each side.
void borders() {
  constexpr int kWidth = 10;
  const int sizes[] = {kRows, kWidth}, parts[] = {kRows, 1};
  const int inner_left[] = {0, 1}, outer_right[] = {0, kWidth - 1};
  MPI_Datatype send, receive;
  MPI_Type_create_subarray(2, sizes, parts, inner_left, MPI_ORDER_C, MPI_INT, &send);
  MPI_Type_create_subarray(2, sizes, parts, outer_right, MPI_ORDER_C, MPI_INT, &receive);
  MPI_Type_commit(&send);
  MPI_Type_commit(&receive);
  std::vector<int> block(kRows * kWidth);
  for (int i = 0; i < kRows * kWidth; ++i) block[static_cast<size_t>(i)] = g_rank * 100000 + i;
  MPI_Status status;
  MPI_Sendrecv(block.data(), 1, send, left(), 2, block.data(), 1, receive, right(), 2, MPI_COMM_WORLD, &status);
  EXPECT(count_of(status, receive) == 1 && count_of(status, MPI_INT) == kRows);
  for (int row = 0; row < kRows; ++row) {
    EXPECT(block[static_cast<size_t>(row * kWidth + kWidth - 1)] == right() * 100000 + row * kWidth + 1);
    EXPECT(block[static_cast<size_t>(row * kWidth + kWidth - 2)] == g_rank * 100000 + row * kWidth + kWidth - 2);
  }
  MPI_Type_free(&send);
  MPI_Type_free(&receive);
}

// Packed on one rank, unpacked on the next; the bytes are the same everywhere.
void portable() {
  std::vector<double> numbers(1000), back(1000);
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<double>(i) / 3 + g_rank;
  MPI_Aint size, position = 0;
  MPI_Pack_external_size("external32", 1000, MPI_DOUBLE, &size);
  std::vector<char> out(static_cast<size_t>(size)), in(out.size());
  MPI_Pack_external("external32", numbers.data(), 1000, MPI_DOUBLE, out.data(), size, &position);
  const int bytes = static_cast<int>(size);
  MPI_Sendrecv(out.data(), bytes, MPI_BYTE, right(), 3, in.data(), bytes, MPI_BYTE, left(), 3, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  position = 0;
  MPI_Unpack_external("external32", in.data(), size, &position, back.data(), 1000, MPI_DOUBLE);
  for (size_t i = 0; i < back.size(); ++i) EXPECT(back[i] == static_cast<double>(i) / 3 + left());
}

// Sums on one of Fortran's types are those of the type that it stands for.
void fortran_kind() {
  MPI_Datatype type;
  MPI_Type_create_f90_real(15, 307, &type);
  double number = g_rank + 0.5, sum = 0;
  MPI_Allreduce(&number, &sum, 1, type, MPI_SUM, MPI_COMM_WORLD);
  EXPECT(sum == g_size * (g_size - 1) / 2 + 0.5 * g_size);
}

}  // namespace

int main(int argc, char** argv) {
  Mpi mpi(argc, argv);
  collect(MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_DFLT_DARG);
  collect(MPI_DISTRIBUTE_CYCLIC, 3);
  borders();
  portable();
  fortran_kind();
  if (g_rank == 0) std::puts("same parts");
}
