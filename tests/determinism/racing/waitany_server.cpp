// Servers and clients (servers.hpp). A server has a receive for each client and some for any of them pending, serves
// what MPI_Waitany completes, and posts the receive again; all messages have one tag, so named and wildcard receives
// compete. A client sends a request, works, and waits for the answer.
// Races: which requests come first, which receives take them, which of several MPI_Waitany gives, and which
// sources may be named at all (see Expected).
// Ends: a server posts as many receives as it will be sent requests, and each can get one in every matching; an
// answer is sent to a client that waits for it.
#include "servers.hpp"

using namespace racing;

namespace {

uint64_t requests() { return 40 * g_length; }  // of each client
constexpr int kWildcards = 2;                  // receives of a server for any client
constexpr int kRequestTag = 3;
constexpr int kAnswerTag = 4;

void serve(Account& account, Report& report) {
  Expected expected = expected_from(clients(), requests(), server_of);
  std::vector<int> wanted = clients();
  wanted.insert(wanted.end(), kWildcards, MPI_ANY_SOURCE);
  std::vector<Slot> slots(wanted.size());
  std::vector<MPI_Request> requests(wanted.size(), MPI_REQUEST_NULL);
  const auto post = [&](size_t i) {
    if (expected.unclaimed() > 0) slots[i].post(expected, wanted[i], kRequestTag, &requests[i]);
  };
  for (size_t i = 0; i < slots.size(); ++i) post(i);
  std::string first;
  for (;;) {
    int index = 0;
    MPI_Status status;
    MPI_Waitany(static_cast<int>(requests.size()), requests.data(), &index, &status);
    if (index == MPI_UNDEFINED) break;
    const auto i = static_cast<size_t>(index);
    expected.received(slots[i].source, status.MPI_SOURCE);
    account.add(index, slots[i].source, status, slots[i].value);
    if (account.count() <= 24) first += ' ' + std::to_string(status.MPI_SOURCE) + '@' + std::to_string(index);
    work(slots[i].value, 5000);
    const uint64_t answer = account.hash();
    MPI_Send(&answer, 1, MPI_UINT64_T, status.MPI_SOURCE, kAnswerTag, MPI_COMM_WORLD);
    post(i);
  }
  report.line("first requests, by client and index:%s", first.c_str());
}

void ask(Account& account) {
  for (uint64_t i = 0; i < requests(); ++i) {
    const int server = server_of(g_rank, i);
    work(draw(static_cast<uint64_t>(g_rank), i), 20000);
    const uint64_t request = account.hash();
    MPI_Send(&request, 1, MPI_UINT64_T, server, kRequestTag, MPI_COMM_WORLD);
    work(i, 5000);
    uint64_t answer = 0;
    MPI_Recv(&answer, 1, MPI_UINT64_T, server, kAnswerTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    account.add(server, answer);
  }
}

}  // namespace

int main(int argc, char** argv) {
  Job job(argc, argv);
  Account account;
  Report report;
  is_server(g_rank) ? serve(account, report) : ask(account);
  print(report, account);
}
