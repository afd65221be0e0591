// Sessions and their process sets: mpi://WORLD, all ranks of the job, and mpi://SELF.
#include <base/sys.hpp>

#include <strings.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <numeric>
#include <optional>
#include <string>

#include "../engine/engine.hpp"
#include "../engine/events.hpp"
#include "../object/call.hpp"
#include "../object/errors.hpp"
#include "../object/group.hpp"
#include "../object/session.hpp"
#include "impl.hpp"
#include "world_model.hpp"

namespace detmpi {
namespace {

constexpr const char* kProcessSets[] = {"mpi://WORLD", "mpi://SELF"};
constexpr const char* kThreadLevelKey = "thread_level";

// The thread level that the hints ask for; MPI_THREAD_SINGLE if they do not, none if there is no such level.
std::optional<int> required_level(const Info* info) {
  const std::string* wanted = info == nullptr ? nullptr : info->find(kThreadLevelKey);
  if (wanted == nullptr) return MPI_THREAD_SINGLE;
  for (int level = MPI_THREAD_SINGLE; level <= MPI_THREAD_MULTIPLE; ++level) {
    if (*wanted == thread_level_name(level)) return level;
  }
  return std::nullopt;
}

int g_rank_process = 0;  // processes that the rank forks have its exit handler, too

// A rank that ends with a session open has failed, as one without MPI_Finalize has: that is told as long as the job has
// not ended.
void end_at_exit() {
  if (spmc::base::process_id() != g_rank_process) return;
  if (g_job_state == JobState::kRunning && g_world_model == WorldModel::kBefore && g_sessions.used() == 0) job_end();
}

// The ranks of a process set, none if there is no such set.
std::optional<std::vector<int>> members_of(const char* name) {
  if (strcasecmp(name, kProcessSets[1]) == 0) return std::vector<int>{g_engine.rank()};
  if (strcasecmp(name, kProcessSets[0]) != 0) return std::nullopt;
  std::vector<int> all(g_job->ranks);
  std::iota(all.begin(), all.end(), 0);
  return all;
}

int no_such_set(const char* name) { return make_error(MPI_ERR_ARG, "there is no process set '%.64s'", name); }

// A tag for the messages by which a communicator is agreed on.
int tag_of(const char* text) { return static_cast<int>(hash_bytes(text, std::strlen(text)) & 0x7fffffff); }

}  // namespace

namespace impl {

int session_init(Info* info, Errhandler& errhandler, MPI_Session* session) {
  if (g_job_state == JobState::kAfter) return make_error(MPI_ERR_OTHER, "the job has ended");
  const std::optional<int> level = required_level(info);
  if (!level) {
    return make_error(MPI_ERR_INFO_VALUE, "there is no thread level '%.64s'", info->find(kThreadLevelKey)->c_str());
  }
  if (g_job_state == JobState::kBefore) {
    job_begin(*level);
    g_rank_process = spmc::base::process_id();
    std::atexit(end_at_exit);
  }
  Session& opened = session_open(errhandler);
  if (info != nullptr) opened.info.entries = info->entries;
  opened.info.set(kThreadLevelKey, thread_level_name(thread_level()));
  *session = opened.handle;
  return MPI_SUCCESS;
}

int session_finalize(MPI_Session* session) {
  session_close(*session_from(*session));
  *session = MPI_SESSION_NULL;
  if (g_world_model == WorldModel::kAfter && g_sessions.used() == 0) job_end();
  return MPI_SUCCESS;
}

int session_get_num_psets(Session&, Info*, int* npset_names) {
  *npset_names = static_cast<int>(std::size(kProcessSets));
  return MPI_SUCCESS;
}

int session_get_nth_pset(Session&, Info*, int n, int* pset_len, char* pset_name) {
  if (n < 0 || static_cast<size_t>(n) >= std::size(kProcessSets)) {
    return make_error(MPI_ERR_ARG, "there is no process set number %d (they are 0 and 1)", n);
  }
  const int room = *pset_len;
  if (room < 0) return make_error(MPI_ERR_ARG, "pset_len is %d (must not be negative)", room);
  if (room > 0 && pset_name == nullptr) return make_error(MPI_ERR_ARG, "pset_name is null, but pset_len is %d", room);
  const std::string name = kProcessSets[n];
  *pset_len = static_cast<int>(name.size()) + 1;
  if (room > 0) pset_name[name.copy(pset_name, static_cast<size_t>(room) - 1)] = '\0';
  return MPI_SUCCESS;
}

int session_get_info(Session& session, MPI_Info* info_used) {
  *info_used = info_make(&session.info);
  return MPI_SUCCESS;
}

int session_get_pset_info(Session&, const char* pset_name, MPI_Info* info) {
  const auto members = members_of(pset_name);
  if (!members) return no_such_set(pset_name);
  *info = info_make(nullptr);
  info_from(*info)->set("mpi_size", std::to_string(members->size()));
  return MPI_SUCCESS;
}

int group_from_session_pset(Session&, const char* pset_name, MPI_Group* newgroup) {
  const auto members = members_of(pset_name);
  *newgroup = members ? group_make(*members) : MPI_GROUP_NULL;
  return members ? MPI_SUCCESS : no_such_set(pset_name);
}

int comm_create_from_group(Group& group, const char* stringtag, Info*, Errhandler& errhandler, MPI_Comm* newcomm) {
  const int code = comm_create_group(*g_comm_world, group, tag_of(stringtag), newcomm);
  if (code != MPI_SUCCESS || *newcomm == MPI_COMM_NULL) return code;
  return comm_set_errhandler(*comm_from(*newcomm), errhandler);
}

}  // namespace impl
}  // namespace detmpi
