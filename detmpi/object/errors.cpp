// Error codes, their texts, and the way to the error handler. All state belongs to the rank's one MPI thread.
#include "errors.hpp"

#include <array>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <set>
#include <utility>
#include <vector>

#include "comm.hpp"
#include "hooks.hpp"
#include "session.hpp"

namespace detmpi {
namespace {

constexpr int kClassBits = 8;
constexpr int kClassMask = (1 << kClassBits) - 1;
constexpr int kLastClass = MPI_T_ERR_NOT_SUPPORTED;
constexpr uint32_t kSerials = 1U << 21;  // codes stay below MPI_ERR_LASTCODE
constexpr uint32_t kKept = 64;

struct Message {
  uint32_t serial = 0;  // 0: none
  std::string text;
  int exit_code = 0;  // of the job, where the error is not one of this rank's alone; else 0
};

struct UserCode {
  int error_class;
  std::string text;
};

std::array<Message, kKept> g_messages;
uint32_t g_serial = 0;
std::vector<UserCode> g_user_codes;  // index: code - kFirstUserCode

constexpr const char* kClassTexts[kLastClass + 1] = {
    "no error",
    "invalid buffer",
    "invalid count",
    "invalid datatype",
    "invalid tag",
    "invalid communicator",
    "invalid rank",
    "invalid root",
    "invalid group",
    "invalid reduction operation",
    "invalid topology",
    "invalid dimensions",
    "invalid argument",
    "unknown error",
    "message longer than the receive buffer",
    "other error",
    "internal error",
    "see the error field of each status",
    "request not yet complete",
    "invalid request",
    "access denied",
    "invalid file access mode",
    "invalid file name",
    "error in a data conversion function",
    "data representation already defined",
    "file exists",
    "file is in use",
    "invalid file handle",
    "invalid info object",
    "invalid info key",
    "invalid info value",
    "info key not defined",
    "input or output error",
    "name not published",
    "out of memory",
    "arguments differ between ranks",
    "no space left",
    "no such file",
    "invalid port",
    "quota exceeded",
    "file is read-only",
    "service not published",
    "processes could not be started",
    "unsupported data representation",
    "unsupported operation",
    "invalid window",
    "invalid base address",
    "invalid lock type",
    "invalid attribute key",
    "conflicting accesses to a window",
    "wrong synchronisation of a window",
    "invalid size",
    "invalid displacement",
    "invalid assertion",
    "reserved error class 54",
    "target memory is not part of the window",
    "memory cannot be attached",
    "memory cannot be shared",
    "function not allowed on this kind of window",
    "MPI_T: out of memory",
    "MPI_T: not initialised",
    "MPI_T: cannot be initialised",
    "MPI_T: invalid index",
    "MPI_T: invalid item",
    "MPI_T: invalid handle",
    "MPI_T: out of handles",
    "MPI_T: out of sessions",
    "MPI_T: invalid session",
    "MPI_T: variable cannot be set now",
    "MPI_T: variable cannot be set",
    "MPI_T: variable cannot be started or stopped",
    "MPI_T: variable cannot be written",
    "MPI_T: variable cannot be read and reset at once",
    "MPI_T: invalid name",
    "MPI_T: invalid use",
    "invalid session",
    "a process has ended early",
    "value too large",
    "MPI_T: not supported",
};
static_assert(kClassTexts[kLastClass] != nullptr);

bool is_user_code(int code) {
  return code >= kFirstUserCode && static_cast<size_t>(code - kFirstUserCode) < g_user_codes.size();
}

bool is_class(int code) { return (code >= 0 && code <= kLastClass) || is_user_code(code); }

std::string format_text(const char* format, va_list arguments) {
  char text[MPI_MAX_ERROR_STRING];
  vsnprintf(text, sizeof text, format, arguments);
  return text;
}

int make_code(int error_class, std::string text, int exit_code = 0) {
  if (is_user_code(error_class)) return error_class;
  g_serial = g_serial % (kSerials - 1) + 1;
  g_messages[g_serial % kKept] = {g_serial, std::move(text), exit_code};
  return error_class | static_cast<int>(g_serial << kClassBits);
}

// The message of a code, if it is still kept.
const Message* message_of(int code) {
  const uint32_t serial = code < 0 || is_user_code(code) ? 0 : static_cast<uint32_t>(code) >> kClassBits;
  const Message& message = g_messages[serial % kKept];
  return serial != 0 && message.serial == serial ? &message : nullptr;
}

// For people: who, and in which call.
std::string whereabouts() {
  const std::string who = g_comm_world != nullptr ? "rank " + std::to_string(g_comm_world->rank) + ": " : "";
  return who + call_name(g_call.id) + ": ";
}

std::string text_for_people(int code) { return whereabouts() + error_text(code); }

[[noreturn]] void die(const Comm* comm, int code) {
  const Message* message = message_of(code);
  if (message != nullptr && message->exit_code != 0) {  // several ranks may find it out, in the same words
    job_abort_mismatch(message->exit_code, message->text);
  }
  std::string text = text_for_people(code);
  if (comm != nullptr) text += " on " + comm_label(*comm);
  job_abort_in_call(error_class_of(code), text);
}

std::string g_unsupported;         // the first call of that kind
int g_raised_early = MPI_SUCCESS;  // a code that the call, at its end, does not raise again

// What an error is raised on: the handler, and the handle that a function of the program's is called with.
struct Raised {
  Errhandler* handler;
  int handle;
  const Comm* comm;  // null: no matter of a communicator
};

// What the call would have made with that handler is not there yet.
int null_of_made() { return g_call.id == CallId::kSessionInit ? MPI_SESSION_NULL : MPI_COMM_NULL; }

Raised raised_on() {
  if (g_call.errhandler != nullptr) return {g_call.errhandler, null_of_made(), nullptr};
  if (g_call.session != nullptr) return {g_call.session->errhandler, g_call.session->handle, nullptr};
  const Comm* comm = g_call.comm != nullptr ? g_call.comm : g_comm_world;
  if (comm == nullptr) return {&errhandler_fatal(), MPI_COMM_NULL, nullptr};
  return {comm->errhandler, comm->handle, comm};
}

}  // namespace

int make_error(int error_class, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  std::string text = format_text(format, arguments);
  va_end(arguments);
  return make_code(error_class, std::move(text));
}

int make_job_error(int error_class, int exit_code, std::string text) {
  return make_code(error_class, std::move(text), exit_code);
}

int make_error_in_status(int code, int place) {
  const Message* message = message_of(code);
  if (message != nullptr && message->exit_code != 0) {
    return make_job_error(MPI_ERR_IN_STATUS, message->exit_code, message->text);
  }
  return make_error(MPI_ERR_IN_STATUS, "request %d failed: %s", place, error_text(code).c_str());
}

int fail(int error_class, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  std::string text = format_text(format, arguments);
  va_end(arguments);
  return raise_error(make_code(error_class, std::move(text)));
}

int error_class_of(int code) {
  if (is_user_code(code)) return g_user_codes[static_cast<size_t>(code - kFirstUserCode)].error_class;
  const int error_class = code & kClassMask;
  return code >= 0 && code <= MPI_ERR_LASTCODE && error_class <= kLastClass ? error_class : MPI_ERR_UNKNOWN;
}

std::string error_text(int code) {
  if (is_user_code(code)) return g_user_codes[static_cast<size_t>(code - kFirstUserCode)].text;
  const Message* message = message_of(code);
  return message != nullptr ? message->text : kClassTexts[error_class_of(code)];
}

int add_error_class() {
  const int code = last_used_code() + 1;
  g_user_codes.push_back({code, ""});
  return code;
}

int add_error_code(int error_class) {
  const int code = last_used_code() + 1;
  g_user_codes.push_back({error_class, ""});
  return code;
}

bool set_error_text(int code, const char* text) {
  if (!is_user_code(code)) return false;
  g_user_codes[static_cast<size_t>(code - kFirstUserCode)].text = text;
  return true;
}

int last_used_code() { return MPI_ERR_LASTCODE + static_cast<int>(g_user_codes.size()); }

int raise_error_early(int code) {
  const int raised = raise_error(code);
  g_raised_early = raised;
  return raised;
}

int raise_error(int code) {
  if (std::exchange(g_raised_early, MPI_SUCCESS) == code) return code;
  const Raised on = raised_on();
  switch (on.handler->kind) {
    case Errhandler::Kind::kFatal:
    case Errhandler::Kind::kAbort: die(on.comm, code);
    case Errhandler::Kind::kReturn: return code;
    case Errhandler::Kind::kUser: break;
  }
  int handle = on.handle;
  int seen = code;
  errhandler_retain(*on.handler);  // the function may replace or free its own handler
  {
    const CallbackScope scope;
    on.handler->function(&handle, &seen);
  }
  errhandler_release(*on.handler);
  return code;
}

void fail_two_threads(CallId first) {
  const std::string line = "DetMPI: " + whereabouts() + "another thread is in " + call_name(first) +
                           ", and MPI_THREAD_MULTIPLE is not provided; the job ends\n";
  job_abort(MPI_ERR_OTHER, line.c_str(), true);
}

int fail_not_running() {
  const char* when = g_job_state == JobState::kBefore ? "called before MPI_Init" : "called after MPI_Finalize";
  die(nullptr, make_error(MPI_ERR_OTHER, "%s", when));
}

int fail_handle(int error_class, const char* parameter, int handle) {
  const uint32_t bits = static_cast<uint32_t>(handle);
  if (bits >> 30 == 0) return fail(error_class, "%s is 0x%08x, a null or invalid handle", parameter, bits);
  return fail(error_class, "%s is 0x%08x, not a valid handle (freed, or of another kind)", parameter, bits);
}

int fail_unsupported(const char* chapter, bool raised, bool first) {
  const int code = make_error(MPI_ERR_UNSUPPORTED_OPERATION, "not supported by this version of DetMPI (%s)", chapter);
  const bool only_returned = !raised || raised_on().handler->kind == Errhandler::Kind::kReturn;
  const bool first_rank = g_call.comm == nullptr || g_call.comm->rank == 0;
  if (first && g_unsupported.empty()) g_unsupported = call_name(g_call.id);
  static std::set<CallId> said;
  if (first && only_returned && first_rank && said.insert(g_call.id).second) {
    std::fprintf(stderr, "DetMPI: %s; it returns an error\n", text_for_people(code).c_str());
  }
  return raised ? raise_error(code) : code;
}

std::string unsupported_text() {
  if (g_unsupported.empty()) return "";
  return " (" + g_unsupported + ", which this version of DetMPI does not support, had returned an error before)";
}

int fail_null(int error_class, const char* parameter) { return fail(error_class, "%s is null", parameter); }

namespace impl {

int error_class(int errorcode, int* errorclass) {
  *errorclass = error_class_of(errorcode);
  return MPI_SUCCESS;
}

int error_string(int errorcode, char* string, int* resultlen) {
  const std::string text = error_text(errorcode).substr(0, MPI_MAX_ERROR_STRING - 1);
  text.copy(string, text.size());
  string[text.size()] = '\0';
  *resultlen = static_cast<int>(text.size());
  return MPI_SUCCESS;
}

int add_error_class(int* errorclass) {
  *errorclass = detmpi::add_error_class();
  return MPI_SUCCESS;
}

int add_error_code(int errorclass, int* errorcode) {
  if (!is_class(errorclass) || error_class_of(errorclass) != errorclass) {
    return make_error(MPI_ERR_ARG, "%d is not an error class", errorclass);
  }
  *errorcode = detmpi::add_error_code(errorclass);
  return MPI_SUCCESS;
}

int add_error_string(int errorcode, const char* string) {
  if (!set_error_text(errorcode, string)) {
    return make_error(MPI_ERR_ARG, "%d is not a code that MPI_Add_error_class or MPI_Add_error_code returned",
                      errorcode);
  }
  return MPI_SUCCESS;
}

}  // namespace impl
}  // namespace detmpi
