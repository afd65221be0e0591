#include "stubs.hpp"

#include <unistd.h>

#include <cstdio>
#include <numeric>

#include "../../detmpi/coll/plan_calls.hpp"
#include "../../detmpi/object/call.hpp"
#include "../../detmpi/object/comm.hpp"
#include "../../detmpi/object/hooks.hpp"

namespace detmpi {

int g_transports_released = 0;

namespace {
std::string g_called;
}

void note_stub(const char* name) { g_called += (g_called.empty() ? "" : " ") + std::string(name); }

std::string take_stub() { return std::exchange(g_called, ""); }

[[noreturn]] void job_abort(int code, const char* line, bool) {
  std::fputs(line, stderr);
  _exit(code);
}

[[noreturn]] void job_abort_in_call(int code, const std::string& text) {
  job_abort(code, ("DetMPI: " + text + "; the job ends\n").c_str(), false);
}

[[noreturn]] void job_abort_mismatch(int code, const std::string& text) { job_abort(code, text.c_str(), false); }

void wake_own_watchers() {}
void mark_output() {}
void show_printed() {}
uint64_t watched_call() { return 0; }

void PlanDeleter::operator()(Plan*) const {}
int plan_start(PlanPtr, MPI_Request*) { return MPI_SUCCESS; }
int plan_keep(PlanPtr, MPI_Request*) { return MPI_SUCCESS; }
int plan_run(PlanPtr) { return MPI_SUCCESS; }

void transport_release(Comm&) { ++g_transports_released; }

World::World(int rank, int size) {
  std::vector<int> ranks(static_cast<size_t>(size));
  std::iota(ranks.begin(), ranks.end(), 0);
  comm_register(MPI_COMM_WORLD, 0, rank, ranks);
  comm_register(MPI_COMM_SELF, 1, 0, {rank});
  g_job_state = JobState::kRunning;
}

World::~World() {
  comm_close(*g_comm_self);
  comm_close(*g_comm_world);
  g_job_state = JobState::kBefore;
}

}  // namespace detmpi
