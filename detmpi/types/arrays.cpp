// Types that pick a part of an array of several dimensions: a subarray, or the share of one process in an array that
// is distributed over a grid of processes.
//
// They are built dimension by dimension, from the one whose index runs fastest: a type that picks elements along one
// dimension, with the extent of all of it, is the element of the next.
#include <vector>

#include "../object/errors.hpp"
#include "draft.hpp"
#include "envelope.hpp"
#include "impl.hpp"

namespace detmpi::impl {
namespace {

int check_shape(int ndims, int order) {
  if (ndims < 1) return make_error(MPI_ERR_ARG, "ndims is %d (must be positive)", ndims);
  if (order == MPI_ORDER_C || order == MPI_ORDER_FORTRAN) return MPI_SUCCESS;
  return make_error(MPI_ERR_ARG, "order is %d (must be MPI_ORDER_C or MPI_ORDER_FORTRAN)", order);
}

int check_positive(const char* name, Integers values, int count) {
  constexpr int64_t kMost = int64_t{1} << 61;  // sums of a few cannot overflow
  for (int i = 0; i < count; ++i) {
    if (values[i] >= 1 && values[i] <= kMost) continue;
    return make_error(MPI_ERR_ARG, "%s[%d] is %ld (must be 1 to %ld)", name, i, values[i], kMost);
  }
  return MPI_SUCCESS;
}

// `pick(draft, dimension, element)` adds what is picked along one dimension and sets the bounds.
template <class Pick>
int make_array(int ndims, int order, const Datatype& oldtype, Envelope envelope, Pick pick, MPI_Datatype* newtype) {
  TypeRef element(oldtype);
  for (int i = 0;; ++i) {
    Draft draft;
    pick(draft, order == MPI_ORDER_FORTRAN ? i : ndims - 1 - i, *element);
    if (i == ndims - 1) return draft.make(std::move(envelope), newtype);
    if (const int code = draft.make_part(element)) return code;
  }
}

int check_subarray(int ndims, Integers sizes, Integers subsizes, Integers starts) {
  if (const int code = check_positive("array_of_sizes", sizes, ndims)) return code;
  if (const int code = check_positive("array_of_subsizes", subsizes, ndims)) return code;
  for (int i = 0; i < ndims; ++i) {
    if (subsizes[i] > sizes[i]) {
      return make_error(MPI_ERR_ARG, "array_of_subsizes[%d] is %ld, but the array has %ld elements there", i,
                        subsizes[i], sizes[i]);
    }
    if (starts[i] < 0 || starts[i] > sizes[i] - subsizes[i]) {
      return make_error(MPI_ERR_ARG, "array_of_starts[%d] is %ld (must be 0 to %ld)", i, starts[i],
                        sizes[i] - subsizes[i]);
    }
  }
  return MPI_SUCCESS;
}

// How one dimension of `length` elements is dealt out: blocks of `block` elements, in turn to each process.
struct Share {
  int64_t length;
  int64_t block;
  int64_t processes;
  int64_t position;  // of the process in question
};

int set_block(Share& share, int dimension, int distribution, int argument) {
  const bool by_default = argument == MPI_DISTRIBUTE_DFLT_DARG;
  switch (distribution) {
    case MPI_DISTRIBUTE_NONE:
      if (share.processes == 1) break;
      return make_error(MPI_ERR_ARG, "dimension %d is not distributed, but has %ld processes", dimension,
                        share.processes);
    case MPI_DISTRIBUTE_BLOCK:
    case MPI_DISTRIBUTE_CYCLIC:
      if (by_default || argument > 0) break;
      return make_error(MPI_ERR_ARG, "array_of_dargs[%d] is %d (must be positive)", dimension, argument);
    default: return make_error(MPI_ERR_ARG, "array_of_distribs[%d] is %d, no distribution", dimension, distribution);
  }
  if (distribution == MPI_DISTRIBUTE_NONE) {
    share.block = share.length;
  } else if (!by_default) {
    share.block = argument;
  } else {
    share.block = distribution == MPI_DISTRIBUTE_CYCLIC ? 1 : (share.length + share.processes - 1) / share.processes;
  }
  if (distribution == MPI_DISTRIBUTE_BLOCK && share.block * share.processes < share.length) {
    return make_error(MPI_ERR_ARG, "%ld blocks of array_of_dargs[%d] = %ld elements are fewer than %ld elements",
                      share.processes, dimension, share.block, share.length);
  }
  return MPI_SUCCESS;
}

void add_share(Draft& draft, const Share& share, const Datatype& element) {
  const int64_t last = (share.length - 1) / share.block;
  const int64_t last_length = share.length - last * share.block;
  int64_t whole = (last - share.position + share.processes) / share.processes;
  const bool has_last = last % share.processes == share.position;
  if (has_last) --whole;
  if (whole > 0) {
    draft.add_strided(draft.scaled(share.position * share.block, element.extent), whole, share.block,
                      draft.scaled(share.processes * share.block, element.extent), element);
  }
  if (has_last) draft.add(draft.scaled(last * share.block, element.extent), last_length, element);
  draft.resize(0, draft.scaled(share.length, element.extent));
}

int check_grid(int size, int rank, int ndims, const int psizes[]) {
  if (size < 1) return make_error(MPI_ERR_ARG, "size is %d (must be positive)", size);
  if (rank < 0 || rank >= size) return make_error(MPI_ERR_RANK, "rank is %d (must be 0 to %d)", rank, size - 1);
  if (const int code = check_positive("array_of_psizes", psizes, ndims)) return code;
  int64_t processes = 1;
  for (int i = 0; i < ndims && processes <= size; ++i) processes *= psizes[i];
  if (processes == size) return MPI_SUCCESS;
  return make_error(MPI_ERR_ARG, "the product of array_of_psizes is not size, %d", size);
}

// The last dimension of the grid of processes runs fastest, whatever the order of the array.
void set_positions(std::vector<Share>& shares, int rank) {
  for (size_t i = shares.size(); i-- > 0;) {
    shares[i].position = rank % shares[i].processes;
    rank /= static_cast<int>(shares[i].processes);
  }
}

}  // namespace

int type_create_subarray(int ndims, Integers array_of_sizes, Integers array_of_subsizes, Integers array_of_starts,
                         int order, const Datatype& oldtype, MPI_Datatype* newtype, Form form) {
  if (const int code = check_shape(ndims, order)) return code;
  if (const int code = check_subarray(ndims, array_of_sizes, array_of_subsizes, array_of_starts)) return code;
  ConstructorCall call(MPI_COMBINER_SUBARRAY, form);
  call.plain(ndims);
  for (const Integers list : {array_of_sizes, array_of_subsizes, array_of_starts}) call.integers(list, ndims);
  call.plain(order).type(oldtype);
  const auto pick = [&](Draft& draft, int i, const Datatype& element) {
    draft.add(draft.scaled(array_of_starts[i], element.extent), array_of_subsizes[i], element);
    draft.resize(0, draft.scaled(array_of_sizes[i], element.extent));
  };
  return make_array(ndims, order, oldtype, call.envelope(), pick, newtype);
}

int type_create_darray(int size, int rank, int ndims, Integers array_of_gsizes, const int array_of_distribs[],
                       const int array_of_dargs[], const int array_of_psizes[], int order, const Datatype& oldtype,
                       MPI_Datatype* newtype, Form form) {
  if (const int code = check_shape(ndims, order)) return code;
  if (const int code = check_grid(size, rank, ndims, array_of_psizes)) return code;
  if (const int code = check_positive("array_of_gsizes", array_of_gsizes, ndims)) return code;
  std::vector<Share> shares;
  for (int i = 0; i < ndims; ++i) {
    shares.push_back({array_of_gsizes[i], 0, array_of_psizes[i], 0});
    if (const int code = set_block(shares.back(), i, array_of_distribs[i], array_of_dargs[i])) return code;
  }
  set_positions(shares, rank);
  ConstructorCall call(MPI_COMBINER_DARRAY, form);
  call.plain(size).plain(rank).plain(ndims).integers(array_of_gsizes, ndims);
  for (const int* list : {array_of_distribs, array_of_dargs, array_of_psizes}) call.plain(list, ndims);
  call.plain(order).type(oldtype);
  const auto pick = [&](Draft& draft, int i, const Datatype& element) {
    add_share(draft, shares[static_cast<size_t>(i)], element);
  };
  return make_array(ndims, order, oldtype, call.envelope(), pick, newtype);
}

}  // namespace detmpi::impl
