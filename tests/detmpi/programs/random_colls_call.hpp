// One of the random collective operations, in all its forms: what it sends, what it must give, and the call itself.
#pragma once

#include "random_colls.hpp"

namespace random_colls {

using mpi_test::g_rank;

enum Coll : size_t {
  kBarrier,
  kBcast,
  kGather,
  kGatherv,
  kScatter,
  kScatterv,
  kAllgather,
  kAllgatherv,
  kAlltoall,
  kAlltoallv,
  kAlltoallw,
  kNearAllgather,
  kNearAllgatherv,
  kNearAlltoall,
  kNearAlltoallv,
  kNearAlltoallw,
  kReduce,
  kAllreduce,
  kReduceScatter,
  kReduceScatterBlock,
  kScan,
  kExscan,
  kReduceLocal,
  kColls
};
constexpr unsigned kUneven = 1, kSendsMany = 2, kReceivesMany = 4, kRooted = 8, kNear = 16, kReduces = 32, kInter = 64,
                   kInPlace = 128;
struct CollInfo {
  const char* name;
  unsigned is;  // kInter and kInPlace: can be
};
inline constexpr CollInfo kInfo[kColls] = {
    {"barrier", kInter},
    {"bcast", kRooted | kInter},
    {"gather", kRooted | kInter | kInPlace | kReceivesMany},
    {"gatherv", kRooted | kInter | kInPlace | kReceivesMany | kUneven},
    {"scatter", kRooted | kInter | kInPlace | kSendsMany},
    {"scatterv", kRooted | kInter | kInPlace | kSendsMany | kUneven},
    {"allgather", kInter | kInPlace | kReceivesMany},
    {"allgatherv", kInter | kInPlace | kReceivesMany | kUneven},
    {"alltoall", kInter | kInPlace | kSendsMany | kReceivesMany},
    {"alltoallv", kInter | kInPlace | kSendsMany | kReceivesMany | kUneven},
    {"alltoallw", kInter | kInPlace | kSendsMany | kReceivesMany | kUneven},
    {"neighbor_allgather", kNear | kReceivesMany},
    {"neighbor_allgatherv", kNear | kReceivesMany | kUneven},
    {"neighbor_alltoall", kNear | kSendsMany | kReceivesMany},
    {"neighbor_alltoallv", kNear | kSendsMany | kReceivesMany | kUneven},
    {"neighbor_alltoallw", kNear | kSendsMany | kReceivesMany | kUneven},
    {"reduce", kRooted | kReduces | kInter | kInPlace},
    {"allreduce", kReduces | kInter | kInPlace},
    {"reduce_scatter", kReduces | kInter | kInPlace | kUneven},
    {"reduce_scatter_block", kReduces | kInter | kInPlace},
    {"scan", kReduces | kInPlace},
    {"exscan", kReduces | kInPlace},
    {"reduce_local", kReduces},
};

using Ranks = std::vector<int>;  // in MPI_COMM_WORLD
struct Edge {
  int peer;  // as above; -1: nobody
  int name;  // the same at both ends
};
struct Comm {
  MPI_Comm handle = MPI_COMM_NULL;  // also where this rank is no member
  Ranks groups[2];                  // the second of an inter-communicator
  bool near = false;                // has neighbourhoods
  std::vector<Edge> sources, destinations;

  bool inter() const { return !groups[1].empty(); }
  size_t side() const { return std::count(groups[1].begin(), groups[1].end(), g_rank) != 0 ? 1 : 0; }
  const Ranks& own() const { return groups[side()]; }
  const Ranks& peers() const { return groups[inter() ? 1 - side() : 0]; }
  size_t rank() const { return static_cast<size_t>(std::find(own().begin(), own().end(), g_rank) - own().begin()); }
};

enum class Form { kBlocking, kNonblocking, kPersistent };

// What all ranks know of an operation.
struct Step {
  uint64_t program = 0, number = 0;
  size_t comm = 0;  // among those that there are at this step
  Coll coll = kBarrier;
  Form form = Form::kBlocking;
  bool in_place = false;
  size_t root = 0, root_side = 0;
  const Reduction* reduction = nullptr;
  Kind kind = Kind::kByte;
  size_t unit = 1;       // elements
  size_t units[2] = {};  // of a block from each group; about half as many as at most, if they are uneven
  bool is(unsigned what) const { return (kInfo[coll].is & what) != 0; }
  std::string text() const {
    constexpr const char* kForms[] = {"", ", not blocking", ", persistent"};
    return "program " + std::to_string(program) + ", step " + std::to_string(number) + ": " + kInfo[coll].name +
           kForms[static_cast<size_t>(form)] + (in_place ? ", in place" : "") + ", root " + std::to_string(root) +
           " of group " + std::to_string(root_side) + ", blocks of " + std::to_string(units[0]) + " and " +
           std::to_string(units[1]) + " times " + std::to_string(unit) + " " + info_of(kind).name +
           (reduction != nullptr ? std::string(", ") + reduction->name : "");
  }
};

// Something under way.
class Operation {
 public:
  Operation() = default;
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;
  virtual ~Operation() = default;
  virtual void finish(const MPI_Status& status) = 0;

  MPI_Request request = MPI_REQUEST_NULL;
  bool active = true;

 protected:
  static void check(const Side& side, const char* which, const std::string& what) {
    const size_t at = side.first_mistake(), size = side.memory().size();
    if (at == size) return;
    const std::string text = what + "; byte " + std::to_string(at) + " of " + std::to_string(size) + " of the " +
                             which + " buffer is " + std::to_string(side.memory()[at]) + ", not " +
                             std::to_string(side.expected()[at]);
    mpi_test::failed(text.c_str(), __FILE__, __LINE__);
  }
};

class Call final : public Operation {
 public:
  static inline uint64_t g_results = 0;

  // `comm` is looked at in here alone, but for its handle, which must be valid until the operation has begun.
  Call(const Step& step, const Comm& comm, Random& random)
      : step_(step),
        comm_(comm.handle),
        text_(step.text() + ", members: " + std::to_string(comm.own().size()) + " and " +
              std::to_string(comm.groups[1 - comm.side()].size())),
        me_(comm.rank()) {
    if (step.is(kRooted)) root_argument(comm);
    in_place_ = step.in_place && (!step.is(kRooted) || is_root_);
    if (step.is(kReduces)) plan_reduction(comm);
    else plan_blocks(comm);
    if (in_place_ && step.is(kRooted) && step.is(kSendsMany)) ins_.clear();
    make_sides(random);
  }

  // Of blocking operations: does all. Others are under way then. Persistent ones may begin again when they are over.
  void begin() {
    fill();
    active = step_.form != Form::kBlocking;
    if (request == MPI_REQUEST_NULL) {
      op_ = step_.reduction != nullptr ? step_.reduction->op : MPI_OP_NULL;
      const bool own_op = step_.reduction != nullptr && step_.reduction->function != nullptr;
      if (own_op) MPI_Op_create(step_.reduction->function, step_.reduction->commutes, &op_);
      EXPECT((step_.is(kReduces) ? call_reduction() : step_.is(kNear) ? call_near() : call_blocks()) == MPI_SUCCESS);
      send_.free_types();  // of what is under way, too
      receive_.free_types();
      if (own_op) MPI_Op_free(&op_);
    }
    if (step_.form == Form::kPersistent) MPI_Start(&request);
    if (!active) finish({});
  }
  // Looks at what came, and adds it to the hash of all results: a sum, since it is not always the same that is over
  // first.
  void finish(const MPI_Status&) override {
    active = false;
    ++starts_;
    uint64_t hash = mix_all({step_.number, starts_});
    for (const unsigned char byte : receive_.memory()) hash = (hash ^ byte) * 0x100000001b3u;
    g_results += hash;
    const std::string text = text_ + ", start " + std::to_string(starts_);
    if (send_.exists()) check(send_, "send", text);
    if (receive_.exists()) check(receive_, "receive", text);
  }

 private:
  struct Part {
    int from, to, name;
    size_t units;
  };

  void root_argument(const Comm& comm) {
    root_rank_ = comm.groups[step_.root_side][step_.root];
    is_root_ = root_rank_ == g_rank;
    is_leaf_ = !comm.inter() || comm.side() != step_.root_side;
    root_ = is_leaf_ ? static_cast<int>(step_.root) : is_root_ ? MPI_ROOT : MPI_PROC_NULL;
  }

  // Where all get the same, it is the part to nobody.
  Part part(const Comm& comm, int from, int to, int name = 0) const {
    if (!step_.is(kSendsMany)) to = -1, name = 0;
    const bool second = std::count(comm.groups[1].begin(), comm.groups[1].end(), from) != 0;
    size_t units = step_.units[second ? 1 : 0];
    if (step_.is(kUneven)) {
      // In place both of a pair get as much as they send.
      const bool swap = step_.in_place && to >= 0 && from > to;
      const uint64_t hash = mix_all({step_.number, step_.program, static_cast<uint64_t>(swap ? to : from),
                                     static_cast<uint64_t>(swap ? from : to), static_cast<uint64_t>(name)});
      units = hash % 4 == 0 ? 0 : hash / 4 % (2 * units + 1);
    }
    return {from, to, name, units};
  }

  void plan_blocks(const Comm& comm) {
    const auto add = [&](std::vector<Part>& parts, int from, int to, int name = 0) {
      parts.push_back(part(comm, from, to, name));
    };
    const bool sends =
        step_.coll != kBarrier && (!step_.is(kRooted) || (step_.is(kReceivesMany) ? is_leaf_ : is_root_));
    const bool gets = step_.coll != kBarrier && (!step_.is(kRooted) || (step_.is(kReceivesMany) ? is_root_ : is_leaf_));
    if (step_.is(kNear)) {
      if (!step_.is(kSendsMany)) add(outs_, g_rank, -1);
      else
        for (const Edge& edge : comm.destinations) add(outs_, g_rank, edge.peer, edge.name);
      for (const Edge& edge : comm.sources) add(ins_, edge.peer, g_rank, edge.name);
      return;
    }
    if (sends && !step_.is(kSendsMany)) add(outs_, g_rank, -1);
    for (const int peer : comm.peers()) {
      if (sends && step_.is(kSendsMany)) add(outs_, g_rank, peer);
      if (gets && step_.is(kReceivesMany)) add(ins_, peer, g_rank);
    }
    if (gets && !step_.is(kReceivesMany) && (step_.coll != kBcast || !is_root_)) add(ins_, root_rank_, g_rank);
  }

  // Elements of the result at the members of a group, if they share it: the cuts are at random places.
  std::vector<int> shares(size_t members, size_t total, size_t side) const {
    std::vector<size_t> cuts{0, total};
    for (size_t i = 1; i < members; ++i) cuts.push_back(mix_all({step_.program, step_.number, side, i}) % (total + 1));
    std::sort(cuts.begin(), cuts.end());
    std::vector<int> counts;
    for (size_t i = 0; i < members; ++i) counts.push_back(static_cast<int>(cuts[i + 1] - cuts[i]));
    return counts;
  }

  void plan_reduction(const Comm& comm) {
    size_t total = step_.units[0], result = total;
    const size_t own = comm.own().size(), others = comm.groups[1 - comm.side()].size();
    folded_ = comm.peers();
    if (step_.coll == kReduceScatterBlock) {  // the same total in both groups
      result = comm.inter() ? total * others : total;
      total = result * own;
      first_ = result * me_;
    } else if (step_.coll == kReduceScatter) {
      counts_ = shares(own, total, comm.side());
      for (size_t i = 0; i < me_; ++i) first_ += static_cast<size_t>(counts_[i]);
      result = static_cast<size_t>(counts_[me_]);
    } else if (step_.coll == kScan || step_.coll == kExscan) {
      folded_.resize(me_ + (step_.coll == kScan ? 1 : 0));
    } else if (step_.coll == kReduceLocal) {
      folded_ = {g_rank, (g_rank + 1) % mpi_test::g_size};
    }
    result_ = result;
    if (!step_.is(kRooted) || is_leaf_) outs_ = {{g_rank, -1, 0, total}};
    if (!step_.is(kRooted) || is_root_) ins_ = {{-1, -1, 0, result}};
  }

  void make_sides(Random& random) {
    const bool typed = step_.coll == kAlltoallw || step_.coll == kNearAlltoallw;
    const auto make = [&](const std::vector<Part>& parts, bool many) {
      std::vector<size_t> units;
      for (const Part& part : parts) units.push_back(part.units);
      std::vector<Layout> layouts;
      for (size_t i = typed ? parts.size() : 1; i > 0; --i) layouts.push_back(random_layout(random));
      return Side(step_.kind, step_.unit, units, std::move(layouts), typed, many && step_.is(kUneven), random);
    };
    const bool near = step_.is(kNear);  // where there may be nobody, which is no reason for null pointers
    if (in_place_ && step_.is(kReduces)) ins_[0].units = outs_[0].units;  // the result takes the beginning
    if (near || (!outs_.empty() && !(in_place_ && !ins_.empty()))) send_ = make(outs_, step_.is(kSendsMany));
    if (near || !ins_.empty()) receive_ = make(ins_, step_.is(kReceivesMany));
  }

  Layout random_layout(Random& random) const {
    const KindInfo kind = info_of(step_.kind);
    const Reduction* const r = step_.reduction;
    if (r == nullptr) return make_layout(kind, step_.unit, static_cast<Way>(random.below(kWays)));
    return make_layout(kind, r->many, r->extent != 0 || r->many > 1 ? Way::kPacked : Way::kPlain, r->extent);
  }

  uint64_t seed_of(const Part& part) const {
    const auto number = [](int value) { return static_cast<uint64_t>(value + 1); };
    return mix_all({step_.program, step_.number, starts_, number(part.from), number(part.to), number(part.name)});
  }
  auto values_of(const Part& part) const {
    return [kind = step_.kind, seed = seed_of(part)](size_t i) { return element(kind, seed, i); };
  }

  // Both buffers as they are now, and as they must be afterwards.
  void fill() {
    Side& own = send_.exists() ? send_ : receive_;
    for (size_t k = 0; k < outs_.size(); ++k) {
      const size_t block = in_place_ && outs_.size() != ins_.size() && !ins_.empty() ? me_ : k;
      own.expect(block, outs_[k].units, values_of(outs_[k]));
    }
    if (step_.coll == kReduceLocal) receive_.expect(0, ins_[0].units, values_of({folded_[1], -1, 0, 0}));
    send_.put_expected();
    receive_.put_expected();
    if (step_.is(kReduces) && !ins_.empty()) return expect_fold();
    for (size_t k = 0; k < ins_.size(); ++k) {
      if (ins_[k].from >= 0) receive_.expect(k, ins_[k].units, values_of(ins_[k]));
    }
  }
  void expect_fold() {
    if (folded_.empty()) return;
    receive_.expect(0, result_, [&](size_t i) {
      Element result = values_of({folded_[0], -1, 0, 0})(first_ * step_.unit + i);
      for (size_t k = 1; k < folded_.size(); ++k) {
        step_.reduction->fold(result, values_of({folded_[k], -1, 0, 0})(first_ * step_.unit + i));
      }
      return result;
    });
  }

#define IN_FORM(name, iname, ...)                                          \
  (step_.form == Form::kBlocking      ? MPI_##name(__VA_ARGS__)            \
   : step_.form == Form::kNonblocking ? MPI_##iname(__VA_ARGS__, &request) \
                                      : MPI_##name##_init(__VA_ARGS__, MPI_INFO_NULL, &request))

  const void* send_base() { return in_place_ && !send_.exists() ? MPI_IN_PLACE : send_.base(); }
  void* receive_base() { return in_place_ && !receive_.exists() ? MPI_IN_PLACE : receive_.base(); }

  int call_blocks() {
    Side &s = send_, &r = receive_, &any = send_.exists() ? send_ : receive_;
    const void* in = send_base();
    void* out = receive_base();
    switch (step_.coll) {
      case kBarrier: return IN_FORM(Barrier, Ibarrier, comm_);
      case kBcast: return IN_FORM(Bcast, Ibcast, any.base(), any.count(), any.type(), root_, comm_);
      case kGather: return IN_FORM(Gather, Igather, in, s.count(), s.type(), out, r.count(), r.type(), root_, comm_);
      case kGatherv:
        return IN_FORM(Gatherv, Igatherv, in, s.count(), s.type(), out, r.counts(), r.displs(), r.type(), root_, comm_);
      case kScatter: return IN_FORM(Scatter, Iscatter, in, s.count(), s.type(), out, r.count(), r.type(), root_, comm_);
      case kScatterv:
        return IN_FORM(Scatterv, Iscatterv, in, s.counts(), s.displs(), s.type(), out, r.count(), r.type(), root_,
                       comm_);
      case kAllgather: return IN_FORM(Allgather, Iallgather, in, s.count(), s.type(), out, r.count(), r.type(), comm_);
      case kAllgatherv:
        return IN_FORM(Allgatherv, Iallgatherv, in, s.count(), s.type(), out, r.counts(), r.displs(), r.type(), comm_);
      case kAlltoall: return IN_FORM(Alltoall, Ialltoall, in, s.count(), s.type(), out, r.count(), r.type(), comm_);
      case kAlltoallv:
        return IN_FORM(Alltoallv, Ialltoallv, in, s.counts(), s.displs(), s.type(), out, r.counts(), r.displs(),
                       r.type(), comm_);
      default:
        return IN_FORM(Alltoallw, Ialltoallw, in, s.counts(), s.displs(), s.types(), out, r.counts(), r.displs(),
                       r.types(), comm_);
    }
  }

  int call_near() {
    Side &s = send_, &r = receive_;
    switch (step_.coll) {
      case kNearAllgather:
        return IN_FORM(Neighbor_allgather, Ineighbor_allgather, s.base(), s.count(), s.type(), r.base(), r.count(),
                       r.type(), comm_);
      case kNearAllgatherv:
        return IN_FORM(Neighbor_allgatherv, Ineighbor_allgatherv, s.base(), s.count(), s.type(), r.base(), r.counts(),
                       r.displs(), r.type(), comm_);
      case kNearAlltoall:
        return IN_FORM(Neighbor_alltoall, Ineighbor_alltoall, s.base(), s.count(), s.type(), r.base(), r.count(),
                       r.type(), comm_);
      case kNearAlltoallv:
        return IN_FORM(Neighbor_alltoallv, Ineighbor_alltoallv, s.base(), s.counts(), s.displs(), s.type(), r.base(),
                       r.counts(), r.displs(), r.type(), comm_);
      default:
        return IN_FORM(Neighbor_alltoallw, Ineighbor_alltoallw, s.base(), s.counts(), s.byte_displs(), s.types(),
                       r.base(), r.counts(), r.byte_displs(), r.types(), comm_);
    }
  }

  int call_reduction() {
    const void* in = send_base();
    void* out = receive_base();
    const auto n = static_cast<int>(step_.coll == kReduceScatterBlock ? result_ : step_.units[0]);
    const MPI_Datatype type = send_.exists()      ? send_.type()
                              : receive_.exists() ? receive_.type()
                                                  : info_of(step_.kind).type;
    switch (step_.coll) {
      case kReduce: return IN_FORM(Reduce, Ireduce, in, out, n, type, op_, root_, comm_);
      case kAllreduce: return IN_FORM(Allreduce, Iallreduce, in, out, n, type, op_, comm_);
      case kReduceScatter: return IN_FORM(Reduce_scatter, Ireduce_scatter, in, out, counts_.data(), type, op_, comm_);
      case kReduceScatterBlock:
        return IN_FORM(Reduce_scatter_block, Ireduce_scatter_block, in, out, n, type, op_, comm_);
      case kScan: return IN_FORM(Scan, Iscan, in, out, n, type, op_, comm_);
      case kExscan: return IN_FORM(Exscan, Iexscan, in, out, n, type, op_, comm_);
      default: return MPI_Reduce_local(in, out, n, type, op_);
    }
  }
#undef IN_FORM

  const Step step_;
  const MPI_Comm comm_;
  const std::string text_;
  const size_t me_;
  int root_ = 0, root_rank_ = 0;
  bool is_root_ = false, is_leaf_ = false, in_place_ = false;
  std::vector<Part> outs_, ins_;
  Side send_, receive_;
  // Of reductions: whose contributions, from which unit on, and of reduce_scatter the units of each member.
  Ranks folded_;
  size_t first_ = 0, result_ = 0;
  std::vector<int> counts_;
  MPI_Op op_ = MPI_OP_NULL;
  uint64_t starts_ = 0;  // that are over
};

}  // namespace random_colls
