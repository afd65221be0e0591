// Reductions of elements that do not begin where the program says its buffer begins: behind a gap, before it, or each
// before the one in front of it. With an operation of the program's own that does not commute, on elements of any
// size.
#include <cstddef>

#include "colls.hpp"

using namespace mpi_test;

namespace {

// x -> a x + b
struct Line {
  uint32_t a, b;
  bool operator==(const Line&) const = default;
};

Line after(const Line& first, const Line& then) { return {then.a * first.a, then.a * first.b + then.b}; }
Line input(int rank, int i) {
  return {2 * static_cast<uint32_t>(rank) + 3, mix(static_cast<uint64_t>(rank) * 4099 + static_cast<uint64_t>(i))};
}
Line composed(int last, int i) {
  Line line = input(0, i);
  for (int rank = 1; rank <= last; ++rank) line = after(line, input(rank, i));
  return line;
}

// Where the `a` of the first line lies, and how far it is from one line to the next. `b` comes kApart behind `a`.
struct Form {
  std::ptrdiff_t begin;
  std::ptrdiff_t step;
  int lines;  // of an element
};
constexpr std::ptrdiff_t kApart = 12;
constexpr size_t kEnd = 16;
Form g_form;

char* line_at(void* base, int64_t i) {
  return reinterpret_cast<char*>(reinterpret_cast<intptr_t>(base) + g_form.begin + i * g_form.step);
}
Line get(void* base, int64_t i) {
  Line line;
  std::memcpy(&line.a, line_at(base, i), sizeof line.a);
  std::memcpy(&line.b, line_at(base, i) + kApart, sizeof line.b);
  return line;
}
void put(void* base, int64_t i, const Line& line) {
  std::memcpy(line_at(base, i), &line.a, sizeof line.a);
  std::memcpy(line_at(base, i) + kApart, &line.b, sizeof line.b);
}

extern "C" void compose(void* left, void* right, int* count, MPI_Datatype*) {
  for (int64_t i = 0; i < int64_t{*count} * g_form.lines; ++i) put(right, i, after(get(left, i), get(right, i)));
}

// A program's buffer; what is not data stays as it is.
class Lines {
 public:
  explicit Lines(int64_t n) : n_(n), memory_(static_cast<size_t>(n * std::abs(g_form.step)) + kEnd, kGap) {}
  void* base() { return memory_.data() + (g_form.step < 0 ? (1 - n_) * g_form.step : 0) - g_form.begin; }
  void fill(int rank, int64_t first) {
    for (int64_t i = 0; i < n_; ++i) put(base(), i, input(rank, static_cast<int>(first + i)));
  }
  // Line i is that of all members up to `last`; `shift`: of which lines of theirs.
  void expect(int last, int64_t shift = 0) {
    for (int64_t i = 0; i < n_; ++i) EXPECT(get(base(), i) == composed(last, static_cast<int>(shift + i)));
    expect_gaps();
  }
  void expect_gaps() {
    for (int64_t i = 0; i < n_; ++i) put(base(), i, {kGap * 0x1010101u, kGap * 0x1010101u});
    EXPECT(std::all_of(memory_.begin(), memory_.end(), [](unsigned char c) { return c == kGap; }));
  }

 private:
  static constexpr unsigned char kGap = 0xab;
  int64_t n_;
  std::vector<unsigned char> memory_;
};

struct Kind {
  MPI_Datatype type;
  MPI_Op op;
};

Kind make_kind() {
  const MPI_Aint at[] = {g_form.begin, g_form.begin + kApart};
  MPI_Datatype line, spaced, all;
  Kind kind;
  MPI_Type_create_hindexed_block(2, 1, at, MPI_UINT32_T, &line);
  MPI_Type_create_resized(line, 0, g_form.step, &spaced);
  MPI_Type_contiguous(g_form.lines, spaced, &all);
  MPI_Type_create_resized(all, 0, g_form.lines * g_form.step, &kind.type);
  MPI_Type_commit(&kind.type);
  MPI_Type_free(&all);
  MPI_Type_free(&line);
  MPI_Type_free(&spaced);
  MPI_Op_create(compose, 0, &kind.op);
  return kind;
}

// `n`: how many members contribute; `each`: how many elements each member gets, where what all of a group get is the
// same for both groups of an inter-communicator.
void with_totals(const Kind& k, const Group& g, int count, int n, int each) {
  const int64_t lines = int64_t{count} * g_form.lines;
  Lines in(lines);
  in.fill(g.rank, 0);
  Lines out(lines);
  MPI_Allreduce(in.base(), out.base(), count, k.type, k.op, g.comm);
  out.expect(n - 1);

  std::vector<int> counts(static_cast<size_t>(g.size), each);
  Lines all(int64_t{each} * g.size * g_form.lines), part(int64_t{each} * g_form.lines);
  all.fill(g.rank, 0);
  MPI_Reduce_scatter_block(all.base(), part.base(), each, k.type, k.op, g.comm);
  part.expect(n - 1, int64_t{g.rank} * each * g_form.lines);
  if (g.size > 1) --counts[0], ++counts[1];
  Lines share(int64_t{counts[static_cast<size_t>(g.rank)]} * g_form.lines);
  MPI_Reduce_scatter(all.base(), share.base(), counts.data(), k.type, k.op, g.comm);
  const int before = g.rank * each - (g.rank == 1 ? 1 : 0);
  share.expect(n - 1, int64_t{before} * g_form.lines);
}

void to_roots(const Kind& k, const Group& g, int count) {
  const int64_t lines = int64_t{count} * g_form.lines;
  Lines in(lines);
  in.fill(g.rank, 0);
  for (const int root : roots_for(g)) {
    Lines out(lines);
    MPI_Reduce(in.base(), out.base(), count, k.type, k.op, root, g.comm);
    if (g.rank == root) out.expect(g.size - 1);
    else out.expect_gaps();
  }
}

void prefixes(const Kind& k, const Group& g, int count) {
  Lines in(int64_t{count} * g_form.lines), out(int64_t{count} * g_form.lines);
  in.fill(g.rank, 0);
  MPI_Scan(in.base(), out.base(), count, k.type, k.op, g.comm);
  out.expect(g.rank);
  MPI_Exscan(in.base(), out.base(), count, k.type, k.op, g.comm);
  if (g.rank > 0) out.expect(g.rank - 1);
}

void in_place(const Kind& k, const Group& g, int count) {
  const int64_t lines = int64_t{count} * g_form.lines;
  Lines data(lines), all(lines * g.size);
  data.fill(g.rank, 0);
  MPI_Allreduce(MPI_IN_PLACE, data.base(), count, k.type, k.op, g.comm);
  data.expect(g.size - 1);
  data.fill(g.rank, 0);
  MPI_Scan(MPI_IN_PLACE, data.base(), count, k.type, k.op, g.comm);
  data.expect(g.rank);
  all.fill(g.rank, 0);
  MPI_Reduce_scatter_block(MPI_IN_PLACE, all.base(), count, k.type, k.op, g.comm);
  for (int64_t i = 0; i < lines; ++i) {
    EXPECT(get(all.base(), i) == composed(g.size - 1, static_cast<int>(g.rank * lines + i)));
  }
}

void across(const Kind& k, int count) {
  MPI_Comm half, inter;
  MPI_Comm_split(MPI_COMM_WORLD, g_rank % 2, 0, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - g_rank % 2, 0, &inter);
  const Group g(inter);
  int others = 0;
  MPI_Comm_remote_size(inter, &others);
  with_totals(k, g, count, others, others);
  Lines in(int64_t{count} * g_form.lines), out(int64_t{count} * g_form.lines);
  in.fill(g.rank, 0);
  const int root = g_rank % 2 == 1 ? 0 : g.rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
  // Who does not take part has no arguments.
  if (root == MPI_PROC_NULL) MPI_Reduce(nullptr, nullptr, 0, MPI_DATATYPE_NULL, MPI_OP_NULL, root, inter);
  else MPI_Reduce(in.base(), out.base(), count, k.type, k.op, root, inter);
  if (root == MPI_ROOT) out.expect(others - 1);
  MPI_Comm_free(&inter);
  MPI_Comm_free(&half);
}

void with_form(const Form& form) {
  g_form = form;
  Kind kind = make_kind();
  const std::vector<int> counts = form.lines == 1 ? std::vector<int>{3, 5000} : std::vector<int>{2};
  for (const int count : counts) {
    const Group world(MPI_COMM_WORLD);
    to_roots(kind, world, count);
    with_totals(kind, world, count, world.size, count);
    prefixes(kind, world, count);
    in_place(kind, world, count);
    if (g_size > 1) across(kind, count);
  }
  MPI_Op_free(&kind.op);
  MPI_Type_free(&kind.type);
}

}  // namespace

int main(int argc, char** argv) {
  Mpi mpi(argc, argv);
  // So far that whoever takes it for part of the data ends up outside of its memory.
  constexpr std::ptrdiff_t kFar = std::ptrdiff_t{1} << 26;
  constexpr int kHuge = 5000;  // lines of an element larger than a round
  for (const std::ptrdiff_t begin : {kFar, -kFar}) {
    for (const int step : {16, -20}) {
      with_form({begin, step, 1});
      with_form({begin, step, kHuge});
    }
  }
  if (g_rank == 0) std::puts("wherever they lie");
}
