// Counts, displacements and sizes beyond 2^31, with little memory: types without data, types that are only looked at,
// and buffers of which next to nothing is touched.
#include <sys/mman.h>

#include <climits>

#include "testing.hpp"

using mpi_test::g_rank;
using mpi_test::g_size;

namespace {

constexpr MPI_Count kMany = 3'000'000'000;

int class_of(int code) {
  int error_class = MPI_SUCCESS;
  MPI_Error_class(code, &error_class);
  return error_class;
}

// Addresses; memory there is where it is touched.
class Room {
 public:
  explicit Room(size_t bytes) : bytes_(bytes) {
    void* at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    EXPECT(at != MAP_FAILED);
    base_ = static_cast<char*>(at);
  }
  ~Room() { munmap(base_, bytes_); }
  Room(const Room&) = delete;
  Room& operator=(const Room&) = delete;
  char* at(MPI_Count offset) const { return base_ + offset; }

 private:
  size_t bytes_;
  char* base_;
};

MPI_Datatype committed(MPI_Datatype type) {
  MPI_Type_commit(&type);
  return type;
}

MPI_Datatype empty_type() {
  MPI_Datatype type;
  MPI_Type_contiguous(0, MPI_INT, &type);
  return committed(type);
}

// One byte, and the next in the same place.
MPI_Datatype still_type() {
  MPI_Datatype type;
  MPI_Type_create_resized_c(MPI_CHAR, 0, 0, &type);
  return committed(type);
}

struct Made {
  int combiner;
  std::vector<int> integers;
  std::vector<MPI_Count> counts;
};

// What a type was made from; frees the type.
Made decode(MPI_Datatype type) {
  MPI_Count integers = 0, addresses = 0, counts = 0, types = 0;
  Made made{};
  MPI_Type_get_envelope_c(type, &integers, &addresses, &counts, &types, &made.combiner);
  EXPECT(addresses == 0);
  int short_integers = 0, short_addresses = 0, short_types = 0, combiner = 0;
  MPI_Type_get_envelope(type, &short_integers, &short_addresses, &short_types, &combiner);
  EXPECT(short_integers == integers && short_addresses == 0 && short_types == types && combiner == made.combiner);
  made.integers.resize(static_cast<size_t>(integers));
  made.counts.resize(static_cast<size_t>(counts));
  std::vector<MPI_Datatype> of(static_cast<size_t>(types));
  std::vector<MPI_Aint> none(9);
  EXPECT(MPI_Type_get_contents_c(type, integers, 0, counts, types, made.integers.data(), none.data(),
                                 made.counts.data(), of.data()) == MPI_SUCCESS);
  EXPECT(MPI_Type_get_contents_c(type, integers, 0, counts - 1, types, made.integers.data(), none.data(),
                                 made.counts.data(), of.data()) != MPI_SUCCESS);
  int room[9];
  EXPECT(class_of(MPI_Type_get_contents(type, 9, 9, 9, room, none.data(), of.data())) == MPI_ERR_TYPE);
  MPI_Type_free(&type);
  return made;
}

void sizes_of_types() {
  MPI_Datatype type;
  MPI_Type_contiguous_c(kMany, MPI_CHAR, &type);
  int size = 0;
  MPI_Count large_size = 0, lb = 0, extent = 0;
  MPI_Type_size(type, &size);
  MPI_Type_size_c(type, &large_size);
  EXPECT(size == MPI_UNDEFINED && large_size == kMany);
  MPI_Type_get_extent_c(type, &lb, &extent);
  EXPECT(lb == 0 && extent == kMany);
  const Made made = decode(type);
  EXPECT(made.combiner == MPI_COMBINER_CONTIGUOUS && made.counts == std::vector{kMany} && made.integers.empty());
  EXPECT(class_of(MPI_Type_contiguous_c(LONG_MAX, MPI_INT, &type)) == MPI_ERR_TYPE);
  EXPECT(class_of(MPI_Type_contiguous_c(-1, MPI_INT, &type)) == MPI_ERR_COUNT);
}

void what_types_are_made_from() {
  MPI_Datatype type;
  const MPI_Count lengths[] = {1, kMany}, places[] = {0, kMany};
  const MPI_Datatype types[] = {MPI_CHAR, MPI_INT};
  using List = std::vector<MPI_Count>;
  MPI_Type_vector_c(2, 3, kMany, MPI_INT, &type);
  EXPECT((decode(type).counts == List{2, 3, kMany}));
  MPI_Type_create_hvector_c(2, 3, kMany, MPI_INT, &type);
  EXPECT((decode(type).counts == List{2, 3, kMany}));
  MPI_Type_indexed_c(2, lengths, places, MPI_CHAR, &type);
  EXPECT((decode(type).counts == List{2, 1, kMany, 0, kMany}));
  MPI_Type_create_hindexed_c(2, lengths, places, MPI_CHAR, &type);
  EXPECT((decode(type).counts == List{2, 1, kMany, 0, kMany}));
  MPI_Type_create_indexed_block_c(2, 7, places, MPI_CHAR, &type);
  EXPECT((decode(type).counts == List{2, 7, 0, kMany}));
  MPI_Type_create_hindexed_block_c(2, 7, places, MPI_CHAR, &type);
  EXPECT((decode(type).counts == List{2, 7, 0, kMany}));
  MPI_Type_create_struct_c(2, lengths, places, types, &type);
  EXPECT((decode(type).counts == List{2, 1, kMany, 0, kMany}));
  MPI_Type_create_resized_c(MPI_INT, -kMany, 2 * kMany, &type);
  EXPECT((decode(type).counts == List{-kMany, 2 * kMany}));
}

void what_arrays_are_made_from() {
  MPI_Datatype type;
  const MPI_Count sizes[] = {kMany, 2}, parts[] = {5, 1}, starts[] = {kMany - 5, 1};
  MPI_Type_create_subarray_c(2, sizes, parts, starts, MPI_ORDER_C, MPI_CHAR, &type);
  MPI_Count lb = 0, extent = 0, true_lb = 0, true_extent = 0;
  MPI_Type_get_extent_c(type, &lb, &extent);
  MPI_Type_get_true_extent_c(type, &true_lb, &true_extent);
  EXPECT(extent == 2 * kMany && true_lb == 2 * kMany - 9 && true_extent == 9);
  Made made = decode(type);
  EXPECT((made.integers == std::vector{2, MPI_ORDER_C}));
  EXPECT((made.counts == std::vector<MPI_Count>{kMany, 2, 5, 1, kMany - 5, 1}));
  const int distribution[] = {MPI_DISTRIBUTE_BLOCK}, argument[] = {MPI_DISTRIBUTE_DFLT_DARG}, grid[] = {2};
  MPI_Type_create_darray_c(2, 1, 1, sizes, distribution, argument, grid, MPI_ORDER_C, MPI_CHAR, &type);
  MPI_Count size = 0;
  MPI_Type_size_c(type, &size);
  EXPECT(size == kMany / 2);
  made = decode(type);
  EXPECT((made.integers == std::vector{2, 1, 1, distribution[0], argument[0], 2, MPI_ORDER_C}));
  EXPECT(made.counts == std::vector{kMany});
}

void statuses() {
  MPI_Status status{};
  EXPECT(MPI_Status_set_elements_c(&status, MPI_INT, kMany) == MPI_SUCCESS);
  int count = 0;
  MPI_Count large = 0;
  MPI_Get_count(&status, MPI_INT, &count);
  MPI_Get_count_c(&status, MPI_INT, &large);
  EXPECT(count == MPI_UNDEFINED && large == kMany);
  MPI_Get_elements(&status, MPI_INT, &count);
  MPI_Get_elements_c(&status, MPI_INT, &large);
  EXPECT(count == MPI_UNDEFINED && large == kMany);
  MPI_Get_count_c(&status, MPI_DOUBLE, &large);
  EXPECT(large == kMany / 2);
  EXPECT(class_of(MPI_Status_set_elements_c(&status, MPI_INT, LONG_MAX)) == MPI_ERR_COUNT);
}

void messages_without_data() {
  const MPI_Datatype empty = empty_type();
  const int right = (g_rank + 1) % g_size, left = (g_rank + g_size - 1) % g_size;
  MPI_Status status;
  MPI_Count got = -1;
  MPI_Sendrecv_c(nullptr, kMany, empty, right, 1, nullptr, 2 * kMany, empty, left, 1, MPI_COMM_WORLD, &status);
  MPI_Get_count_c(&status, empty, &got);
  EXPECT(got == 0);
  MPI_Request requests[2];
  MPI_Recv_init_c(nullptr, kMany, empty, left, 2, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend_c(nullptr, kMany, empty, right, 2, MPI_COMM_WORLD, &requests[1]);
  MPI_Start(&requests[0]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Request_free(&requests[0]);
  MPI_Bcast_c(nullptr, kMany, empty, 0, MPI_COMM_WORLD);
  MPI_Ibcast_c(nullptr, kMany, empty, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  EXPECT(class_of(MPI_Send_c(nullptr, -kMany, empty, right, 1, MPI_COMM_WORLD)) == MPI_ERR_COUNT);
  MPI_Datatype type = empty;
  MPI_Type_free(&type);
}

// Every rank's contribution lies gigabytes from that of the one before.
void far_displacements() {
  const auto n = static_cast<size_t>(g_size);
  const Room room(n * kMany + 1);
  std::vector<MPI_Count> counts(n, 1);
  std::vector<MPI_Aint> places;
  for (size_t i = 0; i < n; ++i) places.push_back(static_cast<MPI_Aint>(i) * kMany);
  const char mine = static_cast<char>('a' + g_rank);
  MPI_Allgatherv_c(&mine, 1, MPI_CHAR, room.at(0), counts.data(), places.data(), MPI_CHAR, MPI_COMM_WORLD);
  for (size_t i = 0; i < n; ++i) EXPECT(*room.at(places[i]) == static_cast<char>('a' + i));
  const std::vector<MPI_Datatype> types(n, MPI_CHAR);
  std::vector<char> back(n);
  std::vector<MPI_Aint> near;
  for (size_t i = 0; i < n; ++i) near.push_back(static_cast<MPI_Aint>(i));
  MPI_Alltoallw_c(room.at(0), counts.data(), places.data(), types.data(), back.data(), counts.data(), near.data(),
                  types.data(), MPI_COMM_WORLD);
  for (const char got : back) EXPECT(got == mine);
}

// Some ranks call the one form, some the other.
void both_forms() {
  const bool is_large = g_rank % 2 == 0;
  int value = g_rank, sum = 0;
  if (is_large) MPI_Bcast_c(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
  else MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
  EXPECT(value == 0);
  MPI_Request request;
  if (is_large) MPI_Iallreduce_c(&g_rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  else MPI_Iallreduce(&g_rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  EXPECT(sum == g_size * (g_size - 1) / 2);
}

void packing() {
  const Room room(kMany + 100);
  const int value = 42;
  int found = 0, short_size = 0;
  MPI_Count position = kMany, size = 0;
  MPI_Pack_c(&value, 1, MPI_INT, room.at(0), kMany + 4, &position, MPI_COMM_WORLD);
  EXPECT(position == kMany + 4);
  EXPECT(class_of(MPI_Pack_c(&value, 1, MPI_INT, room.at(0), kMany + 4, &position, MPI_COMM_WORLD)) ==
         MPI_ERR_TRUNCATE);
  position = kMany;
  MPI_Unpack_c(room.at(0), kMany + 4, &position, &found, 1, MPI_INT, MPI_COMM_WORLD);
  EXPECT(position == kMany + 4 && found == value);
  MPI_Pack_size_c(kMany, MPI_INT, MPI_COMM_WORLD, &size);
  EXPECT(size == 4 * kMany);
  EXPECT(MPI_Pack_size(INT_MAX, MPI_INT, MPI_COMM_WORLD, &short_size) == MPI_SUCCESS && short_size == MPI_UNDEFINED);
  EXPECT(class_of(MPI_Pack_size_c(LONG_MAX, MPI_INT, MPI_COMM_WORLD, &size)) == MPI_ERR_COUNT);
  position = kMany;
  MPI_Pack_external_c("external32", &value, 1, MPI_INT, room.at(0), kMany + 4, &position);
  EXPECT(position == kMany + 4 && *room.at(kMany + 3) == value);
  MPI_Pack_external_size_c("external32", kMany, MPI_INT, &size);
  EXPECT(size == 4 * kMany);
}

void buffered_sends() {
  const Room room(kMany);
  MPI_Buffer_attach_c(room.at(0), kMany);
  void* buffer = nullptr;
  MPI_Count size = 0;
  MPI_Buffer_detach_c(&buffer, &size);
  EXPECT(buffer == room.at(0) && size == kMany);
}

std::vector<MPI_Count> g_lengths;

void note_counts(void*, void*, MPI_Count* n, MPI_Datatype*) { g_lengths.push_back(*n); }
void note_ints(void*, void*, int* n, MPI_Datatype*) { g_lengths.push_back(*n); }
void add_counts(void* in, void* inout, MPI_Count* n, MPI_Datatype*) {
  for (MPI_Count i = 0; i < *n; ++i) static_cast<int*>(inout)[i] += static_cast<int*>(in)[i];
}

// A function whose length is an int is called again for the rest.
void operations() {
  MPI_Datatype still = still_type();
  MPI_Op of_counts, of_ints, sum;
  MPI_Op_create_c(note_counts, 1, &of_counts);
  MPI_Op_create(note_ints, 1, &of_ints);
  MPI_Op_create_c(add_counts, 1, &sum);
  char in = 0, inout = 0;
  MPI_Reduce_local_c(&in, &inout, kMany, still, of_counts);
  EXPECT(g_lengths == std::vector{kMany});
  g_lengths.clear();
  MPI_Reduce_local_c(&in, &inout, kMany, still, of_ints);
  EXPECT((g_lengths == std::vector<MPI_Count>{INT_MAX, kMany - INT_MAX}));
  const int mine[] = {g_rank, 1};
  int all[2];
  MPI_Allreduce_c(mine, all, 2, MPI_INT, sum, MPI_COMM_WORLD);
  EXPECT(all[0] == g_size * (g_size - 1) / 2 && all[1] == g_size);
  for (MPI_Op* op : {&of_counts, &of_ints, &sum}) MPI_Op_free(op);
  MPI_Type_free(&still);
}

void unsupported() {
  char byte = 0;
  EXPECT(class_of(MPI_Put_c(&byte, 1, MPI_CHAR, 0, 0, 1, MPI_CHAR, MPI_WIN_NULL)) == MPI_ERR_UNSUPPORTED_OPERATION);
  EXPECT(class_of(MPI_File_read_c(MPI_FILE_NULL, &byte, 1, MPI_CHAR, MPI_STATUS_IGNORE)) ==
         MPI_ERR_UNSUPPORTED_OPERATION);
}

}  // namespace

int main(int argc, char** argv) {
  mpi_test::Mpi mpi(argc, argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  sizes_of_types();
  what_types_are_made_from();
  what_arrays_are_made_from();
  statuses();
  messages_without_data();
  far_displacements();
  both_forms();
  packing();
  buffered_sends();
  operations();
  unsupported();
  std::printf("rank %d counts beyond %d\n", g_rank, INT_MAX);
  return 0;
}
