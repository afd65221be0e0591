#include "weights.hpp"

#include <string_view>
#include <unordered_map>

#include "../../detmpi/object/work_unit.hpp"

namespace instrument {
namespace {

using detmpi::kUnitsPerTick;

constexpr int64_t kDivisionUnits = 10;
constexpr int64_t kSwitchUnits = 3;

const std::unordered_map<std::string_view, Entry>& table() {
  static const std::unordered_map<std::string_view, Entry> entries = {
#define CALL(name, units) {name, {Entry::Kind::kCall, units}},
#define BYTES(name, units, n) {name, {Entry::Kind::kBytes, units, n}},
#define TICKS(name, ticks) {name, {Entry::Kind::kCall, (ticks)*kUnitsPerTick}},
#define SLEEP(name) {name, {Entry::Kind::kSleep, kCallUnits, 0, name}},
#define HANDLER(name, as) {name, {Entry::Kind::kHandler, kUnitsPerTick, 0, as}},
#include "weights.def"
#undef CALL
#undef BYTES
#undef TICKS
#undef SLEEP
#undef HANDLER
  };
  return entries;
}

// Takes the prefix away, if it is there.
bool strip(std::string_view* name, std::string_view prefix) {
  if (name->substr(0, prefix.size()) != prefix) return false;
  name->remove_prefix(prefix.size());
  return true;
}

// The C library's headers have some functions called under another name: __isoc99_sscanf as the standard has it,
// __snprintf_chk and __open_2 with _FORTIFY_SOURCE. They count as what the program says, so that its clock does not
// depend on how it is compiled. A number of bytes stays the argument that it was. Such names are reserved for
// libraries.
std::string_view name_in_program(std::string_view name) {
  strip(&name, "__builtin_");
  if (strip(&name, "__isoc99_") || strip(&name, "__isoc23_")) return name;
  std::string_view inner = name;
  if (!strip(&inner, "__")) return name;
  for (const std::string_view suffix : {"_chk", "_2"}) {
    if (inner.size() <= suffix.size()) continue;
    const size_t rest = inner.size() - suffix.size();
    if (inner.substr(rest) == suffix) return inner.substr(0, rest);
  }
  return name;
}

// As the linker sees it, but for what name_in_program() undoes. Empty: not a call, or not by name.
std::string_view callee_name(const gimple* statement) {
  if (!is_gimple_call(statement) || gimple_call_internal_p(statement)) return {};
  const tree callee = gimple_call_fndecl(statement);
  if (callee == NULL_TREE || DECL_NAME(callee) == NULL_TREE) return {};
  const char* name = IDENTIFIER_POINTER(DECL_ASSEMBLER_NAME(callee));
  if (*name == '*') ++name;
  return name_in_program(name);
}

bool is_mpi(std::string_view name) { return strip(&name, "MPI_") || strip(&name, "PMPI_"); }

// 1 for what is in memory; more for a structure that is copied.
int64_t weight_of_operand(const_tree operand) {
  if (operand == NULL_TREE || is_gimple_val(const_cast<tree>(operand))) return 0;
  const_tree size = TYPE_SIZE_UNIT(TREE_TYPE(operand));
  const bool copied = AGGREGATE_TYPE_P(TREE_TYPE(operand)) && size != NULL_TREE && tree_fits_uhwi_p(size);
  return 1 + (copied ? static_cast<int64_t>(tree_to_uhwi(size)) / kBytesPerUnit : 0);
}

int64_t weight_of_operation(tree_code code) {
  switch (code) {
    case SSA_NAME:
    case NOP_EXPR:
    case VIEW_CONVERT_EXPR:
    case PAREN_EXPR: return 0;
    case TRUNC_DIV_EXPR:
    case CEIL_DIV_EXPR:
    case FLOOR_DIV_EXPR:
    case ROUND_DIV_EXPR:
    case EXACT_DIV_EXPR:
    case TRUNC_MOD_EXPR:
    case CEIL_MOD_EXPR:
    case FLOOR_MOD_EXPR:
    case ROUND_MOD_EXPR:
    case RDIV_EXPR: return kDivisionUnits;
    default: return TREE_CODE_CLASS(code) == tcc_constant || TREE_CODE_CLASS(code) == tcc_reference ? 0 : 1;
  }
}

// Memory that is read and written, and the operation.
int64_t weight_of_assignment(const gimple* statement) {
  if (gimple_clobber_p(statement)) return 0;
  int64_t weight = weight_of_operand(gimple_assign_lhs(statement));
  const tree_code code = gimple_assign_rhs_code(statement);
  if (gimple_assign_single_p(statement)) {
    const tree value = gimple_assign_rhs1(statement);
    // An array that is copied counts once.
    if (weight == 0 && TREE_CODE_CLASS(code) != tcc_constant && code != ADDR_EXPR) weight += weight_of_operand(value);
    return weight;
  }
  // A division by a constant is a multiplication.
  const tree divisor = gimple_num_ops(statement) > 2 ? gimple_assign_rhs2(statement) : NULL_TREE;
  if (divisor != NULL_TREE && TREE_CODE(divisor) == INTEGER_CST) return weight + 1;
  return weight + weight_of_operation(code);
}

}  // namespace

Entry entry_of(const gimple* statement) {
  const std::string_view name = callee_name(statement);
  // A function of the program may have the name of one of the library's that it does not use.
  if (name.empty() || !DECL_EXTERNAL(gimple_call_fndecl(statement))) return {};
  const auto found = table().find(name);
  return found != table().end() ? found->second : Entry{};
}

int64_t weight_of(gimple* statement) {
  switch (gimple_code(statement)) {
    case GIMPLE_ASSIGN: return weight_of_assignment(statement);
    case GIMPLE_COND: return 1;
    case GIMPLE_SWITCH: return kSwitchUnits;
    case GIMPLE_ASM: return 1;
    case GIMPLE_CALL: {
      if (gimple_call_internal_p(statement)) return 1;
      if (is_mpi(callee_name(statement))) return 0;
      const Entry entry = entry_of(statement);
      if (entry.kind != Entry::Kind::kNone) return entry.units;
      return gimple_call_builtin_p(statement) ? 1 : kCallUnits;
    }
    default: return 0;  // labels, debug statements: -g must not change the clock
  }
}

bool may_reach_mpi(gimple* statement) {
  if (!is_gimple_call(statement) || gimple_call_internal_p(statement)) return false;
  switch (entry_of(statement).kind) {
    case Entry::Kind::kCall:
    case Entry::Kind::kBytes: return false;
    case Entry::Kind::kSleep:
    case Entry::Kind::kHandler: return true;
    case Entry::Kind::kNone: break;
  }
  return !gimple_call_builtin_p(statement) && (gimple_call_flags(statement) & (ECF_CONST | ECF_PURE)) == 0;
}

bool starts_threads(const gimple* statement) {
  std::string_view name = callee_name(statement);
  return strip(&name, "GOMP_parallel");
}

}  // namespace instrument
