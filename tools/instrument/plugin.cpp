// A plugin of GCC for C, C++ and Fortran: makes a program count its work (detmpicc --instrument), so that its logical
// clock follows the work. plan.hpp says where it counts, weights.def what functions weigh.
//
// Inserted is `if ((detmpi_work_left -= units) < 0) detmpi_work();`, see detmpi/object/work.hpp. The pass runs before
// the loop optimisations: so the count does not depend on how wide the machine's vectors are, nor on whether a pointer
// is aligned, and the simple statements that are counted are those of the source.
#include "gcc.hpp"

#include <string>

#include "plan.hpp"
#include "weights.hpp"

__attribute__((visibility("default"))) int plugin_is_GPL_compatible;

namespace instrument {
namespace {

// Declarations in the program; roots of GCC's garbage collection.
tree g_left;  // int64_t detmpi_work_left
tree g_take;  // void detmpi_work()

constexpr uint64_t kPaused = uint64_t{1} << 62;  // detmpi/object/work.hpp

tree declare_function(const std::string& name, tree type) {
  const tree decl = build_fn_decl(name.c_str(), type);
  TREE_NOTHROW(decl) = 1;
  DECL_ATTRIBUTES(decl) = tree_cons(get_identifier("leaf"), NULL_TREE, DECL_ATTRIBUTES(decl));
  return decl;
}

void declare() {
  if (g_left != NULL_TREE) return;
  g_left = build_decl(UNKNOWN_LOCATION, VAR_DECL, get_identifier("detmpi_work_left"), long_integer_type_node);
  DECL_EXTERNAL(g_left) = 1;
  TREE_PUBLIC(g_left) = 1;
  TREE_USED(g_left) = 1;
  DECL_ARTIFICIAL(g_left) = 1;
  // libdetmpi is there when the program starts.
  set_decl_tls_model(g_left, TLS_MODEL_INITIAL_EXEC);
  g_take = declare_function("detmpi_work", build_function_type_list(void_type_node, NULL_TREE));
}

tree to_left(gimple_seq* code, tree value) {
  gimple_seq more = nullptr;
  value = force_gimple_operand(fold_convert(long_integer_type_node, value), &more, true, NULL_TREE);
  gimple_seq_add_seq(code, more);
  return value;
}

tree load_left(gimple_seq* code) {
  const tree value = make_ssa_name(long_integer_type_node);
  gimple_seq_add_stmt(code, gimple_build_assign(value, g_left));
  return value;
}

// detmpi_work_left -= units. Returns what is left.
tree subtract(gimple_seq* code, tree units) {
  units = to_left(code, units);
  const tree before = load_left(code);
  const tree after = make_ssa_name(long_integer_type_node);
  gimple_seq_add_stmt(code, gimple_build_assign(after, MINUS_EXPR, before, units));
  gimple_seq_add_stmt(code, gimple_build_assign(g_left, after));
  return after;
}

// Behind the statement: if nothing is left, detmpi_work().
void insert_check(basic_block block, gimple* last, tree left) {
  gcond* none = gimple_build_cond(LT_EXPR, left, build_int_cst(long_integer_type_node, 0), NULL_TREE, NULL_TREE);
  const basic_block then = insert_cond_bb(block, last, none, profile_probability::very_unlikely());
  auto at = gsi_start_bb(then);
  gsi_insert_after(&at, gimple_build_call(g_take, 0), GSI_NEW_STMT);
}

void insert(const Count& count) {
  tree units = build_int_cst(long_integer_type_node, count.units);
  if (count.expression != NULL_TREE) units = unshare_expr(count.expression);
  gimple_seq code = nullptr;
  const tree left = subtract(&code, units);
  gimple* last = gimple_seq_last_stmt(code);
  const basic_block block = count.block != nullptr ? count.block : split_edge(count.on);
  auto at = gsi_after_labels(block);
  gsi_insert_seq_before(&at, code, GSI_SAME_STMT);
  if (count.check) insert_check(block, last, left);
}

// The bytes that a call such as memcpy moves, and time that is slept, are known only at the call: counted before it.
void count_call(gimple_stmt_iterator* at, const Entry& entry) {
  gimple* call = gsi_stmt(*at);
  gimple_seq code = nullptr;
  if (entry.kind == Entry::Kind::kBytes) {
    if (gimple_call_num_args(call) <= entry.argument) return;
    const tree bytes = gimple_call_arg(call, entry.argument);
    const tree units = fold_build2(TRUNC_DIV_EXPR, uint64_type_node, fold_convert(uint64_type_node, bytes),
                                   build_int_cst(uint64_type_node, kBytesPerUnit));
    if (!integer_zerop(units)) subtract(&code, units);
  } else {
    const tree callee = gimple_call_fndecl(call);
    const tree counted = declare_function(std::string("detmpi_work_") + entry.counted, TREE_TYPE(callee));
    if (entry.kind == Entry::Kind::kHandler) {
      gimple_call_set_fndecl(call, counted);
      update_stmt(call);
      return;
    }
    const unsigned n = gimple_call_num_args(call);
    auto_vec<tree> arguments;
    for (unsigned i = 0; i < n; ++i) arguments.safe_push(unshare_expr(gimple_call_arg(call, i)));
    gimple_seq_add_stmt(&code, gimple_build_call_vec(counted, arguments));
  }
  gsi_insert_seq_before(at, code, GSI_SAME_STMT);
}

// What a thread of a team does is nobody's own work: who does which part may differ from run to run.
void pause_during(gimple_stmt_iterator* at) {
  gimple_seq before = nullptr, after = nullptr;
  const tree saved = load_left(&before);
  gimple_seq_add_stmt(&before, gimple_build_assign(g_left, build_int_cst(long_integer_type_node, kPaused)));
  gimple_seq_add_stmt(&after, gimple_build_assign(g_left, saved));
  gsi_insert_seq_before(at, before, GSI_SAME_STMT);
  gsi_insert_seq_after(at, after, GSI_CONTINUE_LINKING);
}

void count_calls(function* fn) {
  basic_block block;
  FOR_EACH_BB_FN(block, fn) {
    for (auto i = gsi_start_bb(block); !gsi_end_p(i); gsi_next(&i)) {
      const Entry entry = entry_of(gsi_stmt(i));
      if (entry.kind > Entry::Kind::kCall) count_call(&i, entry);
      else if (starts_threads(gsi_stmt(i)) && !stmt_ends_bb_p(gsi_stmt(i))) pause_during(&i);
    }
  }
}

// Resolvers of indirect functions run before the thread's variables exist.
bool resolves(const function* fn) {
  cgraph_node* node = cgraph_node::get(fn->decl);
  ipa_ref* ref;
  for (unsigned i = 0; node != nullptr && node->iterate_direct_aliases(i, ref); ++i) {
    const auto* alias = dyn_cast<cgraph_node*>(ref->referring);
    if (alias != nullptr && alias->ifunc_resolver) return true;
  }
  return false;
}

void instrument_function(function* fn) {
  declare();
  loop_optimizer_init(LOOPS_NORMAL | LOOPS_HAVE_RECORDED_EXITS);
  mark_irreducible_loops();
  scev_initialize();
  estimate_numbers_of_iterations(fn);
  calculate_dominance_info(CDI_DOMINATORS);
  const std::vector<Count> counts = plan(fn);
  free_numbers_of_iterations_estimates(fn);
  scev_finalize();
  count_calls(fn);
  for (const Count& count : counts) insert(count);
  loop_optimizer_finalize();
  free_dominance_info(CDI_DOMINATORS);
  mark_virtual_operands_for_renaming(fn);
}

bool has_attribute(const_tree decl, const char* name) {
  return lookup_attribute(name, DECL_ATTRIBUTES(decl)) != NULL_TREE;
}

bool wants_no_counts(const_tree decl) { return has_attribute(decl, "no_instrument_function"); }

// Where it was inlined, a function's statements would count as those of its caller. Called when all functions of the
// unit are known, and nothing is inlined yet. The compiler must inline what is always_inline, or fails.
void keep_apart(void*, void*) {
  cgraph_node* node;
  FOR_EACH_FUNCTION(node) {
    if (wants_no_counts(node->decl) && !has_attribute(node->decl, "always_inline")) DECL_UNINLINABLE(node->decl) = 1;
  }
}

constexpr pass_data kPassData = {
    GIMPLE_PASS,
    "detmpi_instrument",
    OPTGROUP_NONE,
    TV_NONE,
    PROP_cfg | PROP_ssa,
    0,
    0,
    0,
    TODO_update_ssa | TODO_cleanup_cfg,
};

class Pass final : public gimple_opt_pass {
 public:
  Pass(gcc::context* context, bool optimized) : gimple_opt_pass(kPassData, context), optimized_(optimized) {}
  opt_pass* clone() override { return new Pass(m_ctxt, optimized_); }
  bool gate(function* fn) override {
    return (optimize != 0) == optimized_ && !resolves(fn) && !wants_no_counts(fn->decl);
  }
  unsigned execute(function* fn) override {
    instrument_function(fn);
    return 0;
  }

 private:
  bool optimized_;
};

// Behind the compiler's own coverage pass, which runs where simple optimisations are done and those of loops are not;
// -O0 has one of its own.
void add_pass(const char* name, const char* behind, bool optimized) {
  register_pass_info info = {new Pass(g, optimized), behind, 0, PASS_POS_INSERT_AFTER};
  register_callback(name, PLUGIN_PASS_MANAGER_SETUP, nullptr, &info);
}

const ggc_root_tab kRoots[] = {
    {&g_left, 1, sizeof g_left, &gt_ggc_mx_tree_node, &gt_pch_nx_tree_node},
    {&g_take, 1, sizeof g_take, &gt_ggc_mx_tree_node, &gt_pch_nx_tree_node},
    LAST_GGC_ROOT_TAB,
};

}  // namespace
}  // namespace instrument

__attribute__((visibility("default"))) int plugin_init(plugin_name_args* plugin, plugin_gcc_version* compiler) {
  if (!plugin_default_version_check(compiler, &gcc_version)) {
    error("%qs was built for GCC %s, this is %s", plugin->base_name, gcc_version.basever, compiler->basever);
    return 1;
  }
  const char* name = plugin->base_name;
  register_callback(name, PLUGIN_REGISTER_GGC_ROOTS, nullptr, const_cast<ggc_root_tab*>(instrument::kRoots));
  register_callback(name, PLUGIN_ALL_IPA_PASSES_START, instrument::keep_apart, nullptr);
  instrument::add_pass(name, "sancov", true);
  instrument::add_pass(name, "sancov_O0", false);
  return 0;
}
