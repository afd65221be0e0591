// Control variables: the settings of the job, as detmpirun was told or chose them. Before MPI_Init they are 0.
#include <algorithm>
#include <memory>
#include <string_view>
#include <vector>

#include "../engine/job_table.hpp"
#include "../object/call.hpp"
#include "impl.hpp"
#include "tool.hpp"

struct DetmpiToolCvar {
  int index;
};

namespace detmpi {
namespace tool {
namespace {

constexpr const char* kOrders[] = {"logical", "arrival"};
constexpr const char* kTimes[] = {"logical", "real"};
constexpr DetmpiToolEnum kOrderEnum{"order", kOrders};
constexpr DetmpiToolEnum kTimeEnum{"wtime", kTimes};

int g_checks_setting = 1;  // as it was written last

// An int is a setting of few values, the others are unsigned long long.
struct Control {
  const char* name;
  const char* text;
  Category category;
  MPI_Datatype type;
  const DetmpiToolEnum* enumeration;
  uint64_t (*read)(const JobTable& job);
};

// The first is the only one that may be written.
constexpr Control kControls[] = {
    {"checks", "Arguments of MPI functions are checked (environment variable DETMPI_CHECKS); 0: they are not.",
     Category::kRank, MPI_INT, nullptr, nullptr},
    {"order", "The order in which messages are matched (detmpirun --order).", Category::kJob, MPI_INT, &kOrderEnum,
     [](const JobTable& job) -> uint64_t { return job.first_come; }},
    {"wtime", "The clock of MPI_Wtime (detmpirun --wtime).", Category::kJob, MPI_INT, &kTimeEnum,
     [](const JobTable& job) -> uint64_t { return job.real_time; }},
    {"strict_sends", "Sends wait for their receives (detmpirun --strict-sends).", Category::kJob, MPI_INT, nullptr,
     [](const JobTable& job) -> uint64_t { return job.strict_sends; }},
    {"leaks", "What is left at MPI_Finalize is told (detmpirun --leaks).", Category::kJob, MPI_INT, nullptr,
     [](const JobTable& job) -> uint64_t { return job.tell_leaks; }},
    {"lookahead", "Least logical time from a send to its arrival, in ticks (detmpirun --lookahead).", Category::kJob,
     MPI_UNSIGNED_LONG_LONG, nullptr, [](const JobTable& job) -> uint64_t { return job.lookahead; }},
    {"seed", "Which legal order of messages is taken (detmpirun --seed).", Category::kJob, MPI_UNSIGNED_LONG_LONG,
     nullptr, [](const JobTable& job) { return job.seed; }},
    {"direct_from_blocking",
     "Bytes from which a blocking send may be copied from buffer to buffer (detmpirun --direct-from).",
     Category::kTransport, MPI_UNSIGNED_LONG_LONG, nullptr,
     [](const JobTable& job) { return job.direct_from.one_way; }},
    {"direct_from_pending",
     "Bytes from which another send, as that of MPI_Sendrecv, may be copied from buffer to buffer.",
     Category::kTransport, MPI_UNSIGNED_LONG_LONG, nullptr,
     [](const JobTable& job) { return job.direct_from.pending; }},
    {"lane_cells", "Records that are under way from one rank to another at most.", Category::kTransport,
     MPI_UNSIGNED_LONG_LONG, nullptr, [](const JobTable& job) -> uint64_t { return job.lane_cells; }},
    {"window_bytes", "Bytes of larger messages that a rank has under way at most.", Category::kTransport,
     MPI_UNSIGNED_LONG_LONG, nullptr,
     [](const JobTable& job) -> uint64_t { return uint64_t{job.slab_limit} * job.slab_pages * spmc::kPageSize; }},
};

std::vector<std::unique_ptr<DetmpiToolCvar>> g_handles;

auto find(MPI_T_cvar_handle handle) {
  return std::find_if(g_handles.begin(), g_handles.end(), [=](const auto& own) { return own.get() == handle; });
}

bool writable(const Control& control) { return control.read == nullptr; }

}  // namespace

std::span<const Category> control_categories() {
  static const std::vector<Category> all = [] {
    std::vector<Category> categories;
    for (const Control& control : kControls) categories.push_back(control.category);
    return categories;
  }();
  return all;
}

void forget_control_handles() { g_handles.clear(); }

}  // namespace tool

namespace impl {

using tool::give;
using tool::kControls;

int t_cvar_get_num(int* num_cvar) {
  give(num_cvar, static_cast<int>(std::size(kControls)));
  return MPI_SUCCESS;
}

int t_cvar_get_info(int cvar_index, char* name, int* name_len, int* verbosity, MPI_Datatype* datatype,
                    MPI_T_enum* enumtype, char* desc, int* desc_len, int* bind, int* scope) {
  if (!tool::has(kControls, cvar_index)) return MPI_T_ERR_INVALID_INDEX;
  const tool::Control& control = kControls[cvar_index];
  tool::give_text(control.name, name, name_len);
  give<int>(verbosity, MPI_T_VERBOSITY_USER_BASIC);
  give(datatype, control.type);
  give(enumtype, const_cast<MPI_T_enum>(control.enumeration));
  tool::give_text(control.text, desc, desc_len);
  give<int>(bind, MPI_T_BIND_NO_OBJECT);
  give<int>(scope, tool::writable(control) ? MPI_T_SCOPE_LOCAL : MPI_T_SCOPE_READONLY);
  return MPI_SUCCESS;
}

int t_cvar_get_index(const char* name, int* cvar_index) {
  const int found = name == nullptr ? -1 : tool::find_named(kControls, name);
  if (found < 0) return MPI_T_ERR_INVALID_NAME;
  give(cvar_index, found);
  return MPI_SUCCESS;
}

int t_cvar_handle_alloc(int cvar_index, void*, MPI_T_cvar_handle* handle, int* count) {
  if (!tool::has(kControls, cvar_index)) return MPI_T_ERR_INVALID_INDEX;
  if (handle == nullptr) return MPI_T_ERR_INVALID;
  tool::g_handles.push_back(std::make_unique<DetmpiToolCvar>(DetmpiToolCvar{cvar_index}));
  *handle = tool::g_handles.back().get();
  give(count, 1);
  return MPI_SUCCESS;
}

int t_cvar_handle_free(MPI_T_cvar_handle* handle) {
  const auto found = handle == nullptr ? tool::g_handles.end() : tool::find(*handle);
  if (found == tool::g_handles.end()) return MPI_T_ERR_INVALID_HANDLE;
  tool::g_handles.erase(found);
  *handle = MPI_T_CVAR_HANDLE_NULL;
  return MPI_SUCCESS;
}

int t_cvar_read(MPI_T_cvar_handle handle, void* buf) {
  if (tool::find(handle) == tool::g_handles.end()) return MPI_T_ERR_INVALID_HANDLE;
  if (buf == nullptr) return MPI_T_ERR_INVALID;
  const tool::Control& control = kControls[handle->index];
  if (tool::writable(control)) {
    *static_cast<int*>(buf) = g_checks ? tool::g_checks_setting : 0;
    return MPI_SUCCESS;
  }
  const uint64_t value = g_job == nullptr ? 0 : control.read(*g_job);
  if (control.type == MPI_INT) *static_cast<int*>(buf) = static_cast<int>(value);
  else *static_cast<unsigned long long*>(buf) = value;
  return MPI_SUCCESS;
}

int t_cvar_write(MPI_T_cvar_handle handle, const void* buf) {
  if (tool::find(handle) == tool::g_handles.end()) return MPI_T_ERR_INVALID_HANDLE;
  if (buf == nullptr) return MPI_T_ERR_INVALID;
  if (!tool::writable(kControls[handle->index])) return MPI_T_ERR_CVAR_SET_NEVER;
  const int value = *static_cast<const int*>(buf);
  g_checks = value != 0;
  if (value != 0) tool::g_checks_setting = value;
  return MPI_SUCCESS;
}

}  // namespace impl
}  // namespace detmpi
