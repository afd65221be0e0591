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
  if (g_job_state == JobState::kRunning && g_world_model == WorldModel::kBefore && g_sessions.used() == 0)
    (void)job_end();
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

int check_leader(const Group& group, int leader, const char* parameter) {
  if (leader >= 0 && leader < group.size()) return MPI_SUCCESS;
  return make_error(MPI_ERR_RANK, "invalid %s %d (ranks are 0 to %d)", parameter, leader, group.size() - 1);
}

int check_remote(const Group* remote, const Group& local, int leader) {
  if (remote == nullptr) return make_error(MPI_ERR_GROUP, "remote_group is not a valid group");
  if (const int code = check_leader(*remote, leader, "remote_leader"); code != MPI_SUCCESS) return code;
  const auto in_local = [&](int world_rank) { return local.rank_of(world_rank) != MPI_UNDEFINED; };
  if (std::ranges::none_of(remote->world_rank, in_local)) return MPI_SUCCESS;
  return make_error(MPI_ERR_GROUP, "a rank is in both groups of the inter-communicator");
}

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
  note_open_session();
  if (info != nullptr) opened.info.entries = info->entries;
  opened.info.set(kThreadLevelKey, thread_level_name(thread_level()));
  *session = opened.handle;
  return MPI_SUCCESS;
}

int session_finalize(MPI_Session* session) {
  session_close(*session_from(*session));
  note_open_session();
  *session = MPI_SESSION_NULL;
  return g_world_model == WorldModel::kAfter && g_sessions.used() == 0 ? job_end() : MPI_SUCCESS;
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

// By way of a communicator of the own group. The leader alone knows the other one.
int intercomm_create_from_groups(Group& local_group, int local_leader, MPI_Group remote_group, int remote_leader,
                                 const char* stringtag, Info*, Errhandler& errhandler, MPI_Comm* newintercomm) {
  *newintercomm = MPI_COMM_NULL;
  if (local_group.size() == 0) return MPI_SUCCESS;
  int code = check_leader(local_group, local_leader, "local_leader");
  if (code != MPI_SUCCESS) return code;
  const int rank = local_group.rank_of(g_engine.rank());
  if (rank == MPI_UNDEFINED) return make_error(MPI_ERR_GROUP, "the caller is not a member of local_group");
  int world_leader = 0;
  if (rank == local_leader) {
    const Group* remote = group_from(remote_group);
    code = check_remote(remote, local_group, remote_leader);
    if (code != MPI_SUCCESS) return code;
    world_leader = remote->world_rank[static_cast<size_t>(remote_leader)];
  }
  MPI_Comm local = MPI_COMM_NULL;
  code = comm_create_group(*g_comm_world, local_group, tag_of(stringtag), &local);
  if (code != MPI_SUCCESS) return code;
  code =
      intercomm_create(*comm_from(local), local_leader, MPI_COMM_WORLD, world_leader, tag_of(stringtag), newintercomm);
  (void)comm_free(&local);
  return code != MPI_SUCCESS ? code : comm_set_errhandler(*comm_from(*newintercomm), errhandler);
}

}  // namespace impl
}  // namespace detmpi
