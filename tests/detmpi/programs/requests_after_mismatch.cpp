// Requests of collective operations that cannot be completed, because the last rank has begun something else, among
// others that can, and others that cannot either. Which is told first, and when, depends on logical time: every run
// prints the same.
#include "testing.hpp"

using namespace mpi_test;

namespace {

constexpr int kEarly = 1, kLate = 2, kGo = 3;

MPI_Comm g_comm = MPI_COMM_NULL;  // whose errors come back; those of MPI_COMM_WORLD end the job
Report g_report;
int g_in = 1, g_sum = 0;

int last() { return g_size - 1; }
bool is_odd() { return g_rank == last(); }

MPI_Comm make_comm() {
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  return comm;
}

void calls(int n) {
  for (int i = 0, rank = 0; i < n; ++i) MPI_Comm_rank(MPI_COMM_WORLD, &rank);
}

MPI_Request receive(int* value, int from, int tag) {
  MPI_Request request;
  MPI_Irecv(value, 1, MPI_INT, from, tag, MPI_COMM_WORLD, &request);
  return request;
}
void send(int to, int tag) { MPI_Send(&g_rank, 1, MPI_INT, to, tag, MPI_COMM_WORLD); }
void tell_others(int tag) {
  for (int to = 0; to < last(); ++to) send(to, tag);
}

// The operation that does not match.
MPI_Request begin() {
  MPI_Request request = MPI_REQUEST_NULL;
  const int code =
      is_odd() ? MPI_Ibarrier(g_comm, &request) : MPI_Iallreduce(&g_in, &g_sum, 1, MPI_INT, MPI_SUM, g_comm, &request);
  EXPECT(code == MPI_SUCCESS);
  return request;
}
// Every call gives the same error from then on.
void expect_quit() {
  MPI_Request request = MPI_REQUEST_NULL;
  const int first = error_class(MPI_Barrier(g_comm));
  EXPECT(first != MPI_SUCCESS && error_class(MPI_Ibarrier(g_comm, &request)) == first);
}

// --- calls that tell of one request, or of some ---

struct Told {
  int index;
  int error_class;
};
using TellCall = std::vector<Told> (*)(std::vector<MPI_Request>& requests);

std::vector<Told> by_waitany(std::vector<MPI_Request>& r) {
  int index = MPI_UNDEFINED;
  const int code = MPI_Waitany(static_cast<int>(r.size()), r.data(), &index, MPI_STATUS_IGNORE);
  return {{index, error_class(code)}};
}
std::vector<Told> by_testany(std::vector<MPI_Request>& r) {
  int index = MPI_UNDEFINED, flag = 0, code = MPI_SUCCESS;
  while (!flag) code = MPI_Testany(static_cast<int>(r.size()), r.data(), &index, &flag, MPI_STATUS_IGNORE);
  return {{index, error_class(code)}};
}
template <typename Call>
std::vector<Told> by_some(std::vector<MPI_Request>& r, Call call) {
  int count = 0, code = MPI_SUCCESS;
  std::vector<int> indices(r.size());
  std::vector<MPI_Status> statuses(r.size());
  while (count == 0) code = call(static_cast<int>(r.size()), r.data(), &count, indices.data(), statuses.data());
  EXPECT(count > 0);
  std::vector<Told> told;
  bool failed = false;
  for (size_t i = 0; i < static_cast<size_t>(count); ++i) {
    told.push_back({indices[i], code == MPI_SUCCESS ? 0 : error_class(statuses[i].MPI_ERROR)});
    failed = failed || told.back().error_class != 0;
  }
  EXPECT(error_class(code) == (failed ? MPI_ERR_IN_STATUS : MPI_SUCCESS));
  return told;
}
std::vector<Told> by_waitsome(std::vector<MPI_Request>& r) { return by_some(r, MPI_Waitsome); }
std::vector<Told> by_testsome(std::vector<MPI_Request>& r) { return by_some(r, MPI_Testsome); }

// Several requests at once; those of a call for all stand in the order of the requests.
std::vector<Told> all_told(int code, const std::vector<MPI_Status>& statuses) {
  EXPECT(error_class(code) == MPI_ERR_IN_STATUS);
  std::vector<Told> told;
  for (size_t i = 0; i < statuses.size(); ++i)
    told.push_back({static_cast<int>(i), error_class(statuses[i].MPI_ERROR)});
  return told;
}
std::vector<Told> by_waitall(std::vector<MPI_Request>& r) {
  std::vector<MPI_Status> statuses(r.size());
  const int code = MPI_Waitall(static_cast<int>(r.size()), r.data(), statuses.data());
  return all_told(code, statuses);
}
std::vector<Told> by_testall(std::vector<MPI_Request>& r) {
  std::vector<MPI_Status> statuses(r.size());
  int flag = 0, code = MPI_SUCCESS;
  while (!flag) code = MPI_Testall(static_cast<int>(r.size()), r.data(), &flag, statuses.data());
  return all_told(code, statuses);
}

constexpr TellCall kOneOrSome[] = {by_waitany, by_testany, by_waitsome, by_testsome};
constexpr const char* kNames[] = {"waitany", "testany", "waitsome", "testsome"};
constexpr TellCall kAll[] = {by_waitall, by_testall};

void print(const char* what, const std::vector<Told>& told) {
  for (const Told& t : told) g_report.line("%s: request %d, class %d", what, t.index, t.error_class);
}

// Until all that can be complete are.
void tell_all(size_t call, std::vector<MPI_Request>& requests, size_t number) {
  for (size_t done = 0; done < number;) {
    const auto told = kOneOrSome[call](requests);
    print(kNames[call], told);
    done += told.size();
  }
}

// With each of the calls, on a communicator of its own.
void with_each_call(void (*run)(size_t call)) {
  for (size_t call = 0; call < std::size(kOneOrSome); ++call) {
    g_comm = make_comm();
    run(call);
    expect_quit();
    MPI_Comm_free(&g_comm);
  }
  g_report.print();
}

// --- cases ---

void alone() {
  with_each_call([](size_t call) {
    std::vector<MPI_Request> requests{begin()};
    tell_all(call, requests, 1);
    EXPECT(requests[0] == MPI_REQUEST_NULL);
  });
}

// A message comes before, one long after, and one only once the error has been told.
void among_messages() {
  with_each_call([](size_t call) {
    int values[3];
    if (is_odd()) {
      tell_others(kEarly);
      std::vector<MPI_Request> requests{begin()};
      calls(2000);
      tell_others(kLate);
      tell_all(call, requests, 1);
      for (int from = 0; from < last(); ++from)
        MPI_Recv(values, 1, MPI_INT, from, kGo, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      tell_others(kGo);
      return;
    }
    std::vector<MPI_Request> requests{receive(&values[0], last(), kLate), begin(), receive(&values[1], last(), kGo),
                                      receive(&values[2], last(), kEarly)};
    tell_all(call, requests, 3);
    EXPECT(requests[2] != MPI_REQUEST_NULL && values[0] == last() && values[2] == last());
    send(last(), kGo);
    tell_all(call, requests, 1);
  });
}

// The odd rank begins its operation once it has been told to, by a rank that waits for the first of several meanwhile.
void begun_late() {
  with_each_call([](size_t call) {
    int value = 0;
    std::vector<MPI_Request> requests;
    if (is_odd()) {
      tell_others(kEarly);
      MPI_Recv(&value, 1, MPI_INT, 0, kGo, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      requests = {begin()};
      return tell_all(call, requests, 1);
    }
    requests = {begin(), receive(&value, last(), kEarly)};
    if (g_rank != 0) return tell_all(call, requests, 2);  // of both at once, where they come in any order
    tell_all(call, requests, 1);
    send(last(), kGo);
    tell_all(call, requests, 1);
  });
}

// Of an operation that differs in its root alone rank 0 and the odd rank are told. The others learn in the next one
// that nothing will come from these.
void learned_later() {
  with_each_call([](size_t call) {
    std::vector<int> all(static_cast<size_t>(g_size));
    const int code = MPI_Gather(&g_in, 1, MPI_INT, all.data(), 1, MPI_INT, is_odd() ? last() : 0, g_comm);
    g_report.line("gather: class %d", error_class(code));
    MPI_Request request = MPI_REQUEST_NULL;
    const int begun = MPI_Ibarrier(g_comm, &request);
    g_report.line("ibarrier: class %d", error_class(begun));
    std::vector<MPI_Request> requests{request};
    if (begun == MPI_SUCCESS) tell_all(call, requests, 1);
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT(MPI_Barrier(g_comm) != MPI_SUCCESS);
  });
}

// Persistent operations, of which one was made before the difference.
void persistent() {
  for (size_t call = 0; call < std::size(kOneOrSome); ++call) {
    g_comm = make_comm();
    std::vector<MPI_Request> requests(2);
    MPI_Barrier_init(g_comm, MPI_INFO_NULL, &requests[0]);
    if (is_odd()) MPI_Barrier_init(g_comm, MPI_INFO_NULL, &requests[1]);
    else MPI_Allreduce_init(&g_in, &g_sum, 1, MPI_INT, MPI_SUM, g_comm, MPI_INFO_NULL, &requests[1]);
    for (int round = 0; round < 3; ++round) {
      MPI_Startall(2, requests.data());
      tell_all(call, requests, 2);
    }
    for (MPI_Request& request : requests) EXPECT(MPI_Request_free(&request) == MPI_SUCCESS);
    MPI_Comm_free(&g_comm);
  }
  g_report.print();
}

// Those that are waited for together, with a message whose communicator has another error handler.
void together() {
  for (const TellCall call : kAll) {
    g_comm = make_comm();
    if (is_odd()) tell_others(kEarly);
    int value = 0;
    MPI_Request other = is_odd() ? MPI_REQUEST_NULL : receive(&value, last(), kEarly);
    MPI_Request request = begin();
    std::vector<MPI_Request> requests{request, other};
    print("all", call(requests));
    expect_quit();
    MPI_Comm_free(&g_comm);
  }
  g_report.print();
}

// A message and the beginning of the odd operation at about the same time.
void race() {
  for (int lead = 0; lead < 48; ++lead) {
    for (size_t call = 0; call < std::size(kOneOrSome); ++call) {
      g_comm = make_comm();
      int value = 0;
      std::vector<MPI_Request> requests;
      if (is_odd()) calls(24);
      requests = {begin()};
      if (g_rank == 1) {
        calls(lead);
        send(0, kEarly);
      }
      if (g_rank == 0) requests.push_back(receive(&value, 1, kEarly));
      tell_all(call, requests, requests.size());
      MPI_Comm_free(&g_comm);
    }
  }
  g_report.print();
}

// Tests by ranks that learn from rank 0 when it takes part in nothing more: how many are in vain?
void polling() {
  for (int lead = 0; lead < 32; ++lead) {
    g_comm = make_comm();
    std::vector<int> all(static_cast<size_t>(g_size));
    if (is_odd()) calls(lead);
    (void)MPI_Gather(&g_in, 1, MPI_INT, all.data(), 1, MPI_INT, is_odd() ? last() : 0, g_comm);
    MPI_Request request = MPI_REQUEST_NULL;
    int code = MPI_Ibarrier(g_comm, &request), polls = 0;
    for (int flag = 0; code == MPI_SUCCESS && !flag; ++polls) code = MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    g_report.line("class %d after %d tests", error_class(code), polls);
    MPI_Comm_free(&g_comm);
  }
  g_report.print();
}

// What is waited for with MPI_Comm_disconnect.
void disconnect() {
  g_comm = make_comm();
  MPI_Request request = begin();
  MPI_Comm_disconnect(&g_comm);
  int index = MPI_UNDEFINED;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  g_report.line("class %d", error_class(MPI_Waitany(1, &request, &index, MPI_STATUS_IGNORE)));
  g_report.print();
}

// Nobody begins anything else: a deadlock, although there was a difference elsewhere.
void stuck() {
  g_comm = make_comm();
  std::vector<MPI_Request> requests{begin()};
  tell_all(0, requests, 1);
  MPI_Comm_free(&g_comm);
  g_comm = make_comm();
  int value = 0;
  if (is_odd()) MPI_Recv(&value, 1, MPI_INT, 0, kGo, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  requests = {begin(), receive(&value, last(), kLate)};
  tell_all(0, requests, 2);
}

constexpr Case kCases[] = {
    {"alone", alone},
    {"among_messages", among_messages},
    {"begun_late", begun_late},
    {"learned_later", learned_later},
    {"persistent", persistent},
    {"together", together},
    {"race", race},
    {"polling", polling},
    {"disconnect", disconnect},
    {"stuck", stuck},
};

}  // namespace

int main(int argc, char** argv) {
  Mpi mpi(argc, argv);
  EXPECT(argc == 2);
  run_case(kCases, argv[1]);
  return 0;
}
