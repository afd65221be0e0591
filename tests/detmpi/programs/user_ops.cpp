// Operations of the program's own: one that does not commute (multiplication of matrices), on a type with
// gaps, and on elements larger than anything a board can carry in one piece.
#include "colls.hpp"

using namespace mpi_test;

namespace {

size_t at(int64_t i) { return static_cast<size_t>(i); }

struct Matrix {
  uint32_t a, b, c, d;
  bool operator==(const Matrix&) const = default;
};

Matrix times(const Matrix& x, const Matrix& y) {
  return {x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c, x.c * y.b + x.d * y.d};
}
Matrix input(int rank, int i) {
  const auto r = static_cast<uint32_t>(rank), k = static_cast<uint32_t>(i);
  return {r + 1, k + 2, r * k + 1, 3};
}
Matrix product(int first, int last, int i) {
  Matrix m = input(first, i);
  for (int rank = first + 1; rank <= last; ++rank) m = times(m, input(rank, i));
  return m;
}

extern "C" void multiply(void* left, void* right, int* count, MPI_Datatype*) {
  auto* x = static_cast<Matrix*>(left);
  auto* y = static_cast<Matrix*>(right);
  for (int i = 0; i < *count; ++i) y[i] = times(x[i], y[i]);
}

void matrices(const Group& g, MPI_Datatype type, MPI_Op op, int count) {
  std::vector<Matrix> in(at(count)), out(at(count));
  for (int i = 0; i < count; ++i) in[at(i)] = input(g.rank, i);
  MPI_Allreduce(in.data(), out.data(), count, type, op, g.comm);
  for (int i = 0; i < count; ++i) EXPECT(out[at(i)] == product(0, g.size - 1, i));
  out = in;
  MPI_Allreduce(MPI_IN_PLACE, out.data(), count, type, op, g.comm);
  for (int i = 0; i < count; ++i) EXPECT(out[at(i)] == product(0, g.size - 1, i));
  for (const int root : roots_for(g)) {
    out.assign(at(count), Matrix{});
    MPI_Reduce(in.data(), out.data(), count, type, op, root, g.comm);
    for (int i = 0; g.rank == root && i < count; ++i) EXPECT(out[at(i)] == product(0, g.size - 1, i));
  }
  out = in;
  MPI_Scan(MPI_IN_PLACE, out.data(), count, type, op, g.comm);
  for (int i = 0; i < count; ++i) EXPECT(out[at(i)] == product(0, g.rank, i));
  MPI_Exscan(in.data(), out.data(), count, type, op, g.comm);
  for (int i = 0; g.rank > 0 && i < count; ++i) EXPECT(out[at(i)] == product(0, g.rank - 1, i));
  std::vector<Matrix> many(at(int64_t{count} * g.size));
  for (int i = 0; i < count * g.size; ++i) many[at(i)] = input(g.rank, i);
  MPI_Reduce_scatter_block(many.data(), out.data(), count, type, op, g.comm);
  for (int i = 0; i < count; ++i) EXPECT(out[at(i)] == product(0, g.size - 1, g.rank * count + i));
}

// Elements of so many matrices: larger than a round, and so that there is one in each.
constexpr int kHuge = 10000;
constexpr int kLong = 1800;
int g_length = 0;

extern "C" void multiply_huge(void* left, void* right, int* count, MPI_Datatype* type) {
  int one = *count * g_length;
  multiply(left, right, &one, type);
}

void huge(const Group& g, MPI_Datatype matrix, int length) {
  g_length = length;
  MPI_Datatype type;
  MPI_Op op;
  MPI_Type_contiguous(length, matrix, &type);
  MPI_Type_commit(&type);
  MPI_Op_create(multiply_huge, 0, &op);
  std::vector<Matrix> in(at(length)), out(at(length));
  for (int i = 0; i < length; ++i) in[at(i)] = input(g.rank, i);
  for (const int root : roots_for(g)) {
    out.assign(at(length), Matrix{});
    MPI_Reduce(in.data(), out.data(), 1, type, op, root, g.comm);
    for (int i = 0; g.rank == root && i < length; ++i) EXPECT(out[at(i)] == product(0, g.size - 1, i));
  }
  MPI_Allreduce(in.data(), out.data(), 1, type, op, g.comm);
  for (int i = 0; i < length; ++i) EXPECT(out[at(i)] == product(0, g.size - 1, i));
  out = in;
  MPI_Scan(MPI_IN_PLACE, out.data(), 1, type, op, g.comm);
  for (int i = 0; i < length; ++i) EXPECT(out[at(i)] == product(0, g.rank, i));
  MPI_Exscan(in.data(), out.data(), 1, type, op, g.comm);
  for (int i = 0; g.rank > 0 && i < length; ++i) EXPECT(out[at(i)] == product(0, g.rank - 1, i));
  std::vector<Matrix> many(at(int64_t{length} * g.size));
  for (int i = 0; i < length * g.size; ++i) many[at(i)] = input(g.rank, i % 777);
  MPI_Reduce_scatter_block(MPI_IN_PLACE, many.data(), 1, type, op, g.comm);
  for (int i = 0; i < length; ++i) {
    EXPECT(many[at(i)] == product(0, g.size - 1, (g.rank * length + i) % 777));
  }
  MPI_Op_free(&op);
  MPI_Type_free(&type);
}

// 16 bytes of data in 24.
struct Wide {
  Matrix m;
  uint64_t gap;
};

extern "C" void multiply_wide(void* left, void* right, int* count, MPI_Datatype*) {
  auto* x = static_cast<Wide*>(left);
  auto* y = static_cast<Wide*>(right);
  for (int i = 0; i < *count; ++i) y[i].m = times(x[i].m, y[i].m);
}

void wide(const Group& g, MPI_Datatype matrix, int count) {
  MPI_Datatype type;
  MPI_Op op;
  MPI_Type_create_resized(matrix, 0, sizeof(Wide), &type);
  MPI_Type_commit(&type);
  MPI_Op_create(multiply_wide, 0, &op);
  std::vector<Wide> in(at(count)), out(at(count), Wide{{}, 99});
  for (int i = 0; i < count; ++i) in[at(i)] = {input(g.rank, i), 55};
  MPI_Allreduce(in.data(), out.data(), count, type, op, g.comm);
  for (int i = 0; i < count; ++i) EXPECT(out[at(i)].m == product(0, g.size - 1, i) && out[at(i)].gap == 99);
  out.assign(at(count), Wide{{}, 98});
  MPI_Scan(in.data(), out.data(), count, type, op, g.comm);
  for (int i = 0; i < count; ++i) EXPECT(out[at(i)].m == product(0, g.rank, i) && out[at(i)].gap == 98);
  MPI_Op_free(&op);
  MPI_Type_free(&type);
}

}  // namespace

int main(int argc, char** argv) {
  Mpi mpi(argc, argv);
  MPI_Datatype matrix;
  MPI_Type_contiguous(4, MPI_UINT32_T, &matrix);
  MPI_Type_commit(&matrix);
  MPI_Op op;
  MPI_Op_create(multiply, 0, &op);
  on_communicators([&](const Group& g) {
    for (const int count : {0, 1, 3, 4, 200, 3000, 40000}) {
      if (count > 200 && g.size > (count > 3000 ? 4 : 8)) continue;
      matrices(g, matrix, op, count);
      wide(g, matrix, count);
    }
    if (g.size <= 8) huge(g, matrix, kHuge);
    if (g.size <= 16) huge(g, matrix, kLong);
  });
  MPI_Op_free(&op);
  MPI_Type_free(&matrix);
  if (g_rank == 0) std::puts("in rank order");
}
