// Cartesian topologies: places and ranks, shifts with and without ends, parts of a grid, copies, wrong arguments.
#include "colls.hpp"

using namespace mpi_test;

namespace {

// A grid of all ranks but what does not fit: periodic in the first dimension of two.
struct Grid {
  MPI_Comm comm = MPI_COMM_NULL;
  int dims[2] = {0, 2};
  int rank = MPI_PROC_NULL;
  Grid() {
    dims[0] = g_size / 2;
    const int periods[] = {1, 0};
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &comm);
    EXPECT((comm == MPI_COMM_NULL) == (g_rank >= dims[0] * 2));
    if (comm != MPI_COMM_NULL) MPI_Comm_rank(comm, &rank);
  }
  ~Grid() {
    if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
  }
  Grid(const Grid&) = delete;
  Grid& operator=(const Grid&) = delete;
};

int kind_of(MPI_Comm comm) {
  int kind = 0;
  MPI_Topo_test(comm, &kind);
  return kind;
}

void expect_places(const Grid& grid, MPI_Comm comm) {
  EXPECT(kind_of(comm) == MPI_CART);
  int ndims = 0, dims[2], periods[2], coords[3] = {0, 0, 7};
  MPI_Cartdim_get(comm, &ndims);
  MPI_Cart_get(comm, 2, dims, periods, coords);
  EXPECT(ndims == 2 && dims[0] == grid.dims[0] && dims[1] == 2 && periods[0] == 1 && periods[1] == 0);
  EXPECT(coords[0] == grid.rank / 2 && coords[1] == grid.rank % 2);
  for (int r = 0; r < dims[0] * 2; ++r) {
    MPI_Cart_coords(comm, r, 3, coords);
    EXPECT(coords[0] == r / 2 && coords[1] == r % 2 && coords[2] == 7);
    for (const int turns : {-2, 0, 1}) {
      const int around[] = {coords[0] + turns * dims[0], coords[1]};
      int found = -1;
      MPI_Cart_rank(comm, around, &found);
      EXPECT(found == r);
    }
  }
}

void shifts(const Grid& grid) {
  const int rows = grid.dims[0], row = grid.rank / 2, column = grid.rank % 2;
  const auto at = [&](int r, int c) { return c < 0 || c > 1 ? MPI_PROC_NULL : ((r % rows + rows) % rows) * 2 + c; };
  for (const int distance : {0, 1, -1, 2, 7}) {
    int source = -9, dest = -9;
    MPI_Cart_shift(grid.comm, 0, distance, &source, &dest);
    EXPECT(source == at(row - distance, column) && dest == at(row + distance, column));
    MPI_Cart_shift(grid.comm, 1, distance, &source, &dest);
    EXPECT(source == at(row, column - distance) && dest == at(row, column + distance));
  }
  int source = -9, dest = -9;
  MPI_Cart_shift(grid.comm, 1, INT32_MIN, &source, &dest);
  EXPECT(source == MPI_PROC_NULL && dest == MPI_PROC_NULL);
  // Data around the ring and off the end.
  MPI_Cart_shift(grid.comm, 0, 1, &source, &dest);
  int got = -1;
  MPI_Sendrecv(&grid.rank, 1, MPI_INT, dest, 0, &got, 1, MPI_INT, source, 0, grid.comm, MPI_STATUS_IGNORE);
  EXPECT(got == source);
  MPI_Cart_shift(grid.comm, 1, 1, &source, &dest);
  got = MPI_PROC_NULL;
  MPI_Sendrecv(&grid.rank, 1, MPI_INT, dest, 0, &got, 1, MPI_INT, source, 0, grid.comm, MPI_STATUS_IGNORE);
  EXPECT(got == source);
}

void parts(const Grid& grid) {
  for (const int kept : {0, 1}) {
    const int remain[] = {kept == 0, kept == 1};
    MPI_Comm part;
    MPI_Cart_sub(grid.comm, remain, &part);
    const Group g(part);
    int ndims = 0, dims = 0, period = -1, coord = -1;
    MPI_Cartdim_get(part, &ndims);
    MPI_Cart_get(part, 1, &dims, &period, &coord);
    EXPECT(ndims == 1 && dims == grid.dims[kept] && period == (kept == 0) && g.size == dims);
    EXPECT(coord == g.rank && g.rank == (kept == 0 ? grid.rank / 2 : grid.rank % 2));
    // They are those of my row or column.
    int sum = 0, expected = 0;
    MPI_Allreduce(&grid.rank, &sum, 1, MPI_INT, MPI_SUM, part);
    for (int r = 0; r < grid.dims[0] * 2; ++r) {
      if (kept == 0 ? r % 2 == grid.rank % 2 : r / 2 == grid.rank / 2) expected += r;
    }
    EXPECT(sum == expected);
    MPI_Comm_free(&part);
  }
}

// No dimension: a single place.
void points(const Grid& grid) {
  const auto expect_point = [](MPI_Comm comm) {
    int ndims = -1, rank = -1;
    MPI_Cartdim_get(comm, &ndims);
    MPI_Cart_get(comm, 0, nullptr, nullptr, nullptr);
    MPI_Cart_rank(comm, nullptr, &rank);
    EXPECT(ndims == 0 && rank == 0 && Group(comm).size == 1);
  };
  MPI_Comm point, again;
  MPI_Cart_create(MPI_COMM_WORLD, 0, nullptr, nullptr, 0, &point);
  EXPECT((point == MPI_COMM_NULL) == (g_rank > 0));
  if (point != MPI_COMM_NULL) {
    expect_point(point);
    MPI_Cart_sub(point, nullptr, &again);
    expect_point(again);
    MPI_Comm_free(&again);
    MPI_Comm_free(&point);
  }
  if (grid.comm == MPI_COMM_NULL) return;
  const int none[] = {0, 0};
  MPI_Cart_sub(grid.comm, none, &point);
  expect_point(point);
  MPI_Comm_free(&point);
}

void copies(const Grid& grid) {
  MPI_Comm copy, part;
  MPI_Comm_dup(grid.comm, &copy);
  MPI_Comm_split(grid.comm, 0, 0, &part);
  EXPECT(kind_of(part) == MPI_UNDEFINED && kind_of(MPI_COMM_WORLD) == MPI_UNDEFINED);
  expect_places(grid, copy);
  MPI_Comm_free(&copy);
  MPI_Comm_free(&part);
}

void maps() {
  int dims[] = {g_size, 1}, rank = -1;
  const int periods[] = {0, 0};
  MPI_Cart_map(MPI_COMM_WORLD, 2, dims, periods, &rank);
  EXPECT(rank == g_rank);
  MPI_Cart_map(MPI_COMM_WORLD, 1, &dims[1], periods, &rank);
  EXPECT(rank == (g_rank == 0 ? 0 : MPI_UNDEFINED));
}

void refused(const Grid& grid) {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm made;
  int out[2], periods[] = {0, 0};
  const auto create = [&](int ndims, std::vector<int> dims) {
    return error_class(MPI_Cart_create(MPI_COMM_WORLD, ndims, dims.data(), periods, 0, &made));
  };
  made = MPI_COMM_WORLD;
  EXPECT(create(1, {g_size + 1}) == MPI_ERR_DIMS && made == MPI_COMM_NULL);
  EXPECT(create(2, {65536, 65536}) == MPI_ERR_DIMS);
  EXPECT(create(2, {1, 0}) == MPI_ERR_DIMS);
  EXPECT(create(2, {-1, -1}) == MPI_ERR_DIMS);
  EXPECT(create(-1, {1}) == MPI_ERR_DIMS);
  EXPECT(error_class(MPI_Cart_create(MPI_COMM_WORLD, 1, nullptr, periods, 0, &made)) == MPI_ERR_ARG);
  EXPECT(error_class(MPI_Cart_shift(MPI_COMM_WORLD, 0, 1, out, out)) == MPI_ERR_TOPOLOGY);
  EXPECT(error_class(MPI_Cartdim_get(MPI_COMM_WORLD, out)) == MPI_ERR_TOPOLOGY);
  EXPECT(error_class(MPI_Cart_sub(MPI_COMM_WORLD, periods, &made)) == MPI_ERR_TOPOLOGY);
  if (grid.comm == MPI_COMM_NULL) return;
  MPI_Comm_set_errhandler(grid.comm, MPI_ERRORS_RETURN);
  const int outside[] = {0, 2}, below[] = {0, -1};
  EXPECT(error_class(MPI_Cart_rank(grid.comm, outside, out)) == MPI_ERR_ARG);
  EXPECT(error_class(MPI_Cart_rank(grid.comm, below, out)) == MPI_ERR_ARG);
  EXPECT(error_class(MPI_Cart_rank(grid.comm, nullptr, out)) == MPI_ERR_ARG);
  EXPECT(error_class(MPI_Cart_coords(grid.comm, grid.dims[0] * 2, 2, out)) == MPI_ERR_RANK);
  EXPECT(error_class(MPI_Cart_coords(grid.comm, -1, 2, out)) == MPI_ERR_RANK);
  EXPECT(error_class(MPI_Cart_coords(grid.comm, 0, 1, out)) == MPI_ERR_ARG);
  EXPECT(error_class(MPI_Cart_get(grid.comm, 1, out, out, out)) == MPI_ERR_ARG);
  EXPECT(error_class(MPI_Cart_get(grid.comm, -1, out, out, out)) == MPI_ERR_ARG);
  EXPECT(error_class(MPI_Cart_shift(grid.comm, 2, 1, out, out)) == MPI_ERR_DIMS);
  EXPECT(error_class(MPI_Cart_shift(grid.comm, -1, 1, out, out)) == MPI_ERR_DIMS);
  EXPECT(error_class(MPI_Graphdims_get(grid.comm, out, out)) == MPI_ERR_TOPOLOGY);
}

// Of grids that differ in sizes or periods none is made; MPI_COMM_WORLD is as good as before.
void grids_that_differ() {
  const int odd = g_rank % 2, all[] = {g_size, 1}, other[] = {1, g_size}, periods[] = {0, 0}, ring[] = {odd, 0};
  MPI_Comm made = MPI_COMM_WORLD;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  EXPECT(error_class(MPI_Cart_create(MPI_COMM_WORLD, 2, odd ? other : all, periods, 0, &made)) == MPI_ERR_TOPOLOGY);
  EXPECT(made == MPI_COMM_NULL);
  EXPECT(error_class(MPI_Cart_create(MPI_COMM_WORLD, 2, all, ring, 0, &made)) == MPI_ERR_TOPOLOGY);
  EXPECT(made == MPI_COMM_NULL);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  EXPECT(MPI_Cart_create(MPI_COMM_WORLD, 2, all, periods, 0, &made) == MPI_SUCCESS);
  MPI_Comm_free(&made);
}

}  // namespace

int main(int argc, char** argv) {
  Mpi mpi(argc, argv);
  grids_that_differ();
  {
    const Grid grid;
    points(grid);
    maps();
    refused(grid);
    if (grid.comm != MPI_COMM_NULL) {
      expect_places(grid, grid.comm);
      shifts(grid);
      parts(grid);
      copies(grid);
    }
  }
  Report report;
  report.line("grid of %d", g_size / 2 * 2);
  report.print();
}
