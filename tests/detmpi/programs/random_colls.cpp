// Random collective operations: random_colls NUMBER. From the number all ranks draw the same sequence of operations, on
// communicators that come and go, and among messages; and each rank draws for itself how its data lie, and when it
// waits for what. Every byte of every buffer is compared with what follows from the numbers. Rank 0 prints a hash of
// all results, which depends on the program's number and on the number of ranks alone. "random_colls NUMBER wrong": one
// rank begins something else than the others.
#include "random_colls.hpp"

#include <memory>

#include "random_colls_call.hpp"

using namespace random_colls;
using mpi_test::g_size;

namespace {

constexpr size_t kMostComms = 7;
// Bytes on both sides of all borders between the ways that operations take.
constexpr size_t kBytes[] = {0,    1,    7,    32,   33,   40,   41,   100,   504,   512,   513,   1000,
                             1024, 1025, 3000, 4096, 4104, 8192, 8200, 16384, 32768, 32776, 65536, 100000};
constexpr size_t kMostTogether = 300'000;

// A message that travels across the collective operations; what it holds follows from its step and its sender.
class Message final : public Operation {
 public:
  Message(uint64_t program, const Comm& comm, uint64_t step, size_t units, Way way, Random& random)
      : program_(program),
        step_(step),
        senders_(comm.own()),
        data_(Kind::kInt, 1, {units}, {make_layout(info_of(Kind::kInt), 1, way)}, false, false, random) {}

  static size_t units_of(uint64_t program, uint64_t step, int sender) {
    const uint64_t hash = mix_all({program, step, static_cast<uint64_t>(sender)});
    return kBytes[hash % std::size(kBytes)] / sizeof(int);
  }
  void send(MPI_Comm comm, int to, bool synchronous) {
    expect(g_rank);
    data_.put_expected();
    (synchronous ? MPI_Issend : MPI_Isend)(data_.base(), data_.count(), data_.type(), to, static_cast<int>(step_), comm,
                                           &request);
    data_.free_types();
  }
  void receive(MPI_Comm comm) {
    receives_ = true;
    MPI_Irecv(data_.base(), data_.count(), data_.type(), MPI_ANY_SOURCE, static_cast<int>(step_), comm, &request);
    data_.free_types();
  }
  void finish(const MPI_Status& status) override {
    active = false;
    if (receives_) expect(senders_[static_cast<size_t>(status.MPI_SOURCE)]);
    const std::string text = "program " + std::to_string(program_) + ", step " + std::to_string(step_) + ": message";
    check(data_, receives_ ? "receive" : "send", text);
  }

 private:
  void expect(int sender) {
    const uint64_t seed = mix_all({program_, step_, static_cast<uint64_t>(sender), 1});
    data_.expect(0, units_of(program_, step_, sender), [&](size_t i) { return element(Kind::kInt, seed, i); });
  }
  const uint64_t program_, step_;
  const Ranks senders_;
  Side data_;
  bool receives_ = false;
};

class Player {
 public:
  Player(uint64_t program, bool wrong)
      : program_(program),
        wrong_(wrong),
        shared_(mix_all({program, 1})),
        waits_(mix_all({program, 2, static_cast<uint64_t>(g_rank)})) {
    Comm world;
    world.handle = MPI_COMM_WORLD;
    for (int rank = 0; rank < g_size; ++rank) world.groups[0].push_back(rank);
    comms_.push_back(world);
    for (int i = 0; i < 3; ++i) make_comm();
  }

  void play() {
    for (size_t left = 15 + shared_.below(26); left > 0; --left) {
      ++step_;
      const size_t what = shared_.below(16);
      if (what == 0) make_comm();
      else if (what == 1) free_comm();
      else if (what < 4) ring();
      else if (what < 6 && !restarts_.empty()) start_again(shared_.below(restarts_.size()));
      else collective();
      if (waits_.one_in(2)) complete_some();
    }
    while (!restarts_.empty()) start_again(0);
    while (!under_way().empty()) complete_some();
    operations_.clear();
    while (comms_.size() > 1) free_comm(1);
  }
  uint64_t steps() const { return step_; }

 private:
  // For what this rank decides in the step alone.
  Random of_step() const { return Random(mix_all({program_, 3, step_, static_cast<uint64_t>(g_rank)})); }

  struct Restart {  // of a persistent operation: known to all ranks
    size_t comm;
    size_t starts_left;
    std::shared_ptr<Call> call;  // at the members of the communicator
  };

  // ---- communicators

  const Comm& any_comm() { return comms_[shared_.below(comms_.size())]; }
  // One of a single group, also of which this rank is no member.
  const Comm& any_group() {
    for (;;) {
      const Comm& comm = any_comm();
      if (!comm.inter()) return comm;
    }
  }
  Ranks ranks_in(const Comm& comm, const Ranks& members) const {
    Ranks ranks;
    for (const int member : members) {
      const Ranks& all = comm.groups[0];
      ranks.push_back(static_cast<int>(std::find(all.begin(), all.end(), member) - all.begin()));
    }
    return ranks;
  }
  static bool is_in(const Ranks& ranks) { return std::count(ranks.begin(), ranks.end(), g_rank) != 0; }

  void make_comm() {
    if (comms_.size() >= kMostComms) return;
    switch (shared_.below(6)) {
      case 0: return copy(any_comm());
      case 1: return split(any_group());
      case 2: return choose(any_group());
      case 3: return make_grid(any_group());
      case 4: return make_graph(any_group());
      default: return make_inter(any_group());
    }
  }

  void copy(Comm comm) {
    if (comm.handle != MPI_COMM_NULL) MPI_Comm_dup(MPI_Comm(comm.handle), &comm.handle);
    comms_.push_back(comm);
  }

  // Two parts, in any order, and some who are in none.
  void split(const Comm& parent) {
    Comm parts[2];
    int color = MPI_UNDEFINED, key = 0;
    std::vector<std::pair<int, int>> keys[2];
    for (const int rank : parent.groups[0]) {
      const size_t part = shared_.below(5) / 2, its_key = shared_.below(6);
      if (part < 2) keys[part].emplace_back(static_cast<int>(its_key), rank);
      if (part < 2 && rank == g_rank) color = static_cast<int>(part);
      if (rank == g_rank) key = static_cast<int>(its_key);
    }
    MPI_Comm made = MPI_COMM_NULL;
    if (parent.handle != MPI_COMM_NULL) MPI_Comm_split(parent.handle, color, key, &made);
    for (int part = 0; part < 2; ++part) {
      const auto by_key = [](const auto& a, const auto& b) { return a.first < b.first; };
      std::stable_sort(keys[part].begin(), keys[part].end(), by_key);
      for (const auto& [its_key, rank] : keys[part]) parts[part].groups[0].push_back(rank);
      if (color == part) parts[part].handle = made;
      if (!keys[part].empty()) comms_.push_back(parts[part]);
    }
  }

  // Some members in any order.
  void choose(const Comm& parent) {
    Comm comm;
    comm.groups[0] = parent.groups[0];
    shared_.shuffle(comm.groups[0]);
    comm.groups[0].resize(1 + shared_.below(comm.groups[0].size()));
    const Ranks ranks = ranks_in(parent, comm.groups[0]);
    if (is_in(comm.groups[0])) {
      MPI_Group all, chosen;
      MPI_Comm_group(parent.handle, &all);
      MPI_Group_incl(all, static_cast<int>(ranks.size()), ranks.data(), &chosen);
      MPI_Comm_create_group(parent.handle, chosen, static_cast<int>(step_), &comm.handle);
      MPI_Group_free(&all);
      MPI_Group_free(&chosen);
    }
    comms_.push_back(comm);
  }

  // What goes down in a dimension is received from above: edges have the names of the direction of travel.
  void make_grid(const Comm& parent) {
    Comm comm;
    comm.near = true;
    size_t places = 1;
    std::vector<int> dims, periods;
    for (size_t left = 1 + shared_.below(3); left > 0; --left) {
      dims.push_back(static_cast<int>(1 + shared_.below(parent.groups[0].size() / places)));
      periods.push_back(shared_.one_in(2));
      places *= static_cast<size_t>(dims.back());
    }
    comm.groups[0] = parent.groups[0];
    comm.groups[0].resize(places);
    const auto n = static_cast<int>(dims.size());
    if (parent.handle != MPI_COMM_NULL) MPI_Cart_create(parent.handle, n, dims.data(), periods.data(), 0, &comm.handle);
    for (int dim = 0; dim < n && comm.handle != MPI_COMM_NULL; ++dim) {
      int below, above;
      MPI_Cart_shift(comm.handle, dim, 1, &below, &above);
      const auto member = [&](int rank) { return rank < 0 ? -1 : comm.groups[0][static_cast<size_t>(rank)]; };
      comm.destinations.insert(comm.destinations.end(), {{member(below), 2 * dim}, {member(above), 2 * dim + 1}});
      comm.sources.insert(comm.sources.end(), {{member(below), 2 * dim + 1}, {member(above), 2 * dim}});
    }
    comms_.push_back(comm);
  }

  // Any edges, also several from one member to another, whose order is the same at both ends.
  void make_graph(const Comm& parent) {
    Comm comm;
    comm.near = true;
    comm.groups[0] = parent.groups[0];
    const Ranks& all = comm.groups[0];
    for (size_t name = 0, edges = shared_.below(3 * all.size() + 1); name < edges; ++name) {
      const int from = all[shared_.below(all.size())], to = all[shared_.below(all.size())];
      if (from == g_rank) comm.destinations.push_back({to, static_cast<int>(name)});
      if (to == g_rank) comm.sources.push_back({from, static_cast<int>(name)});
    }
    if (of_step().one_in(2)) {
      const auto by_peer = [](const Edge& a, const Edge& b) { return a.peer > b.peer; };
      std::stable_sort(comm.destinations.begin(), comm.destinations.end(), by_peer);
    }
    if (parent.handle != MPI_COMM_NULL) {
      const auto peers = [&](const std::vector<Edge>& edges) {
        Ranks ranks;
        for (const Edge& edge : edges) ranks.push_back(edge.peer);
        return ranks_in(parent, ranks);
      };
      const Ranks from = peers(comm.sources), to = peers(comm.destinations);
      MPI_Dist_graph_create_adjacent(parent.handle, static_cast<int>(from.size()), from.data(), MPI_UNWEIGHTED,
                                     static_cast<int>(to.size()), to.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                     &comm.handle);
    }
    comms_.push_back(comm);
  }

  void make_inter(const Comm& parent) {
    Comm comm;
    Ranks all = parent.groups[0];
    if (all.size() < 2) return;
    shared_.shuffle(all);
    const size_t first = 1 + shared_.below(all.size() - 1);
    comm.groups[0].assign(all.begin(), all.begin() + static_cast<ptrdiff_t>(first));
    comm.groups[1].assign(all.begin() + static_cast<ptrdiff_t>(first), all.end());
    const size_t leaders[] = {shared_.below(first), shared_.below(all.size() - first)};
    if (is_in(all)) {
      const size_t side = comm.side(), other = 1 - side;
      MPI_Comm local;
      MPI_Comm_split(parent.handle, static_cast<int>(side), static_cast<int>(comm.rank()), &local);
      const int leader = ranks_in(parent, {comm.groups[other][leaders[other]]})[0];
      MPI_Intercomm_create(local, static_cast<int>(leaders[side]), parent.handle, leader, static_cast<int>(step_),
                           &comm.handle);
      MPI_Comm_free(&local);
    }
    comms_.push_back(comm);
  }

  // Also while operations on it are under way, but for persistent ones that are to be started again.
  void free_comm() {
    if (comms_.size() == 1) return;
    const size_t at = 1 + shared_.below(comms_.size() - 1);
    const bool used = std::any_of(restarts_.begin(), restarts_.end(), [at](const auto& r) { return r.comm == at; });
    if (!used) free_comm(at);
  }
  void free_comm(size_t at) {
    if (comms_[at].handle != MPI_COMM_NULL) MPI_Comm_free(&comms_[at].handle);
    comms_.erase(comms_.begin() + static_cast<ptrdiff_t>(at));
    for (Restart& restart : restarts_) restart.comm -= restart.comm > at ? 1 : 0;
  }

  // ---- operations

  void collective() {
    Step step = draw(shared_, shared_.below(comms_.size()));
    const Comm& comm = comms_[step.comm];
    size_t starts = step.form == Form::kPersistent ? 1 + shared_.below(3) : 1;
    if (goes_wrong(step, comm)) {
      starts = 1;
      if (!make_wrong(step, comm)) return;
    }
    std::shared_ptr<Call> call;
    if (comm.handle != MPI_COMM_NULL) {
      Random own = of_step();
      call = std::make_shared<Call>(step, comm, own);
      call->begin();
      if (call->request != MPI_REQUEST_NULL) operations_.push_back(call);
    }
    if (starts > 1) restarts_.push_back({step.comm, starts - 1, call});
  }

  // Once in a program that is to go wrong a member begins something else than the others, so that they must notice.
  bool goes_wrong(const Step& step, const Comm& comm) {
    Ranks all = comm.groups[0];
    all.insert(all.end(), comm.groups[1].begin(), comm.groups[1].end());
    if (!wrong_ || went_wrong_ || all.size() < 2 || comm.near || step.coll == kReduceLocal) return false;
    const uint64_t hash = mix_all({program_, 4, step_});
    if (hash % 4 != 0) return false;
    went_wrong_ = true;
    return all[hash / 8 % all.size()] == g_rank;
  }

  // False: it leaves the operation out.
  bool make_wrong(Step& step, const Comm& comm) const {
    Random own(mix_all({program_, 5}));
    const Step right = step;
    const bool sized = step.coll != kBarrier && !step.is(kUneven) && !comm.inter();
    switch (own.below(5)) {
      case 0:
        if (step.is(kRooted) && !comm.inter()) step.root = (step.root + 1) % comm.groups[0].size();
        break;
      case 1:
        if (sized) step.units[0] += 1 + own.below(3);
        break;
      case 2:
        if (sized) step.units[0] /= 2;
        break;
      case 3: std::fprintf(stderr, "rank %d leaves out %s\n", g_rank, step.text().c_str()); return false;
      default: break;
    }
    while (step.text() == right.text() || step.coll == kReduceLocal) {
      step = draw(own, step.comm);
      if (step.coll == right.coll) step = right;
    }
    std::fprintf(stderr, "rank %d: %s, instead of %s\n", g_rank, step.text().c_str(), right.text().c_str());
    return true;
  }

  Step draw(Random& random, size_t at) const {
    Step step;
    step.program = program_;
    step.number = step_;
    step.comm = at;
    const Comm& comm = comms_[step.comm];
    const bool near = comm.near && random.one_in(2);
    do {
      step.coll = static_cast<Coll>(random.below(kColls));
    } while (step.is(kNear) != near || (comm.inter() && !step.is(kInter)));
    constexpr Form kForms[] = {Form::kBlocking,    Form::kBlocking,    Form::kBlocking,
                               Form::kNonblocking, Form::kNonblocking, Form::kPersistent};
    step.form = step.coll == kReduceLocal ? Form::kBlocking : kForms[random.below(std::size(kForms))];
    step.in_place = step.is(kInPlace) && !comm.inter() && random.one_in(3);
    step.root_side = comm.inter() ? random.below(2) : 0;
    step.root = random.below(comm.groups[step.root_side].size());
    if (step.is(kReduces)) {
      step.reduction = &reductions()[random.below(reductions().size())];
      step.kind = step.reduction->kind;
      step.unit = step.reduction->many;
    } else {
      step.kind = static_cast<Kind>(random.below(kKinds));
      step.unit = random.one_in(2) ? 1 : 3;
    }
    draw_units(step, comm, random);
    return step;
  }

  // Not too much at any member.
  static void draw_units(Step& step, const Comm& comm, Random& random) {
    const size_t members = comm.groups[0].size() + comm.groups[1].size();
    const bool many = step.is(kSendsMany | kReceivesMany) || step.coll == kReduceScatterBlock;
    const size_t blocks = !many                                              ? 1
                          : step.coll == kReduceScatterBlock && comm.inter() ? members * members / 4
                                                                             : members;
    for (size_t& units : step.units) {
      size_t bytes = kBytes[random.below(std::size(kBytes))];
      if (random.one_in(4)) bytes /= members;
      if (step.is(kReduces) && random.one_in(12)) bytes = kMostTogether;
      bytes = std::min(bytes, kMostTogether / blocks);
      const size_t unit = step.unit * info_of(step.kind).bytes;
      units = (bytes + (random.one_in(2) ? unit - 1 : 0)) / unit;
    }
    if (!comm.inter()) step.units[1] = 0;
  }

  // The call may still be under way.
  void start_again(size_t at) {
    Restart& restart = restarts_[at];
    if (restart.call) {
      if (restart.call->active) complete({restart.call.get()}, 0);
      restart.call->begin();
    }
    if (--restart.starts_left == 0) restarts_.erase(restarts_.begin() + static_cast<ptrdiff_t>(at));
  }

  // Each sends to two others, which do not know who comes first.
  void ring() {
    const Comm& comm = any_group();
    const size_t n = comm.groups[0].size(), distances[] = {shared_.below(n), shared_.below(n)};
    if (comm.handle == MPI_COMM_NULL) return;
    Random own = of_step();
    for (const size_t distance : distances) {
      const auto message = [&](size_t units) {
        const Way way = static_cast<Way>(own.below(kWays));
        auto made = std::make_shared<Message>(program_, comm, step_, units, way, own);
        operations_.push_back(made);
        return made;
      };
      message(Message::units_of(program_, step_, g_rank))
          ->send(comm.handle, static_cast<int>((comm.rank() + distance) % n), own.one_in(3));
      message(kBytes[std::size(kBytes) - 1] / sizeof(int))->receive(comm.handle);
    }
  }

  std::vector<Operation*> under_way() const {
    std::vector<Operation*> list;
    for (const auto& operation : operations_) {
      if (operation->active) list.push_back(operation.get());
    }
    return list;
  }

  void complete_some() {
    std::vector<Operation*> some = under_way();
    if (some.empty()) return;
    waits_.shuffle(some);
    some.resize(1 + waits_.below(some.size()));
    const size_t way = waits_.below(7);
    complete(some, wrong_ && way % 2 == 0 ? 1 : way);  // what never comes is not tested for
  }

  // Waits, in some way, for all of them or for one at least.
  void complete(const std::vector<Operation*>& some, size_t way) {
    const auto n = static_cast<int>(some.size());
    std::vector<MPI_Request> requests;
    for (const Operation* operation : some) requests.push_back(operation->request);
    std::vector<MPI_Status> statuses(some.size());
    std::vector<int> indices(some.size());
    std::iota(indices.begin(), indices.end(), 0);
    int flag = 0, done = 1;
    switch (way) {
      case 0: {
        for (size_t i = 0; i < some.size(); ++i) MPI_Wait(&requests[i], &statuses[i]);
        done = n;
        break;
      }
      case 1: {
        MPI_Waitall(n, requests.data(), statuses.data());
        done = n;
        break;
      }
      case 2: {
        while (flag == 0) MPI_Testall(n, requests.data(), &flag, statuses.data());
        done = n;
        break;
      }
      case 3: MPI_Waitany(n, requests.data(), indices.data(), statuses.data()); break;
      case 4: {
        while (flag == 0) MPI_Testany(n, requests.data(), indices.data(), &flag, statuses.data());
        break;
      }
      case 5: MPI_Waitsome(n, requests.data(), &done, indices.data(), statuses.data()); break;
      default: MPI_Testsome(n, requests.data(), &done, indices.data(), statuses.data()); break;
    }
    for (int i = 0; i < done; ++i) {
      const auto at = static_cast<size_t>(indices[static_cast<size_t>(i)]);
      finish(*some[at], requests[at], statuses[static_cast<size_t>(i)]);
    }
  }

  void finish(Operation& operation, MPI_Request request, const MPI_Status& status) {
    operation.request = request;
    operation.finish(status);
    const auto is_this = [&](const auto& other) { return other.get() == &operation; };
    const bool again = std::any_of(restarts_.begin(), restarts_.end(), [&](const auto& r) { return is_this(r.call); });
    if (again) return;
    if (operation.request != MPI_REQUEST_NULL) MPI_Request_free(&operation.request);
    operations_.erase(std::find_if(operations_.begin(), operations_.end(), is_this));
  }

  const uint64_t program_;
  const bool wrong_;
  bool went_wrong_ = false;
  Random shared_;  // the same at all ranks
  Random waits_;   // what is under way depends on the order of messages, and so what is drawn
  uint64_t step_ = 0;
  std::vector<Comm> comms_;
  std::vector<Restart> restarts_;
  std::vector<std::shared_ptr<Operation>> operations_;  // with requests
};

}  // namespace

int main(int argc, char** argv) {
  const mpi_test::Mpi mpi(argc, argv);
  EXPECT(argc == 2 || (argc == 3 && std::strcmp(argv[2], "wrong") == 0));
  const uint64_t program = std::strtoul(argv[1], nullptr, 10);
  MPI_Type_contiguous(4, MPI_UINT32_T, &g_matrix);
  MPI_Type_commit(&g_matrix);
  Player player(program, argc == 3);
  player.play();
  MPI_Type_free(&g_matrix);
  const uint64_t results = Call::g_results;
  uint64_t sum = 0;
  MPI_Reduce(&results, &sum, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
  if (g_rank == 0) {
    std::printf("program %lu: %lu steps gave %016lx\n", program, player.steps(), sum);
  }
}
