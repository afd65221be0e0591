// Every checked parameter of every MPI function that the generator of these calls (make_bad_calls.py) knows good
// arguments for: one bad argument gives the class of MPI, through the error handler, and nothing is called.
#include <mpi.h>

#include <catch2/catch.hpp>

#include "object/errors.hpp"
#include "stubs.hpp"

using namespace detmpi;

namespace {

int g_buffer[16], g_other[16];
int g_ints[4] = {1, 1, 1, 1};
const int g_negative[4] = {1, 1, -1, 1};
MPI_Count g_large[4] = {1, 1, 1, 1};
const MPI_Count g_negative_large[4] = {1, 1, -1, 1};
MPI_Aint g_aints[4];
MPI_Datatype g_types[4] = {MPI_INT, MPI_INT, MPI_INT, MPI_INT};
MPI_Datatype g_bad_types[4] = {MPI_INT, MPI_INT, MPI_DATATYPE_NULL, MPI_INT};
[[maybe_unused]] MPI_Request g_requests[1] = {
    MPI_REQUEST_NULL};  // where the table has a function that is called with it
MPI_Message g_message = MPI_MESSAGE_NULL;
MPI_Status g_status;
char g_text[MPI_MAX_ERROR_STRING];
constexpr MPI_Comm g_freed_comm = static_cast<MPI_Comm>(0x84000077);
MPI_Datatype g_uncommitted, g_freed_type;

template <typename T>
T* room_for() {
  static T room;
  return &room;
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

}  // namespace

TEST_CASE("Every bad argument gives its class through the error handler") {
  World world(1, 4);
  MPI_Type_contiguous(2, MPI_INT, &g_uncommitted);
  MPI_Type_dup(MPI_INT, &g_freed_type);
  MPI_Datatype freed = g_freed_type;
  MPI_Type_free(&freed);
  MPI_Errhandler own;
  MPI_Comm_create_errhandler(handler, &own);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, own);
  take_stub();
  REQUIRE(std::size(kBadCalls) > 1000);
  for (const BadCall& bad : kBadCalls) {
    INFO(bad.what);
    g_handled = MPI_SUCCESS;
    const int code = bad.run();
    CHECK(error_class_of(code) == bad.error_class);
    CHECK(g_handled == code);
    CHECK(take_stub().empty());
  }
}
