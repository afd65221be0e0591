// Sessions: without MPI_Init, around it, several at once and one after the other; process sets, communicators and
// error handlers. The command line names the case.
#include "testing.hpp"

using namespace mpi_test;

namespace {

int g_calls = 0;
MPI_Session g_called_with = MPI_SESSION_NULL;

void count_call(MPI_Session* session, int*, ...) {
  g_called_with = *session;
  ++g_calls;
}

MPI_Comm make_comm(MPI_Session session, const char* set, const char* tag) {
  MPI_Group group;
  MPI_Comm comm;
  MPI_Group_from_session_pset(session, set, &group);
  MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
  MPI_Group_free(&group);
  return comm;
}

// What a library does that uses MPI by itself. Sets g_rank and g_size.
void use_session(const char* tag) {
  MPI_Session session;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
  MPI_Comm all = make_comm(session, "mpi://WORLD", tag), self = make_comm(session, "mpi://SELF", tag);
  MPI_Comm_rank(all, &g_rank);
  MPI_Comm_size(all, &g_size);
  int sum = 0, size = 0;
  MPI_Allreduce(&g_rank, &sum, 1, MPI_INT, MPI_SUM, all);
  EXPECT(sum == g_size * (g_size - 1) / 2);
  MPI_Comm_size(self, &size);
  EXPECT(size == 1);
  int got = -1;
  MPI_Sendrecv(&g_rank, 1, MPI_INT, right(), 1, &got, 1, MPI_INT, left(), 1, all, MPI_STATUS_IGNORE);
  EXPECT(got == left());
  MPI_Comm_free(&self);
  MPI_Comm_free(&all);
  MPI_Session_finalize(&session);
  EXPECT(session == MPI_SESSION_NULL);
}

bool initialized() {
  int flag = 0;
  MPI_Initialized(&flag);
  return flag != 0;
}
bool finalized() {
  int flag = 0;
  MPI_Finalized(&flag);
  return flag != 0;
}

void alone() {
  use_session("one");
  use_session("two");
  EXPECT(!initialized() && !finalized());
}

void around() {
  MPI_Session outer;
  use_session("before");
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &outer);
  MPI_Init(nullptr, nullptr);
  EXPECT(initialized());
  use_session("within");
  MPI_Finalize();
  EXPECT(finalized());
  use_session("while the outer one is open");
  MPI_Comm all = make_comm(outer, "mpi://WORLD", "after");
  MPI_Barrier(all);
  MPI_Comm_free(&all);
  MPI_Session_finalize(&outer);
  EXPECT(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &outer) != MPI_SUCCESS);
}

// Ranks end the job in different ways.
void mixed() {
  use_session("all");
  MPI_Session kept;
  if (g_rank % 3 == 1) MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &kept);
  if (g_rank % 3 != 2) {
    MPI_Init(nullptr, nullptr);
    MPI_Finalize();
  }
  if (g_rank % 3 == 1) MPI_Session_finalize(&kept);
}

void sets() {
  MPI_Session session;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
  int sets = 0;
  MPI_Session_get_num_psets(session, MPI_INFO_NULL, &sets);
  EXPECT(sets == 2);
  char name[MPI_MAX_PSET_NAME_LEN], value[16];
  int length = 0, flag = 0;
  MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 0, &length, nullptr);
  EXPECT(length == 12);
  MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 0, &length, name);
  EXPECT(std::string(name) == "mpi://WORLD" && length == 12);
  length = 5;
  MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 1, &length, name);
  EXPECT(std::string(name) == "mpi:" && length == 11);
  EXPECT(error_class(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 2, &length, name)) == MPI_ERR_ARG);
  EXPECT(error_class(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 0, &length, nullptr)) == MPI_ERR_ARG);
  MPI_Info info;
  MPI_Session_get_pset_info(session, "mpi://SELF", &info);
  MPI_Info_get(info, "mpi_size", 15, value, &flag);
  EXPECT(flag && std::string(value) == "1");
  MPI_Info_free(&info);
  MPI_Group group = MPI_GROUP_EMPTY;
  EXPECT(error_class(MPI_Group_from_session_pset(session, "mpi://NONE", &group)) == MPI_ERR_ARG);
  EXPECT(group == MPI_GROUP_NULL);
  EXPECT(error_class(MPI_Session_get_pset_info(session, "mpi://NONE", &info)) == MPI_ERR_ARG);
  MPI_Session_get_info(session, &info);
  MPI_Info_get(info, "thread_level", 15, value, &flag);
  EXPECT(flag && std::string(value) == "MPI_THREAD_SING");
  MPI_Info_set(info, "thread_level", "MPI_THREAD_MANY");
  MPI_Session other = MPI_SESSION_NULL;
  EXPECT(error_class(MPI_Session_init(info, MPI_ERRORS_RETURN, &other)) == MPI_ERR_INFO_VALUE);
  EXPECT(other == MPI_SESSION_NULL);
  MPI_Info_free(&info);
  MPI_Session_finalize(&session);
}

// Two groups without a communicator in common.
void groups() {
  MPI_Session session;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
  MPI_Comm all = make_comm(session, "mpi://WORLD", "all"), inter = MPI_COMM_SELF;
  MPI_Comm_rank(all, &g_rank);
  MPI_Comm_size(all, &g_size);
  MPI_Group world, low, high;
  MPI_Group_from_session_pset(session, "mpi://WORLD", &world);
  int range[1][3] = {{0, (g_size - 1) / 2, 1}};
  MPI_Group_range_incl(world, 1, range, &low);
  MPI_Group_difference(world, low, &high);
  int sizes[2];
  MPI_Group_size(low, &sizes[0]);
  MPI_Group_size(high, &sizes[1]);
  const bool in_low = g_rank < sizes[0];
  const auto create = [&](MPI_Group mine, int leader, MPI_Group other, int other_leader) {
    return error_class(MPI_Intercomm_create_from_groups(mine, leader, other, other_leader, "groups", MPI_INFO_NULL,
                                                        MPI_ERRORS_RETURN, &inter));
  };
  EXPECT(create(MPI_GROUP_EMPTY, 0, MPI_GROUP_EMPTY, 0) == MPI_SUCCESS && inter == MPI_COMM_NULL);
  EXPECT(create(world, g_size, MPI_GROUP_EMPTY, 0) == MPI_ERR_RANK);
  EXPECT(create(in_low ? high : low, 0, world, 0) == MPI_ERR_GROUP || sizes[1] == 0);
  if (g_size == 1) EXPECT(create(world, 0, world, 0) == MPI_ERR_GROUP && create(world, 0, low, 1) == MPI_ERR_RANK);
  if (g_size > 1) {
    // The last of each group leads it; the others know nothing of the other group.
    const int lead = sizes[in_low ? 0 : 1] - 1, other_lead = sizes[in_low ? 1 : 0] - 1;
    const bool leads = g_rank == sizes[0] - 1 || g_rank == g_size - 1;
    EXPECT(create(in_low ? low : high, lead, leads ? (in_low ? high : low) : MPI_GROUP_NULL, leads ? other_lead : -7) ==
           MPI_SUCCESS);
    int remote = 0, sum = 0;
    MPI_Comm_remote_size(inter, &remote);
    EXPECT(remote == sizes[in_low ? 1 : 0]);
    MPI_Allreduce(&g_rank, &sum, 1, MPI_INT, MPI_SUM, inter);
    const int low_sum = sizes[0] * (sizes[0] - 1) / 2;
    EXPECT(sum == (in_low ? g_size * (g_size - 1) / 2 - low_sum : low_sum));
    EXPECT(error_class(MPI_Send(&sum, 1, MPI_INT, remote, 0, inter)) == MPI_ERR_RANK);  // its own error handler
    MPI_Comm_free(&inter);
  }
  for (MPI_Group* group : {&world, &low, &high}) MPI_Group_free(group);
  MPI_Comm_free(&all);
  MPI_Session_finalize(&session);
}

void handlers() {
  MPI_Errhandler handler, found;
  MPI_Session session;
  MPI_Session_create_errhandler(count_call, &handler);
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
  EXPECT(error_class(MPI_Session_call_errhandler(session, MPI_ERR_OTHER)) == MPI_SUCCESS && g_calls == 0);
  MPI_Session_set_errhandler(session, handler);
  MPI_Session_get_errhandler(session, &found);
  EXPECT(found == handler);
  MPI_Errhandler_free(&found);
  MPI_Session_call_errhandler(session, MPI_ERR_OTHER);
  EXPECT(g_calls == 1 && g_called_with == session);
  int length = 0;
  MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 9, &length, nullptr);
  EXPECT(g_calls == 2);
  MPI_Session other;
  EXPECT(error_class(MPI_Session_init(MPI_INFO_NULL + 1, MPI_ERRORS_RETURN, &other)) == MPI_ERR_INFO);
  EXPECT(error_class(MPI_Session_init(MPI_INFO_NULL + 1, handler, &other)) == MPI_ERR_INFO);
  EXPECT(g_calls == 3 && g_called_with == MPI_SESSION_NULL);
  EXPECT(error_class(MPI_Comm_create_from_group(MPI_GROUP_EMPTY, "x", MPI_INFO_NULL, handler, nullptr)) == MPI_ERR_ARG);
  EXPECT(g_calls == 4 && g_called_with == MPI_COMM_NULL);
  MPI_Errhandler_free(&handler);
  MPI_Session_finalize(&session);
}

// The job ends with an error: a session is open at the exit.
void open_at_exit() {
  MPI_Session session;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
}
void open_after_finalize() {
  MPI_Init(nullptr, nullptr);
  open_at_exit();
  MPI_Finalize();
}
void open_at_failing_exit() {
  open_at_exit();
  std::exit(7);
}
// Here MPI_Finalize is missing.
void running_at_exit() {
  open_at_exit();
  MPI_Init(nullptr, nullptr);
}

constexpr Case kCases[] = {{"alone", alone},
                           {"around", around},
                           {"mixed", mixed},
                           {"sets", sets},
                           {"groups", groups},
                           {"handlers", handlers},
                           {"open_at_exit", open_at_exit},
                           {"open_after_finalize", open_after_finalize},
                           {"open_at_failing_exit", open_at_failing_exit},
                           {"running_at_exit", running_at_exit}};

}  // namespace

int main(int argc, char** argv) {
  run_case(kCases, argc > 1 ? argv[1] : "none");
  std::puts("done");
}
