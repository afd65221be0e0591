// Cartesian topologies.
#include <algorithm>

#include "../object/comm.hpp"
#include "../object/errors.hpp"
#include "impl.hpp"
#include "topology.hpp"

namespace detmpi {

std::vector<int> Cart::coords_of(int rank) const {
  std::vector<int> coords(ndims());
  for (size_t dim = ndims(); dim-- > 0;) {
    coords[dim] = rank % dims[dim];
    rank /= dims[dim];
  }
  return coords;
}

int Cart::rank_of(const int* coords) const {
  int rank = 0;
  for (size_t dim = 0; dim < ndims(); ++dim) {
    int at = coords[dim];
    if (periodic[dim]) {
      at %= dims[dim];
      if (at < 0) at += dims[dim];
    } else if (at < 0 || at >= dims[dim]) {
      return MPI_PROC_NULL;
    }
    rank = rank * dims[dim] + at;
  }
  return rank;
}

int Cart::shifted(int rank, size_t dim, int64_t distance) const {
  std::vector<int> coords = coords_of(rank);
  const int64_t at = coords[dim] + distance;
  if (!periodic[dim] && (at < 0 || at >= dims[dim])) return MPI_PROC_NULL;
  coords[dim] = static_cast<int>(at % dims[dim]);
  return rank_of(coords.data());
}

namespace {

constexpr const char* kKind = "Cartesian";

// The number of ranks in the grid goes to `nodes`.
int check_grid(const Comm& comm, int ndims, const int dims[], int* nodes) {
  if (const int code = check_can_have_topology(comm); code != MPI_SUCCESS) return code;
  int64_t product = 1;
  for (int dim = 0; dim < ndims; ++dim) {
    if (dims[dim] <= 0) return make_error(MPI_ERR_DIMS, "dims[%d] is %d (must be positive)", dim, dims[dim]);
    product *= dims[dim];
    if (product > comm.size) {
      return make_error(MPI_ERR_DIMS, "the grid has more places than the communicator's %d ranks", comm.size);
    }
  }
  *nodes = static_cast<int>(product);
  return MPI_SUCCESS;
}

int check_room(size_t needed, const char* parameter, int room) {
  if (static_cast<size_t>(room) >= needed) return MPI_SUCCESS;
  return make_error(MPI_ERR_ARG, "%s is %d, but there are %zu dimensions", parameter, room, needed);
}

// For arrays of one element for each dimension, which may be null where there is none.
int check_array(const Cart& cart, const char* parameter, const int* array) {
  if (array != nullptr || cart.ndims() == 0) return MPI_SUCCESS;
  return make_error(MPI_ERR_ARG, "%s is null", parameter);
}

}  // namespace

namespace impl {

int cart_create(Comm& comm_old, int ndims, const int dims[], const int periods[], int, MPI_Comm* comm_cart) {
  int nodes = 0;
  *comm_cart = MPI_COMM_NULL;
  if (const int code = check_grid(comm_old, ndims, dims, &nodes); code != MPI_SUCCESS) return code;
  Cart cart{{dims, dims + ndims}, {}};
  for (int dim = 0; dim < ndims; ++dim) cart.periodic.push_back(periods[dim] != 0);
  std::vector<int> description = cart.dims;
  description.insert(description.end(), cart.periodic.begin(), cart.periodic.end());
  return make_of_first(comm_old, nodes, description, {std::move(cart)}, comm_cart);
}

int cart_map(Comm& comm, int ndims, const int dims[], const int[], int* newrank) {
  int nodes = 0;
  if (const int code = check_grid(comm, ndims, dims, &nodes); code != MPI_SUCCESS) return code;
  *newrank = comm.rank < nodes ? comm.rank : MPI_UNDEFINED;
  return MPI_SUCCESS;
}

int cartdim_get(Comm& comm, int* ndims) {
  const Cart* cart = topology_as<Cart>(comm);
  if (cart == nullptr) return no_topology(comm, kKind);
  *ndims = static_cast<int>(cart->ndims());
  return MPI_SUCCESS;
}

int cart_get(Comm& comm, int maxdims, int dims[], int periods[], int coords[]) {
  const Cart* cart = topology_as<Cart>(comm);
  if (cart == nullptr) return no_topology(comm, kKind);
  if (const int code = check_room(cart->ndims(), "maxdims", maxdims); code != MPI_SUCCESS) return code;
  const std::vector<int> mine = cart->coords_of(comm.rank);
  std::copy(cart->dims.begin(), cart->dims.end(), dims);
  std::copy(cart->periodic.begin(), cart->periodic.end(), periods);
  std::copy(mine.begin(), mine.end(), coords);
  return MPI_SUCCESS;
}

int cart_coords(Comm& comm, int rank, int maxdims, int coords[]) {
  const Cart* cart = topology_as<Cart>(comm);
  if (cart == nullptr) return no_topology(comm, kKind);
  if (const int code = check_rank(comm, "rank", rank); code != MPI_SUCCESS) return code;
  if (const int code = check_room(cart->ndims(), "maxdims", maxdims); code != MPI_SUCCESS) return code;
  const std::vector<int> found = cart->coords_of(rank);
  std::copy(found.begin(), found.end(), coords);
  return MPI_SUCCESS;
}

int cart_rank(Comm& comm, const int coords[], int* rank) {
  const Cart* cart = topology_as<Cart>(comm);
  if (cart == nullptr) return no_topology(comm, kKind);
  if (const int code = check_array(*cart, "coords", coords); code != MPI_SUCCESS) return code;
  const int found = cart->rank_of(coords);
  if (found == MPI_PROC_NULL) {
    return make_error(MPI_ERR_ARG, "the coordinates lie outside of a dimension that is not periodic");
  }
  *rank = found;
  return MPI_SUCCESS;
}

int cart_shift(Comm& comm, int direction, int disp, int* rank_source, int* rank_dest) {
  const Cart* cart = topology_as<Cart>(comm);
  if (cart == nullptr) return no_topology(comm, kKind);
  if (direction < 0 || static_cast<size_t>(direction) >= cart->ndims()) {
    return make_error(MPI_ERR_DIMS, "direction is %d, but there are %zu dimensions", direction, cart->ndims());
  }
  const auto dim = static_cast<size_t>(direction);
  *rank_source = cart->shifted(comm.rank, dim, -int64_t{disp});
  *rank_dest = cart->shifted(comm.rank, dim, disp);
  return MPI_SUCCESS;
}

// Those that agree in the coordinates left out make one communicator.
int cart_sub(Comm& comm, const int remain_dims[], MPI_Comm* newcomm) {
  const Cart* cart = topology_as<Cart>(comm);
  if (cart == nullptr) return no_topology(comm, kKind);
  if (const int code = check_array(*cart, "remain_dims", remain_dims); code != MPI_SUCCESS) return code;
  const std::vector<int> coords = cart->coords_of(comm.rank);
  Cart sub;
  int color = 0, key = 0;
  for (size_t dim = 0; dim < cart->ndims(); ++dim) {
    int& place = remain_dims[dim] != 0 ? key : color;
    place = place * cart->dims[dim] + coords[dim];
    if (remain_dims[dim] == 0) continue;
    sub.dims.push_back(cart->dims[dim]);
    sub.periodic.push_back(cart->periodic[dim]);
  }
  return make_with_topology(comm, color, key, {std::move(sub)}, newcomm);
}

}  // namespace impl
}  // namespace detmpi
