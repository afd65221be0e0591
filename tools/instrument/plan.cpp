#include "plan.hpp"

#include <algorithm>

#include "sreal.h"
#include "weights.hpp"

namespace instrument {
namespace {

// A block of this weight that does not run every time counts for itself.
constexpr int64_t kHeavyUnits = 64;

// What is counted together with what is around it (units_if_short).
constexpr int64_t kShortUnits = 1000;
constexpr int64_t kShortTurns = 16;

struct LoopWork {
  bool ahead = false;        // counted before it begins
  bool part = false;         // of the count of an enclosing loop
  bool reaches_mpi = false;  // it or a loop inside
  sreal weight = 0;          // of one iteration, without loops inside
  tree total = NULL_TREE;    // ahead: units of the whole loop, without heavy blocks
};

class Planner {
 public:
  explicit Planner(function* fn) : fn_(fn), loops_(number_of_loops(fn)) {}

  std::vector<Count> run() {
    basic_block block;
    FOR_EACH_BB_FN(block, fn_) weigh(block);
    for (auto* loop : loops_list(fn_, LI_FROM_INNERMOST)) count_loop(loop);
    for (auto* loop : loops_list(fn_, LI_FROM_INNERMOST)) {
      LoopWork& work = work_of(loop);
      if (work.ahead && !work.part) counts_.push_back({nullptr, loop_preheader_edge(loop), 0, work.total, true});
    }
    count_body();
    return std::move(counts_);
  }

 private:
  LoopWork& work_of(const class loop* loop) { return loops_[static_cast<size_t>(loop->num)]; }

  // Adds the block to the innermost loop that it is in, or to the function's body.
  void weigh(basic_block block) {
    int64_t weight = 0;
    LoopWork& work = work_of(block->loop_father);
    for (auto i = gsi_start_bb(block); !gsi_end_p(i); gsi_next(&i)) {
      weight += weight_of(gsi_stmt(i));
      if (is_gimple_call(gsi_stmt(i))) calls_ = true;
      if (may_reach_mpi(gsi_stmt(i))) work.reaches_mpi = true;
    }
    if ((block->flags & BB_IRREDUCIBLE_LOOP) != 0) {  // a loop without a head
      work.reaches_mpi = true;
      if (can_count_in(block)) counts_.push_back({block, nullptr, std::max<int64_t>(weight, 1), NULL_TREE, true});
      return;
    }
    const sreal often = how_often(block);
    if (often < 1 && weight >= kHeavyUnits && can_count_in(block)) {
      counts_.push_back({block, nullptr, weight, NULL_TREE, true});
    } else {
      work.weight += often * sreal(weight);
    }
  }

  // Per iteration of its loop, or per call of the function; at most 1.
  sreal how_often(basic_block block) {
    const auto* loop = block->loop_father;
    const basic_block head = loop_outer(loop) != nullptr ? loop->header : single_succ(ENTRY_BLOCK_PTR_FOR_FN(fn_));
    if (!block->count.initialized_p() || !head->count.initialized_p() || !head->count.nonzero_p()) return 1;
    return std::min(block->count.to_sreal_scale(head->count), sreal(1));
  }

  // setjmp and the like must stay the first of their block.
  static bool can_count_in(basic_block block) {
    edge e;
    edge_iterator i;
    FOR_EACH_EDGE(e, i, block->preds) {
      if ((e->flags & EDGE_ABNORMAL) != 0) return false;
    }
    return true;
  }

  void count_loop(class loop* loop) {
    LoopWork& work = work_of(loop);
    if (work.reaches_mpi) work_of(loop_outer(loop)).reaches_mpi = true;
    work.total = work.reaches_mpi ? NULL_TREE : total_of(loop);
    work.ahead = work.total != NULL_TREE;
    if (const int64_t units = units_if_short(loop); units > 0) {
      const basic_block before = loop_preheader_edge(loop)->src;
      work.part = true;
      work_of(before->loop_father).weight += how_often(before) * sreal(units);
    }
    if (work.ahead) return;
    const basic_block place = can_count_in(loop->header) ? loop->header : loop->latch;
    if (place != nullptr && can_count_in(place)) {
      counts_.push_back({place, nullptr, std::max<int64_t>(work.weight.to_int(), 1), NULL_TREE, true});
    }
  }

  // A loop that is always as long, or never longer than a few turns, is as good as a part of what is around it: its
  // units, half of the most where the number varies. 0: it is not.
  int64_t units_if_short(class loop* loop) {
    const LoopWork& work = work_of(loop);
    if (!work.ahead) return 0;
    if (tree_fits_shwi_p(work.total) && tree_to_shwi(work.total) <= kShortUnits) return tree_to_shwi(work.total);
    const HOST_WIDE_INT most = max_stmt_executions_int(loop);
    if (most <= 0 || most > kShortTurns || loop->inner != nullptr) return 0;
    return std::max<int64_t>((work.weight * sreal(most) / sreal(2)).to_int(), 1);
  }

  // All iterations, with those loops inside that run in every one of them, equally long; null: not known before.
  tree total_of(class loop* loop) {
    if (!has_preheader(loop)) return NULL_TREE;
    const tree turns = turns_of(loop);
    if (turns == NULL_TREE || !expr_invariant_in_loop_p(loop, turns)) return NULL_TREE;
    tree one = build_int_cst(uint64_type_node, std::max<int64_t>(work_of(loop).weight.to_int(), 1));
    for (auto* inner = loop->inner; inner != nullptr; inner = inner->next) {
      LoopWork& part = work_of(inner);
      if (!part.ahead || part.part || !expr_invariant_in_loop_p(loop, part.total)) continue;
      if (!dominated_by_p(CDI_DOMINATORS, loop->latch, inner->header)) continue;
      one = fold_build2(PLUS_EXPR, uint64_type_node, one, unshare_expr(part.total));
      part.part = true;
    }
    const tree times = fold_build2(PLUS_EXPR, uint64_type_node, fold_convert(uint64_type_node, unshare_expr(turns)),
                                   build_int_cst(uint64_type_node, 1));
    return fold_build2(MULT_EXPR, uint64_type_node, times, one);
  }

  // How often it turns back to its head. Where that holds only under an assumption, say that a counter does not
  // overflow: 0 when it is not true, for a loop that may never end.
  static tree turns_of(class loop* loop) {
    const edge exit = single_exit(loop);
    tree_niter_desc found;
    if (exit == nullptr || !number_of_iterations_exit_assumptions(loop, exit, &found, nullptr)) return NULL_TREE;
    if (found.niter == NULL_TREE || chrec_contains_undetermined(found.niter)) return NULL_TREE;
    const tree type = TREE_TYPE(found.niter);
    if (!INTEGRAL_TYPE_P(type) || expression_expensive_p(found.niter)) return NULL_TREE;
    const tree none = build_int_cst(type, 0);
    tree turns = found.niter;
    if (!integer_zerop(found.may_be_zero)) turns = fold_build3(COND_EXPR, type, found.may_be_zero, none, turns);
    if (!integer_nonzerop(found.assumptions)) turns = fold_build3(COND_EXPR, type, found.assumptions, turns, none);
    return turns;
  }

  static bool has_preheader(const class loop* loop) {
    if (loop->latch == nullptr || EDGE_COUNT(loop->header->preds) != 2) return false;
    const edge e = loop_preheader_edge(loop);
    return (e->flags & (EDGE_ABNORMAL | EDGE_EH)) == 0;
  }

  // A function without calls and loops ends soon: whoever calls it again and again will check.
  void count_body() {
    const int64_t weight = work_of(get_loop(fn_, 0)).weight.to_int();
    const bool leaf = !calls_ && counts_.empty();
    counts_.push_back(
        {nullptr, single_succ_edge(ENTRY_BLOCK_PTR_FOR_FN(fn_)), std::max<int64_t>(weight, 1), NULL_TREE, !leaf});
  }

  function* fn_;
  std::vector<LoopWork> loops_;  // by number; 0 is the function's body
  std::vector<Count> counts_;
  bool calls_ = false;
};

}  // namespace

std::vector<Count> plan(function* fn) { return Planner(fn).run(); }

}  // namespace instrument
