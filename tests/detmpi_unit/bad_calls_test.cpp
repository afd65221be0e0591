// Every parameter of every MPI function: one bad argument gives the class of MPI, through the error handler, and
// nothing is called. The calls are generated (make_bad_calls.py).
#include <mpi.h>

#include <catch2/catch.hpp>

#include "object/comm.hpp"
#include "object/errors.hpp"
#include "object/session.hpp"
#include "stubs.hpp"
#include "topo/topology.hpp"

using namespace detmpi;

namespace {

int g_buffer[16], g_other[16];
int g_ints[4] = {1, 1, 1, 1};
MPI_Count g_ints_large[4] = {1, 1, 1, 1};
MPI_Aint g_ints_distances[4] = {1, 1, 1, 1};
const int g_negative[4] = {1, 1, -1, 1};
const MPI_Count g_negative_large[4] = {1, 1, -1, 1};
const MPI_Count g_too_long_large[4] = {1, 1, MPI_Count{1} << 61, 1};
int g_ranges[1][3];
MPI_Datatype g_types[4] = {MPI_INT, MPI_INT, MPI_INT, MPI_INT};
MPI_Datatype g_bad_types[4] = {MPI_INT, MPI_INT, MPI_DATATYPE_NULL, MPI_INT};
MPI_Request g_requests[1] = {MPI_REQUEST_NULL};
char g_text[MPI_MAX_ERROR_STRING];
constexpr MPI_Comm g_freed_comm = static_cast<MPI_Comm>(0x84000077);
MPI_Datatype g_uncommitted, g_freed_type;
MPI_Info g_info;
MPI_Errhandler g_errhandler;
MPI_Session g_session;

template <typename T>
T* room_for() {
  static T room;
  return &room;
}

template <typename T>
T* at(T value) {
  *room_for<T>() = value;
  return room_for<T>();
}

// Never called.
template <typename Function>
Function* any_function() {
  return reinterpret_cast<Function*>(g_buffer);
}

struct BadCall {
  const char* what;
  int error_class;
  int (*run)();
};

const BadCall kBadCalls[] = {
#include "bad_calls.inc"
};

int g_handled = 0;
void handler(MPI_Comm*, int* code, ...) { g_handled = *code; }

// Rank 1 of 4, which a graph connects with the others, and objects of each kind.
struct Objects : World {
  Objects() : World(1, 4) {
    const auto graph = DistGraph{{{0, 2, 3}, {}}, {{3, 2, 0}, {}}, false};
    g_comm_world->topology = std::make_shared<const Topology>(Topology{graph});
    MPI_Type_contiguous(2, MPI_INT, &g_uncommitted);
    MPI_Type_dup(MPI_INT, &g_freed_type);
    MPI_Datatype freed = g_freed_type;
    MPI_Type_free(&freed);
    MPI_Info_create(&g_info);
    MPI_Comm_create_errhandler(handler, &g_errhandler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, g_errhandler);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, g_errhandler);
    g_session = session_open(*errhandler_from(g_errhandler)).handle;
  }
};

}  // namespace

TEST_CASE_METHOD(Objects, "Every bad argument gives its class through the error handler") {
  take_stub();
  REQUIRE(std::size(kBadCalls) > 3500);
  for (const BadCall& bad : kBadCalls) {
    INFO(bad.what);
    g_handled = MPI_SUCCESS;
    const int code = bad.run();
    CHECK(error_class_of(code) == bad.error_class);
    CHECK(g_handled == code);
    CHECK(take_stub().empty());
  }
}
