// Performance variables, sessions and their handles.
//
// A counter is a number that grows; a handle shows by how much it has grown while the handle was started. The others
// are states of the library: they are read-only, and need not be started.
#include <algorithm>
#include <memory>
#include <string_view>
#include <vector>

#include <base/wait.hpp>

#include "../engine/engine.hpp"
#include "../engine/job_table.hpp"
#include "../object/call.hpp"
#include "../object/comm.hpp"
#include "../types/datatype.hpp"
#include "impl.hpp"
#include "tool.hpp"

struct DetmpiToolPvar {
  int index;
  bool started = false;
  uint64_t since = 0;  // the number when it was started
  uint64_t sum = 0;    // of earlier times
};

struct DetmpiToolSession {
  std::vector<std::unique_ptr<DetmpiToolPvar>> handles;
};

namespace detmpi {
namespace tool {
namespace {

struct Performance {
  const char* name;
  const char* text;
  Category category;
  int variable_class;
  uint64_t (*read)();

  bool is_counter() const { return variable_class == MPI_T_PVAR_CLASS_COUNTER; }
};

uint64_t requests_in_use() {
  return static_cast<uint64_t>(std::ranges::count_if(
      request_pool(), [](const Request& request) { return request.handle != MPI_REQUEST_NULL && !request.detached; }));
}

uint64_t derived_types() {
  uint64_t count = 0;
  g_types.each([&](const Datatype& type) { count += type.builtin ? 0 : 1; });
  return count;
}

constexpr Performance kPerformances[] = {
    {"clock", "Logical clock of the rank, in ticks: it grows with every call and with instrumented work.",
     Category::kRank, MPI_T_PVAR_CLASS_COUNTER, [] { return g_clock; }},
    {"extra_ticks", "Ticks of the logical clock that do not come from calls: from work between them, and --seed.",
     Category::kRank, MPI_T_PVAR_CLASS_COUNTER, [] { return g_extra_ticks; }},
    {"digest", "Digest of all that the rank has been told (detmpirun --digest), 0 if none is kept.", Category::kRank,
     MPI_T_PVAR_CLASS_GENERIC, []() -> uint64_t { return g_job == nullptr ? 0 : rank_record(g_engine.rank()).digest; }},
    {"requests", "Requests of the program that exist.", Category::kRank, MPI_T_PVAR_CLASS_LEVEL, requests_in_use},
    {"communicators", "Communicators of the program that exist, without the predefined ones.", Category::kRank,
     MPI_T_PVAR_CLASS_LEVEL, []() -> uint64_t { return g_comms.used(); }},
    {"datatypes", "Derived datatypes of the program that exist.", Category::kRank, MPI_T_PVAR_CLASS_LEVEL,
     derived_types},
    {"messages_taken", "Messages that the rank has taken out of its lanes. Depends on timing.", Category::kTransport,
     MPI_T_PVAR_CLASS_COUNTER, [] { return g_engine.messages_taken(); }},
    {"messages_waiting", "Messages that were taken and wait for a receive. Depends on timing.", Category::kTransport,
     MPI_T_PVAR_CLASS_LEVEL, [] { return g_engine.messages_waiting(); }},
    {"control_messages",
     "What the rank has told others besides messages: what it waits for, and acknowledgements. Depends on timing.",
     Category::kTransport, MPI_T_PVAR_CLASS_COUNTER, [] { return g_engine.control_messages(); }},
    {"waits", "Waits in which the first look was in vain. Depends on timing.", Category::kTransport,
     MPI_T_PVAR_CLASS_COUNTER, [] { return spmc::base::g_wait_counters.waits; }},
    {"sleeps", "Waits in which the rank slept. Depends on timing.", Category::kTransport, MPI_T_PVAR_CLASS_COUNTER,
     [] { return spmc::base::g_wait_counters.sleeps; }},
};

std::vector<std::unique_ptr<DetmpiToolSession>> g_tool_sessions;

auto find(MPI_T_pvar_session session) {
  return std::find_if(g_tool_sessions.begin(), g_tool_sessions.end(),
                      [=](const auto& own) { return own.get() == session; });
}

// Both valid, and the handle of the session.
int check(MPI_T_pvar_session session, MPI_T_pvar_handle handle) {
  if (find(session) == g_tool_sessions.end()) return MPI_T_ERR_INVALID_SESSION;
  const bool own = std::ranges::any_of(session->handles, [=](const auto& each) { return each.get() == handle; });
  return own ? MPI_SUCCESS : MPI_T_ERR_INVALID_HANDLE;
}

const Performance& variable_of(const DetmpiToolPvar& handle) { return kPerformances[handle.index]; }

uint64_t value_of(const DetmpiToolPvar& handle) {
  const uint64_t now = variable_of(handle).read();
  if (!variable_of(handle).is_counter()) return now;
  return handle.started ? handle.sum + (now - handle.since) : handle.sum;
}

void set_value(DetmpiToolPvar& handle, uint64_t value) {
  handle.sum = value;
  handle.since = variable_of(handle).read();
}

void start(DetmpiToolPvar& handle) {
  if (handle.started) return;
  set_value(handle, handle.sum);
  handle.started = true;
}

void stop(DetmpiToolPvar& handle) {
  handle.sum = value_of(handle);
  handle.started = false;
}

void reset(DetmpiToolPvar& handle) { set_value(handle, 0); }

// Does it to a counter, or to all counters of the session. `refusal`: for what is no counter.
int change(MPI_T_pvar_session session, MPI_T_pvar_handle handle, int refusal, void (*act)(DetmpiToolPvar&)) {
  if (handle == MPI_T_PVAR_ALL_HANDLES) {
    if (find(session) == g_tool_sessions.end()) return MPI_T_ERR_INVALID_SESSION;
    for (const auto& each : session->handles) {
      if (variable_of(*each).is_counter()) act(*each);
    }
    return MPI_SUCCESS;
  }
  if (const int code = check(session, handle); code != MPI_SUCCESS) return code;
  if (!variable_of(*handle).is_counter()) return refusal;
  act(*handle);
  return MPI_SUCCESS;
}

}  // namespace

std::span<const Category> performance_categories() {
  static const std::vector<Category> all = [] {
    std::vector<Category> categories;
    for (const Performance& variable : kPerformances) categories.push_back(variable.category);
    return categories;
  }();
  return all;
}

void forget_sessions() { g_tool_sessions.clear(); }

}  // namespace tool

namespace impl {

using tool::give;
using tool::kPerformances;

int t_pvar_get_num(int* num_pvar) {
  give(num_pvar, static_cast<int>(std::size(kPerformances)));
  return MPI_SUCCESS;
}

int t_pvar_get_info(int pvar_index, char* name, int* name_len, int* verbosity, int* var_class, MPI_Datatype* datatype,
                    MPI_T_enum* enumtype, char* desc, int* desc_len, int* bind, int* readonly, int* continuous,
                    int* atomic) {
  if (!tool::has(kPerformances, pvar_index)) return MPI_T_ERR_INVALID_INDEX;
  const tool::Performance& variable = kPerformances[pvar_index];
  tool::give_text(variable.name, name, name_len);
  give<int>(verbosity, MPI_T_VERBOSITY_USER_BASIC);
  give(var_class, variable.variable_class);
  give(datatype, MPI_UNSIGNED_LONG_LONG);
  give(enumtype, MPI_T_ENUM_NULL);
  tool::give_text(variable.text, desc, desc_len);
  give<int>(bind, MPI_T_BIND_NO_OBJECT);
  for (int* fixed : {readonly, continuous}) give<int>(fixed, !variable.is_counter());
  give<int>(atomic, variable.is_counter());
  return MPI_SUCCESS;
}

int t_pvar_get_index(const char* name, int var_class, int* pvar_index) {
  const int found = name == nullptr ? -1 : tool::find_named(kPerformances, name);
  if (found < 0 || kPerformances[found].variable_class != var_class) return MPI_T_ERR_INVALID_NAME;
  give(pvar_index, found);
  return MPI_SUCCESS;
}

int t_pvar_session_create(MPI_T_pvar_session* session) {
  if (session == nullptr) return MPI_T_ERR_INVALID;
  tool::g_tool_sessions.push_back(std::make_unique<DetmpiToolSession>());
  *session = tool::g_tool_sessions.back().get();
  return MPI_SUCCESS;
}

int t_pvar_session_free(MPI_T_pvar_session* session) {
  const auto found = session == nullptr ? tool::g_tool_sessions.end() : tool::find(*session);
  if (found == tool::g_tool_sessions.end()) return MPI_T_ERR_INVALID_SESSION;
  tool::g_tool_sessions.erase(found);
  *session = MPI_T_PVAR_SESSION_NULL;
  return MPI_SUCCESS;
}

int t_pvar_handle_alloc(MPI_T_pvar_session session, int pvar_index, void*, MPI_T_pvar_handle* handle, int* count) {
  if (tool::find(session) == tool::g_tool_sessions.end()) return MPI_T_ERR_INVALID_SESSION;
  if (!tool::has(kPerformances, pvar_index)) return MPI_T_ERR_INVALID_INDEX;
  if (handle == nullptr) return MPI_T_ERR_INVALID;
  session->handles.push_back(std::make_unique<DetmpiToolPvar>(DetmpiToolPvar{pvar_index}));
  *handle = session->handles.back().get();
  give(count, 1);
  return MPI_SUCCESS;
}

int t_pvar_handle_free(MPI_T_pvar_session session, MPI_T_pvar_handle* handle) {
  if (handle == nullptr) return MPI_T_ERR_INVALID_HANDLE;
  if (const int code = tool::check(session, *handle); code != MPI_SUCCESS) return code;
  std::erase_if(session->handles, [=](const auto& own) { return own.get() == *handle; });
  *handle = MPI_T_PVAR_HANDLE_NULL;
  return MPI_SUCCESS;
}

int t_pvar_start(MPI_T_pvar_session session, MPI_T_pvar_handle handle) {
  return tool::change(session, handle, MPI_T_ERR_PVAR_NO_STARTSTOP, tool::start);
}

int t_pvar_stop(MPI_T_pvar_session session, MPI_T_pvar_handle handle) {
  return tool::change(session, handle, MPI_T_ERR_PVAR_NO_STARTSTOP, tool::stop);
}

int t_pvar_reset(MPI_T_pvar_session session, MPI_T_pvar_handle handle) {
  return tool::change(session, handle, MPI_T_ERR_PVAR_NO_WRITE, tool::reset);
}

int t_pvar_read(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void* buf) {
  if (const int code = tool::check(session, handle); code != MPI_SUCCESS) return code;
  if (buf == nullptr) return MPI_T_ERR_INVALID;
  *static_cast<unsigned long long*>(buf) = tool::value_of(*handle);
  return MPI_SUCCESS;
}

int t_pvar_write(MPI_T_pvar_session session, MPI_T_pvar_handle handle, const void* buf) {
  if (const int code = tool::check(session, handle); code != MPI_SUCCESS) return code;
  if (buf == nullptr) return MPI_T_ERR_INVALID;
  if (!tool::variable_of(*handle).is_counter()) return MPI_T_ERR_PVAR_NO_WRITE;
  tool::set_value(*handle, *static_cast<const unsigned long long*>(buf));
  return MPI_SUCCESS;
}

int t_pvar_readreset(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void* buf) {
  if (const int code = tool::check(session, handle); code != MPI_SUCCESS) return code;
  if (!tool::variable_of(*handle).is_counter()) return MPI_T_ERR_PVAR_NO_ATOMIC;
  const int code = t_pvar_read(session, handle, buf);
  if (code == MPI_SUCCESS) tool::reset(*handle);
  return code;
}

}  // namespace impl
}  // namespace detmpi
