// The binary interface as literal facts: handle values, constants, layouts.
#include <mpi.h>

#include <catch2/catch.hpp>
#include <cstddef>
#include <type_traits>

namespace {

#define FACT(constant, expected)                                                            \
  static_assert((long long)(constant) == (long long)(int)(expected), #constant " differs"); \
  static_assert(true)

FACT(MPI_COMM_WORLD, 0x44000000);
FACT(MPI_COMM_SELF, 0x44000001);
FACT(MPI_COMM_NULL, 0x04000000);
FACT(MPI_GROUP_EMPTY, 0x48000000);
FACT(MPI_DATATYPE_NULL, 0x0c000000);
FACT(MPI_REQUEST_NULL, 0x2c000000);
FACT(MPI_MESSAGE_NO_PROC, 0x6c000000);
FACT(MPI_ERRORS_ARE_FATAL, 0x54000000);
FACT(MPI_ERRORS_RETURN, 0x54000001);
FACT(MPI_INFO_NULL, 0x1c000000);
FACT(MPI_CHAR, 0x4c000101);
FACT(MPI_BYTE, 0x4c00010d);
FACT(MPI_INT, 0x4c000405);
FACT(MPI_LONG, 0x4c000807);
FACT(MPI_FLOAT, 0x4c00040a);
FACT(MPI_DOUBLE, 0x4c00080b);
FACT(MPI_LONG_DOUBLE, 0x4c00100c);
FACT(MPI_PACKED, 0x4c00010f);
FACT(MPI_UINT64_T, 0x4c00083e);
FACT(MPI_C_DOUBLE_COMPLEX, 0x4c001041);
FACT(MPI_DOUBLE_PRECISION, 0x4c00081f);
FACT(MPI_2INT, 0x4c000816);
FACT(MPI_DOUBLE_INT, 0x8c000001u);
FACT(MPI_MAX, 0x58000001);
FACT(MPI_SUM, 0x58000003);
FACT(MPI_MAXLOC, 0x5800000c);
FACT(MPI_NO_OP, 0x5800000e);
FACT(MPI_OP_NULL, 0x18000000);
FACT(MPI_TAG_UB, 0x64400001);
FACT(MPI_KEYVAL_INVALID, 0x24000000);
FACT(MPI_PROC_NULL, -1);
FACT(MPI_ANY_SOURCE, -2);
FACT(MPI_ROOT, -3);
FACT(MPI_ANY_TAG, -1);
FACT(MPI_UNDEFINED, -32766);
FACT(MPI_ERR_TRUNCATE, 14);
FACT(MPI_ERR_OTHER, 15);
FACT(MPI_ERR_IN_STATUS, 17);
FACT(MPI_ERR_LASTCODE, 0x3fffffff);
FACT(MPI_MAX_PROCESSOR_NAME, 128);
FACT(MPI_MAX_ERROR_STRING, 512);
FACT(MPI_BSEND_OVERHEAD, 96);
FACT(MPI_THREAD_MULTIPLE, 3);
FACT(MPI_COMBINER_HINDEXED_BLOCK, 19);

static_assert(sizeof(MPI_Status) == 20);
static_assert(offsetof(MPI_Status, MPI_SOURCE) == 8);
static_assert(offsetof(MPI_Status, MPI_TAG) == 12);
static_assert(offsetof(MPI_Status, MPI_ERROR) == 16);
static_assert(std::is_same_v<MPI_Aint, long> && std::is_same_v<MPI_Count, long> && sizeof(MPI_Offset) == 8);
static_assert(std::is_same_v<MPI_Comm, int> && std::is_same_v<MPI_Datatype, int> && std::is_same_v<MPI_Request, int>);

}  // namespace

TEST_CASE("Constants that are addresses") {
  REQUIRE(MPI_BOTTOM == nullptr);
  REQUIRE(reinterpret_cast<intptr_t>(MPI_IN_PLACE) == -1);
  REQUIRE(reinterpret_cast<intptr_t>(MPI_STATUS_IGNORE) == 1);
  REQUIRE(reinterpret_cast<intptr_t>(MPI_STATUSES_IGNORE) == 1);
  REQUIRE(MPI_UNWEIGHTED != nullptr);
  REQUIRE(MPI_WEIGHTS_EMPTY != nullptr);
  REQUIRE(MPI_UNWEIGHTED != MPI_WEIGHTS_EMPTY);
}

TEST_CASE("The profiling names are the same functions, and MPI_ names may be replaced") {
  // Through volatile: a compiler may take it that functions of different names differ.
  int (*volatile mpi)(MPI_Comm) = MPI_Barrier;
  int (*volatile pmpi)(MPI_Comm) = PMPI_Barrier;
  REQUIRE(mpi == pmpi);
}
