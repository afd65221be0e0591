// A server that probes for requests from anybody, receives what it has seen, and answers; clients that probe for the
// answer or receive it. Races: whose request is seen first.
// Ends: every request is answered, a client sends the next one after the answer, and the server counts requests.
#include <unistd.h>

#include "racing.hpp"

using namespace racing;

namespace {

uint64_t requests_of_each() { return 60 * g_length; }
constexpr int kAnswerTag = 3;

// By turns a probe and a receive of what it has seen, and a matched probe.
uint64_t take(int source, int tag, uint64_t turn, MPI_Status* status) {
  uint64_t value = 0;
  if (turn % 2 == 0) {
    MPI_Probe(source, tag, MPI_COMM_WORLD, status);
    MPI_Recv(&value, 1, MPI_UINT64_T, status->MPI_SOURCE, status->MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    MPI_Message message;
    MPI_Mprobe(source, tag, MPI_COMM_WORLD, &message, status);
    MPI_Mrecv(&value, 1, MPI_UINT64_T, &message, MPI_STATUS_IGNORE);
  }
  return value;
}

void client(Account& account) {
  for (uint64_t i = 0; i < requests_of_each(); ++i) {
    const uint64_t request = draw(static_cast<uint64_t>(g_rank), i);
    work(request, 3000);
    if (request % 4 == 0) usleep(static_cast<useconds_t>(request / 4 % 300));  // the server goes to sleep
    MPI_Send(&request, 1, MPI_UINT64_T, 0, static_cast<int>(request % 5), MPI_COMM_WORLD);
    MPI_Status status;
    uint64_t answer = 0;
    if (request % 3 == 0) answer = take(0, kAnswerTag, request / 3, &status);
    else MPI_Recv(&answer, 1, MPI_UINT64_T, 0, kAnswerTag, MPI_COMM_WORLD, &status);
    account.add(answer);
  }
}

void server(Account& account, Report& report) {
  std::string first;
  const uint64_t requests = requests_of_each() * static_cast<uint64_t>(g_size - 1);
  for (uint64_t i = 0; i < requests; ++i) {
    MPI_Status status;
    const uint64_t request = take(MPI_ANY_SOURCE, MPI_ANY_TAG, i / 8, &status);
    EXPECT(status.MPI_TAG == static_cast<int>(request % 5));
    account.add(status, request);
    if (i < 24) first += ' ' + std::to_string(status.MPI_SOURCE);
    const uint64_t answer = account.hash();
    MPI_Send(&answer, 1, MPI_UINT64_T, status.MPI_SOURCE, kAnswerTag, MPI_COMM_WORLD);
  }
  report.line("first requests, by client:%s", first.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  Job job(argc, argv);
  Account account;
  Report report;
  g_rank == 0 ? server(account, report) : client(account);
  print(report, account);
}
