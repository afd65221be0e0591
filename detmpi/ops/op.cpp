// Operations: the predefined ones, those of the program, and their application to typed buffers.
#include "op.hpp"

#include <algorithm>
#include <array>
#include <climits>

#include "../object/call.hpp"
#include "../object/errors.hpp"
#include "../types/typed_room.hpp"
#include "impl.hpp"
#include "kernels.hpp"

namespace detmpi {
namespace {

constexpr int kOps = 15;
constexpr size_t kElements = static_cast<size_t>(Element::kCount);
constexpr size_t kPiece = 64 * 1024;  // bytes of a temporary operand

using KernelTable = std::array<std::array<Kernel, kElements>, kOps>;

KernelTable make_table(Side side) {
  KernelTable table{};
  for (int op = 1; op < kOps; ++op) {
    for (size_t i = 0; i < kElements; ++i) {
      table[static_cast<size_t>(op)][i] = find_kernel(op, static_cast<Element>(i), side);
    }
  }
  return table;
}

const KernelTable g_acc_left = make_table(Side::kAccLeft);
const KernelTable g_acc_right = make_table(Side::kAccRight);

size_t index_of(const Op& op) { return static_cast<size_t>(op.handle & 0xff); }

void run(const KernelTable& table, const Op& op, void* acc, const void* other, int64_t count, const Datatype& type) {
  const Kernel kernel = table[index_of(op)][static_cast<size_t>(type.element)];
  if (kernel != nullptr) kernel(acc, other, static_cast<size_t>(count));
}

bool category_allowed(MPI_Op op, Category category) {
  const bool integer = category == Category::kCInteger || category == Category::kFortranInteger;
  const bool number = integer || category == Category::kFloating;
  switch (op) {
    case MPI_MAX:
    case MPI_MIN: return number || category == Category::kAddress;
    case MPI_SUM:
    case MPI_PROD: return number || category == Category::kAddress || category == Category::kComplex;
    case MPI_LAND:
    case MPI_LOR:
    case MPI_LXOR: return number || category == Category::kLogical || category == Category::kAddress;
    case MPI_BAND:
    case MPI_BOR:
    case MPI_BXOR: return integer || category == Category::kByte || category == Category::kAddress;
    case MPI_MINLOC:
    case MPI_MAXLOC: return category == Category::kPair;
    default: return false;
  }
}

// The handle of a type while a function of the program's is told it: the program may have freed its own meanwhile.
class HandleOf {
 public:
  explicit HandleOf(const Datatype& type) : type_(type), handle_(datatype_open(type)) {}
  ~HandleOf() {
    if (!type_.builtin) (void)datatype_close(writable(type_));
  }
  HandleOf(const HandleOf&) = delete;
  HandleOf& operator=(const HandleOf&) = delete;

  MPI_Datatype operator*() const { return handle_; }

 private:
  const Datatype& type_;
  MPI_Datatype handle_;
};

// A function that takes its length as an int is called for as many elements as that can say, again and again.
void call_user(const Op& op, const void* in, void* inout, int64_t count, const Datatype& type) {
  const HandleOf told(type);
  const int64_t most = op.function.of_counts != nullptr ? count : INT_MAX;
  for (int64_t done = 0; done < count; done += most) {
    MPI_Count length = std::min(most, count - done);
    int short_length = static_cast<int>(length);
    MPI_Datatype handle = *told;
    char* const from = static_cast<char*>(const_cast<void*>(in)) + done * type.extent;
    char* const to = static_cast<char*>(inout) + done * type.extent;
    const CallbackScope scope;
    if (op.function.of_counts != nullptr) op.function.of_counts(from, to, &length, &handle);
    else op.function.of_ints(from, to, &short_length, &handle);
  }
}

void fold_user(const Op& op, char* acc, const char* right, int64_t count, const Datatype& type) {
  const auto extent = std::max<ptrdiff_t>(std::abs(type.extent), 1);
  const int64_t piece = std::clamp<int64_t>(static_cast<int64_t>(kPiece) / extent, 1, count);
  const TypedRoom temporary(type, piece);
  for (int64_t done = 0; done < count; done += piece) {
    const int64_t n = std::min(piece, count - done);
    const ptrdiff_t offset = done * type.extent;
    copy_typed(temporary.base(), right + offset, n, type);
    call_user(op, acc + offset, temporary.base(), n, type);
    copy_typed(acc + offset, temporary.base(), n, type);
  }
}

constexpr const char* kOpNames[kOps] = {"an operation of the program",
                                        "MPI_MAX",
                                        "MPI_MIN",
                                        "MPI_SUM",
                                        "MPI_PROD",
                                        "MPI_LAND",
                                        "MPI_BAND",
                                        "MPI_LOR",
                                        "MPI_BOR",
                                        "MPI_LXOR",
                                        "MPI_BXOR",
                                        "MPI_MINLOC",
                                        "MPI_MAXLOC",
                                        "MPI_REPLACE",
                                        "MPI_NO_OP"};

}  // namespace

// MPI_REPLACE does not commute.
const Op g_builtin_ops[kOps] = {
    {MPI_OP_NULL}, {MPI_MAX},  {MPI_MIN},  {MPI_SUM},    {MPI_PROD},   {MPI_LAND},           {MPI_BAND},  {MPI_LOR},
    {MPI_BOR},     {MPI_LXOR}, {MPI_BXOR}, {MPI_MINLOC}, {MPI_MAXLOC}, {MPI_REPLACE, false}, {MPI_NO_OP},
};

void op_release(const Op& op) {
  if (op.function && --op.refs == 0) delete &op;
}

bool op_allows(const Op& op, const Datatype& type) { return op.function || category_allowed(op.handle, type.category); }

const char* op_name(const Op& op) { return kOpNames[op.function ? 0 : index_of(op)]; }

void fold(const Op& op, void* acc, const void* right, int64_t count, const Datatype& type) {
  if (count <= 0) return;
  if (!op.function) return run(g_acc_left, op, acc, right, count, type);
  fold_user(op, static_cast<char*>(acc), static_cast<const char*>(right), count, type);
}

void fold_left(const Op& op, const void* left, void* acc, int64_t count, const Datatype& type) {
  if (count <= 0) return;
  if (!op.function) return run(g_acc_right, op, acc, left, count, type);
  call_user(op, left, acc, count, type);
}

namespace impl {

int op_create(UserFunction user_fn, int commute, MPI_Op* op) {
  auto* made = new Op;
  made->function = user_fn;
  made->commutative = commute != 0;
  made->handle = g_ops.insert(made);
  *op = made->handle;
  return MPI_SUCCESS;
}

int op_free(MPI_Op* op) {
  const Op& object = *op_from(*op);
  if (!object.function) {
    return make_error(MPI_ERR_OP, "%s is predefined and cannot be freed", op_name(object));
  }
  g_ops.erase(*op);
  op_release(object);
  *op = MPI_OP_NULL;
  return MPI_SUCCESS;
}

int op_commutative(const Op& op, int* commute) {
  *commute = op.commutative ? 1 : 0;
  return MPI_SUCCESS;
}

int reduce_local(const void* inbuf, void* inoutbuf, MPI_Count count, const Datatype& datatype, const Op& op) {
  fold_left(op, inbuf, inoutbuf, count, datatype);
  return MPI_SUCCESS;
}

}  // namespace impl
}  // namespace detmpi
