// Statuses and files between C and Fortran.
#include <mpi.h>

#include <catch2/catch.hpp>

#include "object/errors.hpp"
#include "stubs.hpp"

using namespace detmpi;

namespace {

struct Returning : World {
  Returning() { MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN); }
};

bool same(const MPI_Status& a, const MPI_Status& b) {
  return a.count_lo == b.count_lo && a.count_hi_and_cancelled == b.count_hi_and_cancelled &&
         a.MPI_SOURCE == b.MPI_SOURCE && a.MPI_TAG == b.MPI_TAG && a.MPI_ERROR == b.MPI_ERROR;
}

const MPI_Status kStatus = {100, 3, 7, 12, MPI_ERR_TRUNCATE};

}  // namespace

TEST_CASE("A status keeps its fields in Fortran") {
  MPI_Fint fields[MPI_F_STATUS_SIZE];
  MPI_F08_status type;
  MPI_Status back = {};
  REQUIRE(MPI_Status_c2f(&kStatus, fields) == MPI_SUCCESS);
  CHECK(fields[MPI_F_SOURCE] == 7);
  CHECK(fields[MPI_F_TAG] == 12);
  CHECK(fields[MPI_F_ERROR] == MPI_ERR_TRUNCATE);
  REQUIRE(MPI_Status_f2f08(fields, &type) == MPI_SUCCESS);
  CHECK(type.MPI_SOURCE == 7);
  REQUIRE(MPI_Status_f082c(&type, &back) == MPI_SUCCESS);
  CHECK(same(back, kStatus));
}

TEST_CASE("and comes back the other way") {
  MPI_Fint fields[MPI_F_STATUS_SIZE];
  MPI_F08_status type;
  MPI_Status back = {};
  REQUIRE(MPI_Status_c2f08(&kStatus, &type) == MPI_SUCCESS);
  REQUIRE(MPI_Status_f082f(&type, fields) == MPI_SUCCESS);
  REQUIRE(MPI_Status_f2c(fields, &back) == MPI_SUCCESS);
  CHECK(same(back, kStatus));
}

TEST_CASE_METHOD(Returning, "A special status has nothing to convert") {
  MPI_Fint fields[MPI_F_STATUS_SIZE];
  MPI_Status back = {};
  CHECK(error_class_of(MPI_Status_f2c(MPI_F_STATUS_IGNORE, &back)) == MPI_ERR_ARG);
  CHECK(error_class_of(MPI_Status_f082c(MPI_F08_STATUSES_IGNORE, &back)) == MPI_ERR_ARG);
  CHECK(error_class_of(MPI_Status_c2f(MPI_STATUS_IGNORE, fields)) == MPI_ERR_ARG);
  CHECK(error_class_of(MPI_Status_c2f(nullptr, fields)) == MPI_ERR_ARG);
  CHECK(error_class_of(MPI_Status_c2f(&kStatus, nullptr)) == MPI_ERR_ARG);
}

TEST_CASE("Handles are the same in Fortran") {
  CHECK(MPI_Comm_f2c(MPI_Comm_c2f(MPI_COMM_WORLD)) == MPI_COMM_WORLD);
  CHECK(PMPI_Message_f2c(PMPI_Message_c2f(MPI_MESSAGE_NO_PROC)) == MPI_MESSAGE_NO_PROC);
  CHECK(MPI_File_c2f(MPI_FILE_NULL) == 0);
  CHECK(MPI_File_f2c(0) == MPI_FILE_NULL);
}
