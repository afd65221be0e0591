// The generated entry points: each kind of bad argument is refused, good calls reach their implementation.
#include <mpi.h>

#include <catch2/catch.hpp>

#include "object/call.hpp"
#include "object/comm.hpp"
#include "object/errors.hpp"
#include "stubs.hpp"

using namespace detmpi;

namespace {

struct Returning : World {
  Returning() : World(1, 4) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    take_stub();
  }
};

// The class of the error; nothing was called.
int refused(int code) {
  REQUIRE(take_stub().empty());
  return error_class_of(code);
}

int buffer[16];
const MPI_Comm kWorld = MPI_COMM_WORLD;

}  // namespace

TEST_CASE_METHOD(Returning, "A good call reaches its implementation once") {
  REQUIRE(MPI_Send(buffer, 1, MPI_INT, 2, 0, kWorld) == MPI_SUCCESS);
  REQUIRE(take_stub() == "Send");
  REQUIRE(PMPI_Recv(buffer, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, kWorld, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  REQUIRE(take_stub() == "Recv");
  REQUIRE(MPI_Send(nullptr, 0, MPI_INT, 2, 0, kWorld) == MPI_SUCCESS);
  REQUIRE(MPI_Send(nullptr, 3, MPI_INT, MPI_PROC_NULL, 0, kWorld) == MPI_SUCCESS);
  REQUIRE(take_stub() == "Send Send");
}

TEST_CASE_METHOD(Returning, "Bad arguments of point-to-point calls") {
  MPI_Request request;
  REQUIRE(refused(MPI_Send(buffer, 1, MPI_INT, 0, 0, MPI_COMM_NULL)) == MPI_ERR_COMM);
  REQUIRE(refused(MPI_Send(buffer, 1, MPI_INT, 0, 0, 0x12345)) == MPI_ERR_COMM);
  REQUIRE(refused(MPI_Send(buffer, -1, MPI_INT, 0, 0, kWorld)) == MPI_ERR_COUNT);
  REQUIRE(refused(MPI_Send(nullptr, 1, MPI_INT, 0, 0, kWorld)) == MPI_ERR_BUFFER);
  REQUIRE(refused(MPI_Send(buffer, 1, MPI_DATATYPE_NULL, 0, 0, kWorld)) == MPI_ERR_TYPE);
  REQUIRE(refused(MPI_Send(buffer, 1, 0x4c000177, 0, 0, kWorld)) == MPI_ERR_TYPE);
  REQUIRE(refused(MPI_Send(buffer, 1, MPI_INT, 4, 0, kWorld)) == MPI_ERR_RANK);
  REQUIRE(refused(MPI_Send(buffer, 1, MPI_INT, MPI_ANY_SOURCE, 0, kWorld)) == MPI_ERR_RANK);
  REQUIRE(refused(MPI_Send(buffer, 1, MPI_INT, 0, MPI_ANY_TAG, kWorld)) == MPI_ERR_TAG);
  REQUIRE(refused(MPI_Recv(buffer, 1, MPI_INT, -7, 0, kWorld, MPI_STATUS_IGNORE)) == MPI_ERR_RANK);
  REQUIRE(refused(MPI_Recv(buffer, 1, MPI_INT, 0, -2, kWorld, MPI_STATUS_IGNORE)) == MPI_ERR_TAG);
  REQUIRE(refused(MPI_Recv(buffer, 1, MPI_INT, 0, 0, kWorld, nullptr)) == MPI_ERR_ARG);
  REQUIRE(refused(MPI_Isend(buffer, 1, MPI_INT, 0, 0, kWorld, nullptr)) == MPI_ERR_ARG);
  REQUIRE(refused(MPI_Waitall(-1, &request, MPI_STATUSES_IGNORE)) == MPI_ERR_COUNT);
  REQUIRE(refused(MPI_Waitall(1, nullptr, MPI_STATUSES_IGNORE)) == MPI_ERR_REQUEST);
  REQUIRE(refused(MPI_Wait(nullptr, MPI_STATUS_IGNORE)) == MPI_ERR_REQUEST);
  REQUIRE(MPI_Waitall(0, nullptr, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
}

TEST_CASE_METHOD(Returning, "A type must be committed for communication") {
  MPI_Datatype type;
  MPI_Type_contiguous(2, MPI_INT, &type);
  REQUIRE(refused(MPI_Send(buffer, 1, type, 0, 0, kWorld)) == MPI_ERR_TYPE);
  MPI_Type_commit(&type);
  REQUIRE(MPI_Send(buffer, 1, type, 0, 0, kWorld) == MPI_SUCCESS);
  MPI_Datatype freed = type;
  MPI_Type_free(&type);
  take_stub();
  REQUIRE(refused(MPI_Send(buffer, 1, freed, 0, 0, kWorld)) == MPI_ERR_TYPE);
}

TEST_CASE_METHOD(Returning, "Arguments that are significant at the root alone are checked there alone") {
  // The caller is rank 1.
  REQUIRE(MPI_Gather(buffer, 1, MPI_INT, nullptr, -9, MPI_DATATYPE_NULL, 0, kWorld) == MPI_SUCCESS);
  REQUIRE(take_stub() == "Gather");
  REQUIRE(refused(MPI_Gather(buffer, 1, MPI_INT, buffer, -9, MPI_INT, 1, kWorld)) == MPI_ERR_COUNT);
  REQUIRE(refused(MPI_Gather(buffer, 1, MPI_INT, buffer, 1, MPI_DATATYPE_NULL, 1, kWorld)) == MPI_ERR_TYPE);
  REQUIRE(refused(MPI_Gather(buffer, 1, MPI_INT, buffer, 1, MPI_INT, 4, kWorld)) == MPI_ERR_ROOT);
  REQUIRE(refused(MPI_Bcast(buffer, 1, MPI_INT, -1, kWorld)) == MPI_ERR_ROOT);
  REQUIRE(refused(MPI_Gatherv(buffer, 1, MPI_INT, buffer, nullptr, nullptr, MPI_INT, 1, kWorld)) == MPI_ERR_ARG);
  const int counts[4] = {1, 1, -1, 1};
  REQUIRE(refused(MPI_Gatherv(buffer, 1, MPI_INT, buffer, counts, counts, MPI_INT, 1, kWorld)) == MPI_ERR_COUNT);
  REQUIRE(MPI_Gatherv(buffer, 1, MPI_INT, nullptr, nullptr, nullptr, MPI_INT, 0, kWorld) == MPI_SUCCESS);
}

TEST_CASE_METHOD(Returning, "With MPI_IN_PLACE count and type of the buffer are ignored") {
  REQUIRE(MPI_Allgather(MPI_IN_PLACE, -9, MPI_DATATYPE_NULL, buffer, 1, MPI_INT, kWorld) == MPI_SUCCESS);
  REQUIRE(MPI_Scatter(buffer, 1, MPI_INT, MPI_IN_PLACE, -9, MPI_DATATYPE_NULL, 1, kWorld) == MPI_SUCCESS);
  REQUIRE(MPI_Allreduce(MPI_IN_PLACE, buffer, 1, MPI_INT, MPI_SUM, kWorld) == MPI_SUCCESS);
  REQUIRE(take_stub() == "Allgather Scatter Allreduce");
  REQUIRE(refused(MPI_Allgather(buffer, -9, MPI_INT, buffer, 1, MPI_INT, kWorld)) == MPI_ERR_COUNT);
}

TEST_CASE_METHOD(Returning, "An operation must be defined on the type") {
  REQUIRE(refused(MPI_Allreduce(buffer, buffer + 8, 1, MPI_DOUBLE, MPI_BAND, kWorld)) == MPI_ERR_OP);
  REQUIRE(refused(MPI_Allreduce(buffer, buffer + 8, 1, MPI_INT, MPI_MINLOC, kWorld)) == MPI_ERR_OP);
  REQUIRE(refused(MPI_Allreduce(buffer, buffer + 8, 1, MPI_INT, MPI_OP_NULL, kWorld)) == MPI_ERR_OP);
  REQUIRE(MPI_Allreduce(buffer, buffer + 8, 1, MPI_DOUBLE_INT, MPI_MINLOC, kWorld) == MPI_SUCCESS);
}

TEST_CASE_METHOD(Returning, "Errors go to the handler of the call's own communicator") {
  Comm& other = comm_register(MPI_COMM_NULL, 7, 0, {1, 2});
  comm_inherit(*g_comm_world, other);
  REQUIRE(refused(MPI_Send(buffer, 1, MPI_INT, 2, 0, other.handle)) == MPI_ERR_RANK);
  comm_close(other);
}

TEST_CASE_METHOD(Returning, "The clock advances by one in every call but those allowed outside") {
  const uint64_t before = g_clock;
  int value;
  MPI_Send(buffer, 1, MPI_INT, 2, 0, kWorld);
  MPI_Comm_rank(kWorld, &value);
  REQUIRE(g_clock == before + 2);
  MPI_Initialized(&value);
  MPI_Error_class(0, &value);
  REQUIRE(g_clock == before + 2);
}

TEST_CASE_METHOD(Returning, "Without checks a bad argument reaches the implementation") {
  g_checks = false;
  REQUIRE(MPI_Send(buffer, -1, MPI_INT, 99, -5, kWorld) == MPI_SUCCESS);
  g_checks = true;
  REQUIRE(take_stub() == "Send");
}
