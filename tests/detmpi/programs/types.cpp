// Derived datatypes across the wire: sent as one type, received as another with the same elements; what lies
// in the gaps stays. Messages are short and long, so that elements are cut at the borders of pieces.
#include "testing.hpp"

#include <cstddef>

using namespace mpi_test;

namespace {

MPI_Datatype committed(MPI_Datatype type) {
  MPI_Type_commit(&type);
  return type;
}

int value_of(int rank, int i) { return rank * 1000003 + i * 17; }

// Sends `count` of `sent`, receives as `count2` of `received`; `sent_at(i)` and `received_at(i)` are the
// indices in ints of the i-th element of the message.
template <typename SentAt, typename ReceivedAt>
void exchange(MPI_Datatype sent, int count, MPI_Datatype received, int count2, int elements, int span, SentAt sent_at,
              ReceivedAt received_at) {
  std::vector<int> out(static_cast<size_t>(span), -1), in(static_cast<size_t>(span), -7);
  for (int i = 0; i < elements; ++i) out[static_cast<size_t>(sent_at(i))] = value_of(g_rank, i);
  std::vector<int> wanted(static_cast<size_t>(span), -7);
  for (int i = 0; i < elements; ++i) wanted[static_cast<size_t>(received_at(i))] = value_of(left(), i);
  MPI_Status status;
  // Posted first, unexpected, probed first.
  for (int way = 0; way < 3; ++way) {
    std::fill(in.begin(), in.end(), -7);
    MPI_Request send, receive;
    if (way == 0) {
      MPI_Irecv(in.data(), count2, received, left(), way, MPI_COMM_WORLD, &receive);
      MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Isend(out.data(), count, sent, right(), way, MPI_COMM_WORLD, &send);
    if (way == 2) {
      MPI_Message found;
      MPI_Mprobe(left(), way, MPI_COMM_WORLD, &found, &status);
      EXPECT(count_of(status, MPI_INT) == elements);
      MPI_Mrecv(in.data(), count2, received, &found, &status);
    } else if (way == 1) {
      MPI_Recv(in.data(), count2, received, left(), way, MPI_COMM_WORLD, &status);
    } else {
      MPI_Wait(&receive, &status);
    }
    EXPECT(in == wanted);
    EXPECT(count_of(status, received) == count2);
    int ints = 0;
    MPI_Get_elements(&status, MPI_INT, &ints);
    EXPECT(ints == elements);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
  }
}

// A column of a matrix.
void vectors(int rows) {
  constexpr int kColumns = 5;
  MPI_Datatype column;
  MPI_Type_vector(rows, 1, kColumns, MPI_INT, &column);
  column = committed(column);
  const auto strided = [](int i) { return i * kColumns; };
  const auto flat = [](int i) { return i; };
  exchange(column, 1, column, 1, rows, rows * kColumns, strided, strided);
  exchange(column, 1, MPI_INT, rows, rows, rows * kColumns, strided, flat);
  exchange(MPI_INT, rows, column, 1, rows, rows * kColumns, flat, strided);
  // All columns: a transposition.
  MPI_Datatype narrow;
  MPI_Type_create_resized(column, 0, sizeof(int), &narrow);
  narrow = committed(narrow);
  exchange(
      narrow, kColumns, MPI_INT, rows * kColumns, rows * kColumns, rows * kColumns,
      [rows](int i) { return i % rows * kColumns + i / rows; }, flat);
  MPI_Type_free(&column);
  MPI_Type_free(&narrow);
}

void indexed(int count) {
  const int lengths[] = {2, 0, 1, 3};
  const int displacements[] = {6, 0, 0, 2};
  const int order[] = {6, 7, 0, 2, 3, 4};
  MPI_Datatype type, wide;
  MPI_Type_indexed(4, lengths, displacements, MPI_INT, &type);
  type = committed(type);
  MPI_Type_create_resized(type, 0, 9 * sizeof(int), &wide);
  wide = committed(wide);
  const auto scattered = [&](int i) { return i / 6 * 9 + order[i % 6]; };
  const auto flat = [](int i) { return i; };
  exchange(wide, count, wide, count, 6 * count, 9 * count, scattered, scattered);
  exchange(wide, count, MPI_INT, 6 * count, 6 * count, 9 * count, scattered, flat);
  exchange(MPI_INT, 6 * count, wide, count, 6 * count, 9 * count, flat, scattered);
  MPI_Type_free(&type);
  MPI_Type_free(&wide);
}

struct Particle {
  char kind;
  double place[3];
  short cell;
  int charge;
};

MPI_Datatype particle_type() {
  const int lengths[] = {1, 3, 1, 1};
  const MPI_Aint displacements[] = {offsetof(Particle, kind), offsetof(Particle, place), offsetof(Particle, cell),
                                    offsetof(Particle, charge)};
  const MPI_Datatype types[] = {MPI_CHAR, MPI_DOUBLE, MPI_SHORT, MPI_INT};
  MPI_Datatype packed, type;
  MPI_Type_create_struct(4, lengths, displacements, types, &packed);
  MPI_Type_create_resized(packed, 0, sizeof(Particle), &type);
  MPI_Type_free(&packed);
  return committed(type);
}

void structs(int count) {
  MPI_Datatype type = particle_type();
  int size = 0;
  MPI_Type_size(type, &size);
  EXPECT(size == 1 + 24 + 2 + 4);
  std::vector<Particle> out(static_cast<size_t>(count)), in(static_cast<size_t>(count));
  for (int i = 0; i < count; ++i) {
    out[static_cast<size_t>(i)] = {
        static_cast<char>('a' + i % 26), {i + 0.5, i * 2.0, g_rank * 1.0}, static_cast<short>(i % 30000), i ^ g_rank};
  }
  MPI_Status status;
  MPI_Sendrecv(out.data(), count, type, right(), 9, in.data(), count, type, left(), 9, MPI_COMM_WORLD, &status);
  EXPECT(count_of(status, type) == count);
  for (int i = 0; i < count; ++i) {
    const Particle& p = in[static_cast<size_t>(i)];
    EXPECT(p.kind == 'a' + i % 26 && p.place[0] == i + 0.5 && p.place[1] == i * 2.0 && p.place[2] == left());
    EXPECT(p.cell == i % 30000 && p.charge == (i ^ left()));
  }
  MPI_Sendrecv_replace(in.data(), count, type, left(), 10, right(), 10, MPI_COMM_WORLD, &status);
  for (int i = 0; i < count; ++i) EXPECT(in[static_cast<size_t>(i)].charge == (i ^ g_rank));
  MPI_Type_free(&type);
}

// A datatype may be freed while a message of it is under way.
void freed_early() {
  MPI_Datatype column;
  MPI_Type_vector(1000, 1, 3, MPI_INT, &column);
  column = committed(column);
  std::vector<int> out(3000), in(3000, -1);
  for (int i = 0; i < 3000; ++i) out[static_cast<size_t>(i)] = g_rank + i;
  MPI_Request requests[2];
  MPI_Irecv(in.data(), 1, column, left(), 11, MPI_COMM_WORLD, &requests[0]);
  MPI_Issend(out.data(), 1, column, right(), 11, MPI_COMM_WORLD, &requests[1]);
  MPI_Type_free(&column);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < 3000; ++i) EXPECT(in[static_cast<size_t>(i)] == (i % 3 == 0 && i < 3000 ? left() + i : -1));
}

// More elements than were sent are not touched; a part of an element counts as undefined.
void partial() {
  MPI_Datatype pair;
  MPI_Type_contiguous(2, MPI_INT, &pair);
  pair = committed(pair);
  int out[3] = {1, 2, 3};
  int in[8] = {9, 9, 9, 9, 9, 9, 9, 9};
  MPI_Status status;
  MPI_Sendrecv(out, 3, MPI_INT, right(), 12, in, 4, pair, left(), 12, MPI_COMM_WORLD, &status);
  EXPECT(in[0] == 1 && in[2] == 3 && in[3] == 9);
  EXPECT(count_of(status, pair) == MPI_UNDEFINED && count_of(status, MPI_INT) == 3);
  int elements = 0;
  MPI_Get_elements(&status, pair, &elements);
  EXPECT(elements == 3);
  MPI_Type_free(&pair);
}

}  // namespace

int main(int argc, char** argv) {
  Mpi mpi(argc, argv);
  for (const int rows : {1, 7, 9, 1000, 30000}) vectors(rows);
  for (const int count : {1, 2, 500, 20000}) indexed(count);
  for (const int count : {0, 1, 3, 2000}) structs(count);
  freed_early();
  partial();
  if (g_rank == 0) std::puts("same elements");
}
