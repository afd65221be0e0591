// Servers, and clients that send requests in bursts (servers.hpp). In the first phase servers use MPI_Waitsome and
// clients MPI_Waitany; in the second servers take turns of MPI_Testsome and MPI_Testany, and clients ask with
// MPI_Testany, both with a little work each time.
// Races: which receive takes which request or answer, how many MPI_Waitsome and MPI_Testsome find complete and in
// which order, and how often was tested in vain.
// Ends: a phase has its own tags; in it a server posts as many receives as it will be sent requests, and each can
// get one in every matching; a client gets an answer to each request. Sends are not waited for before.
#include "servers.hpp"

using namespace racing;

namespace {

uint64_t bursts() { return 10 * g_length; }
constexpr size_t kBurst = 5;  // requests
enum Tag { kRequest = 10, kAnswer = 20 };

// The next completions of `requests`, at least one; none if no request is active.
std::vector<int> next(bool polls, std::vector<MPI_Request>& requests, std::vector<MPI_Status>& statuses,
                      Account& account) {
  const auto count = static_cast<int>(requests.size());
  std::vector<int> indices(requests.size());
  int found = 0;
  if (!polls) MPI_Waitsome(count, requests.data(), &found, indices.data(), statuses.data());
  for (uint64_t failed = 0; polls; ++failed) {
    if (failed % 2 == 0) {
      MPI_Testsome(count, requests.data(), &found, indices.data(), statuses.data());
    } else {
      int any = 0;
      MPI_Testany(count, requests.data(), indices.data(), &any, statuses.data());
      found = any && indices[0] == MPI_UNDEFINED ? MPI_UNDEFINED : any;
    }
    if (found != 0) {
      account.add(found, failed);
      break;
    }
    work(failed, 2000);
  }
  indices.resize(found == MPI_UNDEFINED ? 0 : static_cast<size_t>(found));
  return indices;
}

void serve(int phase, Account& account) {
  Expected expected = expected_from(clients(), bursts() * kBurst, server_of);
  std::vector<int> wanted;
  for (const int client : clients()) wanted.insert(wanted.end(), {client, MPI_ANY_SOURCE});
  std::vector<Slot> slots(wanted.size());
  std::vector<MPI_Request> requests(wanted.size(), MPI_REQUEST_NULL);
  std::vector<MPI_Status> statuses(wanted.size());
  Outbox outbox;
  const auto post = [&](size_t i) {
    if (expected.unclaimed() > 0) slots[i].post(expected, wanted[i], kRequest + phase, &requests[i]);
  };
  for (size_t i = 0; i < slots.size(); ++i) post(i);
  for (;;) {
    const auto indices = next(phase == 1, requests, statuses, account);
    if (indices.empty()) break;
    for (size_t k = 0; k < indices.size(); ++k) {
      const auto i = static_cast<size_t>(indices[k]);
      expected.received(slots[i].source, statuses[k].MPI_SOURCE);
      account.add(i, slots[i].source, statuses[k], slots[i].value);
      work(slots[i].value, 5000);
      outbox.send(account.hash(), statuses[k].MPI_SOURCE, kAnswer + phase);
    }
    for (const int index : indices) post(static_cast<size_t>(index));
  }
  outbox.wait_all();
}

void ask(int phase, Account& account) {
  Outbox outbox;
  for (uint64_t burst = 0; burst < bursts(); ++burst) {
    uint64_t answers[kBurst];
    MPI_Request requests[kBurst];
    for (size_t i = 0; i < kBurst; ++i) {
      MPI_Irecv(&answers[i], 1, MPI_UINT64_T, MPI_ANY_SOURCE, kAnswer + phase, MPI_COMM_WORLD, &requests[i]);
      work(draw(static_cast<uint64_t>(g_rank), burst, i), 8000);
      outbox.send(account.hash() + i, server_of(g_rank, burst * kBurst + i), kRequest + phase);
    }
    uint64_t failed = 0;
    for (size_t left = kBurst; left > 0;) {
      int index = 0, found = 1;
      MPI_Status status;
      if (phase == 0) MPI_Waitany(kBurst, requests, &index, &status);
      if (phase == 1) MPI_Testany(kBurst, requests, &index, &found, &status);
      if (!found) {
        work(++failed, 1000);
        continue;
      }
      account.add(index, status, answers[index], failed);
      --left;
    }
  }
  outbox.wait_all();
}

}  // namespace

int main(int argc, char** argv) {
  Job job(argc, argv);
  Account account;
  Report report;
  for (int phase = 0; phase < 2; ++phase) {
    is_server(g_rank) ? serve(phase, account) : ask(phase, account);
    report.line("phase %d: %016lx", phase, static_cast<unsigned long>(account.hash()));
  }
  print(report, account);
}
