#include "signature.hpp"

#include <iterator>

#include "quit.hpp"
#include "rounds.hpp"

namespace detmpi {
namespace {

// By the number of Element.
constexpr const char* kElements[] = {
    "",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float32",
    "float64",
    "float80",
    "float128",
    "complex32",
    "complex64",
    "complex80",
    "complex128",
    "bool",
    "logical32",
    "pair of int",
    "pair of real",
    "pair of double precision",
    "float and int",
    "double and int",
    "long and int",
    "short and int",
    "long double and int",
};
static_assert(std::size(kElements) == static_cast<size_t>(Element::kCount));

}  // namespace

std::string Signature::name_of_op(uint64_t number) {
  if (number == kUserOp) return "an operation of the program's";
  if (number == kUserOpCommutative) return "a commutative operation of the program's";
  return op_name(g_builtin_ops[number]);
}

Signature& Signature::counts(Integers counts, const Datatype& type, int n) {
  if (!g_checks) return *this;
  uint64_t hash = 0;
  for (int i = 0; i < n; ++i) {
    hash = (hash ^ static_cast<uint64_t>(counts[i]) * type.size) * 0x9e3779b97f4a7c15u + 1;
  }
  return size(Size::kCounts, hash);
}

std::string Signature::text() const {
  std::string arguments;
  const auto add = [&arguments](const std::string& text) { arguments += (arguments.empty() ? "" : ", ") + text; };
  if (const uint64_t root = part(16, 16); root != 0) {
    const int rank = static_cast<int>(root) - kRootBias;
    add("root " + (rank == MPI_ROOT        ? std::string("MPI_ROOT")
                   : rank == MPI_PROC_NULL ? std::string("MPI_PROC_NULL")
                                           : std::to_string(rank)));
  }
  if (const uint64_t op = part(32, 8); op != 0) add(name_of_op(op));
  if (const uint64_t element = part(40, 8); element != 0) add(kElements[element]);
  const bool counted = size_kind() == Size::kBytes || size_kind() == Size::kBytesOfMessage;
  if (counted) add(std::to_string(what_[1]) + (what_[1] == 1 ? " byte" : " bytes"));
  if (part(56, 1) != 0) add("of which it receives another number");
  return std::string(call_name(static_cast<CallId>(part(0, 16)))) + (arguments.empty() ? "" : "(" + arguments + ")");
}

int Signature::error_class(const Signature& other) const {
  if (part(0, 16) != other.part(0, 16)) return MPI_ERR_OTHER;
  if (part(16, 16) != other.part(16, 16) && !between_groups()) return MPI_ERR_ROOT;
  if (part(32, 8) != other.part(32, 8)) return MPI_ERR_OP;
  if (part(40, 8) != other.part(40, 8)) return MPI_ERR_TYPE;
  if (between_groups() && same(other)) return MPI_ERR_ROOT;
  const bool moves_data = part(32, 8) == 0 && size_kind() != Size::kCounts;
  return moves_data && what_[1] < other.what_[1] ? MPI_ERR_TRUNCATE : MPI_ERR_COUNT;
}

int begin_operation(Comm& comm, const Signature& signature) {
  chan::Board& board = comm.transport->board;
  if (has_quit(comm)) return quit_code(comm);
  if (board.members() <= 1 || !begin_hash(board, signature)) return MPI_SUCCESS;
  board.note(signature.note(g_clock));
  notify_waiting(comm);
  return MPI_SUCCESS;
}

}  // namespace detmpi
