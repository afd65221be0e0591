// Inter-communicators: made of two groups, copied, split, merged; messages reach the other group and no other.
#include "colls.hpp"

using namespace mpi_test;

namespace {

bool is_odd() { return g_rank % 2 == 1; }

// Even and odd ranks, the odd ones in falling order; the leaders are the last of each.
struct Halves {
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm inter = MPI_COMM_NULL;
  int odds = g_size / 2;
  int evens = g_size - g_size / 2;
  Halves() {
    MPI_Comm_split(MPI_COMM_WORLD, is_odd(), is_odd() ? -g_rank : g_rank, &half);
    const int last_even = 2 * (evens - 1), last_odd = 1;  // in MPI_COMM_WORLD
    MPI_Intercomm_create(half, Group(half).size - 1, MPI_COMM_WORLD, is_odd() ? last_even : last_odd, 7, &inter);
  }
  ~Halves() {
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
  }
  Halves(const Halves&) = delete;
  Halves& operator=(const Halves&) = delete;
};

std::vector<int> world_ranks(MPI_Group group) {
  int n = 0;
  MPI_Group_size(group, &n);
  std::vector<int> ranks(static_cast<size_t>(n)), in_world(ranks.size());
  for (int i = 0; i < n; ++i) ranks[static_cast<size_t>(i)] = i;
  MPI_Group world;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_translate_ranks(group, n, ranks.data(), world, in_world.data());
  MPI_Group_free(&world);
  MPI_Group_free(&group);
  return in_world;
}
std::vector<int> members(MPI_Comm comm) {
  MPI_Group group;
  MPI_Comm_group(comm, &group);
  return world_ranks(group);
}
std::vector<int> remote_members(MPI_Comm comm) {
  MPI_Group group;
  MPI_Comm_remote_group(comm, &group);
  return world_ranks(group);
}

std::vector<int> evens_of(int size) {
  std::vector<int> ranks;
  for (int r = 0; r < size; r += 2) ranks.push_back(r);
  return ranks;
}
std::vector<int> odds_of(int size) {
  std::vector<int> ranks;
  for (int r = size - 1; r >= 0; --r) {
    if (r % 2 == 1) ranks.push_back(r);
  }
  return ranks;
}

// Everybody sends everybody on the other side its rank in MPI_COMM_WORLD; named receives first, then wildcards.
void expect_talk(MPI_Comm inter) {
  const std::vector<int> remote = remote_members(inter);
  const int n = static_cast<int>(remote.size());
  for (const bool named : {true, false}) {
    std::vector<MPI_Request> requests(remote.size());
    for (int to = 0; to < n; ++to) {
      MPI_Isend(&g_rank, 1, MPI_INT, to, 3, inter, &requests[static_cast<size_t>(to)]);
    }
    std::vector<bool> seen(remote.size());
    for (int i = 0; i < n; ++i) {
      int got = -1;
      MPI_Status status;
      MPI_Recv(&got, 1, MPI_INT, named ? i : MPI_ANY_SOURCE, 3, inter, &status);
      const auto from = static_cast<size_t>(status.MPI_SOURCE);
      EXPECT(from < remote.size() && got == remote[from] && !seen[from]);
      EXPECT(!named || status.MPI_SOURCE == i);
      seen[from] = true;
    }
    MPI_Waitall(n, requests.data(), MPI_STATUSES_IGNORE);
  }
}

void expect_halves(const Halves& halves, MPI_Comm inter) {
  int flag = 0, remote = 0;
  MPI_Comm_test_inter(inter, &flag);
  MPI_Comm_remote_size(inter, &remote);
  const Group g(inter), half(halves.half);
  EXPECT(flag && g.rank == half.rank && g.size == half.size && remote == g_size - half.size);
  const auto evens = evens_of(g_size), odds = odds_of(g_size);
  EXPECT(members(inter) == (is_odd() ? odds : evens));
  EXPECT(remote_members(inter) == (is_odd() ? evens : odds));
  expect_talk(inter);
}

// Long messages, probes, sendrecv; the half's own messages of the same tag stay apart.
void messages(const Halves& halves) {
  const Group g(halves.inter);
  const int pairs = std::min(halves.odds, halves.evens);
  if (g.rank < pairs) {
    const auto out = message(300000, static_cast<uint64_t>(g_rank));
    std::vector<unsigned char> in(out.size());
    const int partner = remote_members(halves.inter)[static_cast<size_t>(g.rank)];
    MPI_Sendrecv(out.data(), 300000, MPI_BYTE, g.rank, 4, in.data(), 300000, MPI_BYTE, g.rank, 4, halves.inter,
                 MPI_STATUS_IGNORE);
    EXPECT(holds(in.data(), in.size(), static_cast<uint64_t>(partner)));
    MPI_Request request;
    MPI_Issend(&g_rank, 1, MPI_INT, g.rank, 5, halves.inter, &request);
    MPI_Status status;
    MPI_Probe(g.rank, 5, halves.inter, &status);
    EXPECT(status.MPI_SOURCE == g.rank && count_of(status, MPI_INT) == 1);
    int got = -1;
    MPI_Recv(&got, 1, MPI_INT, g.rank, 5, halves.inter, MPI_STATUS_IGNORE);
    EXPECT(got == partner);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  int sum = 0, expected = 0;
  MPI_Allreduce(&g_rank, &sum, 1, MPI_INT, MPI_SUM, halves.half);
  for (const int r : members(halves.inter)) expected += r;
  EXPECT(sum == expected);
}

int copy_twice(MPI_Comm, int, void*, void* in, void* out, int* flag) {
  *static_cast<void**>(out) = static_cast<char*>(in) + 1;
  *flag = 1;
  return MPI_SUCCESS;
}

void copies(const Halves& halves) {
  int key = 0;
  MPI_Comm_create_keyval(copy_twice, MPI_COMM_NULL_DELETE_FN, &key, nullptr);
  char value[2];
  MPI_Comm_set_attr(halves.inter, key, value);
  MPI_Comm copy;
  MPI_Comm_dup(halves.inter, &copy);
  char* found = nullptr;
  int flag = 0, result = -1;
  MPI_Comm_get_attr(copy, key, &found, &flag);
  EXPECT(flag && found == value + 1);
  MPI_Comm_compare(copy, halves.inter, &result);
  EXPECT(result == MPI_CONGRUENT);
  MPI_Comm_compare(copy, halves.half, &result);
  EXPECT(result == MPI_UNEQUAL);
  expect_halves(halves, copy);
  MPI_Comm_free(&copy);
  MPI_Comm_free_keyval(&key);
}

// Both sides are turned around, and the first three of each make one communicator; the last even rank is left out.
void splits(const Halves& halves) {
  const Group g(halves.inter);
  MPI_Comm turned, part;
  MPI_Comm_split(halves.inter, 4, -g.rank, &turned);
  std::vector<int> expected = remote_members(halves.inter);
  std::reverse(expected.begin(), expected.end());
  EXPECT(remote_members(turned) == expected);
  EXPECT(Group(turned).rank == g.size - 1 - g.rank);
  int result = -1;
  MPI_Comm_compare(turned, halves.inter, &result);
  EXPECT(result == (g_size < 3 ? MPI_CONGRUENT : MPI_SIMILAR));
  expect_talk(turned);
  const int color = !is_odd() && g.rank == g.size - 1 ? MPI_UNDEFINED : g.rank / 3;
  MPI_Comm_split(turned, color, g.rank, &part);
  const auto of_color = [&](int size, bool odd) { return std::clamp((odd ? size : size - 1) - g.rank / 3 * 3, 0, 3); };
  const int across = is_odd() ? of_color(halves.evens, false) : of_color(halves.odds, true);
  EXPECT((part == MPI_COMM_NULL) == (color == MPI_UNDEFINED || across == 0));
  MPI_Comm_free(&turned);
  if (part == MPI_COMM_NULL) return;
  EXPECT(Group(part).rank == g.rank % 3 && static_cast<int>(remote_members(part).size()) == across);
  expect_talk(part);
  MPI_Comm_free(&part);
}

// The first of each half; then nobody of the odd half.
void creates(const Halves& halves) {
  const Group g(halves.inter);
  const int first = 0;
  MPI_Group local, one;
  MPI_Comm_group(halves.inter, &local);
  MPI_Group_incl(local, 1, &first, &one);
  MPI_Comm comm;
  MPI_Comm_create(halves.inter, one, &comm);
  EXPECT((comm == MPI_COMM_NULL) == (g.rank > 0));
  if (comm != MPI_COMM_NULL) {
    EXPECT(remote_members(comm) == std::vector<int>{remote_members(halves.inter)[0]});
    expect_talk(comm);
    MPI_Comm_free(&comm);
  }
  MPI_Comm_create(halves.inter, is_odd() ? MPI_GROUP_EMPTY : one, &comm);
  EXPECT(comm == MPI_COMM_NULL);
  MPI_Group_free(&local);
  MPI_Group_free(&one);
}

void merges(const Halves& halves) {
  const auto evens = evens_of(g_size), odds = odds_of(g_size);
  const auto expect_order = [&](bool even_high, bool odd_high, const std::vector<int>& first) {
    MPI_Comm all;
    MPI_Intercomm_merge(halves.inter, is_odd() ? odd_high : even_high, &all);
    std::vector<int> expected = first;
    const std::vector<int>& last = first == evens ? odds : evens;
    expected.insert(expected.end(), last.begin(), last.end());
    int flag = 1, sum = 0;
    MPI_Comm_test_inter(all, &flag);
    EXPECT(!flag && members(all) == expected);
    EXPECT(expected[static_cast<size_t>(Group(all).rank)] == g_rank);
    MPI_Allreduce(&g_rank, &sum, 1, MPI_INT, MPI_SUM, all);
    EXPECT(sum == g_size * (g_size - 1) / 2);
    MPI_Comm_free(&all);
  };
  expect_order(false, true, evens);
  expect_order(true, false, odds);
  expect_order(false, false, evens);
  expect_order(true, true, evens);
}

// Freed communicators go on serving what is pending, and inter-communicators can be made by the hundred.
void many(const Halves& halves) {
  for (int i = 0; i < 200; ++i) {
    MPI_Comm copy;
    MPI_Comm_dup(halves.inter, &copy);
    const bool first = Group(copy).rank == 0;
    int got = -1;
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    if (first) {
      MPI_Irecv(&got, 1, MPI_INT, 0, 0, copy, &requests[0]);
      MPI_Isend(&i, 1, MPI_INT, 0, 0, copy, &requests[1]);
    }
    MPI_Comm_free(&copy);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    EXPECT(!first || got == i);
  }
}

// Of the buffers that count in the other group alone the root may give any. Its rank in its own group is that of a
// member of the other one, whose block must not be left out.
void beside_the_root(const Halves& halves) {
  const Group g(halves.inter);
  const int root = is_odd() ? 0 : g.rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
  std::vector<int> in(static_cast<size_t>(g_size), g_rank), out(static_cast<size_t>(g_size), -1);
  if (is_odd()) MPI_Gather(in.data(), 1, MPI_INT, nullptr, 0, MPI_DATATYPE_NULL, root, g.comm);
  else MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, out.data(), 1, MPI_INT, root, g.comm);
  const auto odds = odds_of(g_size);
  if (root == MPI_ROOT) EXPECT(std::equal(odds.begin(), odds.end(), out.begin()));
  if (is_odd()) MPI_Scatter(nullptr, 0, MPI_DATATYPE_NULL, out.data(), 1, MPI_INT, root, g.comm);
  else MPI_Scatter(in.data(), 1, MPI_INT, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, root, g.comm);
  EXPECT(!is_odd() || out[0] == 0);
}

// What is not defined between groups.
void refused_collectives(MPI_Comm inter) {
  int in[8] = {}, out[8];
  MPI_Request request;
  EXPECT(error_class(MPI_Scan(in, out, 1, MPI_INT, MPI_SUM, inter)) == MPI_ERR_COMM);
  EXPECT(error_class(MPI_Iexscan(in, out, 1, MPI_INT, MPI_SUM, inter, &request)) == MPI_ERR_COMM);
  EXPECT(error_class(MPI_Scan_init(in, out, 1, MPI_INT, MPI_SUM, inter, MPI_INFO_NULL, &request)) == MPI_ERR_COMM);
  EXPECT(error_class(MPI_Allgather(MPI_IN_PLACE, 1, MPI_INT, out, 1, MPI_INT, inter)) == MPI_ERR_BUFFER);
  EXPECT(error_class(MPI_Allreduce(MPI_IN_PLACE, out, 1, MPI_INT, MPI_SUM, inter)) == MPI_ERR_BUFFER);
  EXPECT(error_class(MPI_Ialltoall(MPI_IN_PLACE, 1, MPI_INT, out, 1, MPI_INT, inter, &request)) == MPI_ERR_BUFFER);
  EXPECT(error_class(MPI_Gather(MPI_IN_PLACE, 1, MPI_INT, out, 1, MPI_INT, 0, inter)) == MPI_ERR_BUFFER);
  EXPECT(error_class(MPI_Reduce(MPI_IN_PLACE, out, 1, MPI_INT, MPI_SUM, 0, inter)) == MPI_ERR_BUFFER);
}

void refused(const Halves& halves) {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(halves.inter, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(halves.half, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  refused_collectives(halves.inter);
  MPI_Comm made;
  MPI_Group group;
  int size = 0;
  EXPECT(error_class(MPI_Comm_remote_size(MPI_COMM_WORLD, &size)) == MPI_ERR_COMM);
  EXPECT(error_class(MPI_Comm_remote_group(MPI_COMM_WORLD, &group)) == MPI_ERR_COMM);
  EXPECT(error_class(MPI_Intercomm_merge(MPI_COMM_WORLD, 0, &made)) == MPI_ERR_COMM);
  const auto create = [&](MPI_Comm local, int leader, MPI_Comm peer, int remote, int tag) {
    return error_class(MPI_Intercomm_create(local, leader, peer, remote, tag, &made));
  };
  EXPECT(create(halves.inter, 0, MPI_COMM_WORLD, 0, 0) == MPI_ERR_COMM);
  EXPECT(create(halves.half, -1, MPI_COMM_WORLD, 0, 0) == MPI_ERR_RANK);
  EXPECT(create(halves.half, g_size, MPI_COMM_WORLD, 0, 0) == MPI_ERR_RANK);
  EXPECT(create(MPI_COMM_SELF, 0, MPI_COMM_NULL, 0, 0) == MPI_ERR_COMM);
  EXPECT(create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, g_size, 0) == MPI_ERR_RANK);
  EXPECT(create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, MPI_PROC_NULL, 0) == MPI_ERR_RANK);
  EXPECT(create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, g_rank, -1) == MPI_ERR_TAG);
  EXPECT(create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, g_rank, 0) == MPI_ERR_COMM);  // both groups are the same
  EXPECT(error_class(MPI_Send(&size, 1, MPI_INT, g_size, 0, halves.inter)) == MPI_ERR_RANK);
  MPI_Comm_group(MPI_COMM_WORLD, &group);
  EXPECT(error_class(MPI_Comm_create(halves.inter, group, &made)) == MPI_ERR_GROUP);
  EXPECT(error_class(MPI_Comm_create_group(halves.inter, group, 0, &made)) == MPI_ERR_COMM);
  EXPECT(error_class(MPI_Comm_create_group(halves.half, group, 0, &made)) == MPI_ERR_GROUP);
  MPI_Group_free(&group);
  if (Group(halves.half).size > 1) {
    // Everybody notices, the other group too.
    const int high = Group(halves.half).rank == 0;
    EXPECT(error_class(MPI_Intercomm_merge(halves.inter, high, &made)) == MPI_ERR_ARG);
  } else {
    EXPECT(error_class(MPI_Intercomm_merge(halves.inter, 0, &made)) == (g_size > 2 ? MPI_ERR_ARG : MPI_SUCCESS));
    if (g_size == 2) MPI_Comm_free(&made);
  }
}

}  // namespace

int main(int argc, char** argv) {
  Mpi mpi(argc, argv);
  {
    const Halves halves;
    expect_halves(halves, halves.inter);
    messages(halves);
    copies(halves);
    splits(halves);
    creates(halves);
    merges(halves);
    many(halves);
    beside_the_root(halves);
    refused(halves);
  }
  Report report;
  report.line("half %d", g_rank % 2);
  report.print();
}
