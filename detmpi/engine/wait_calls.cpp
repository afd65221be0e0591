// Waiting for and testing requests.
//
// Answers are functions of the requests' times of completion (chan/match/decide.hpp), never of what has physically
// come. Once the answer is known, what it needs and has not come yet is waited for.
#include <base/sys.hpp>
#include <chan/match/decide.hpp>

#include <algorithm>
#include <utility>
#include <vector>

#include "../object/call.hpp"
#include "../object/errors.hpp"
#include "choices.hpp"
#include "impl.hpp"
#include "operation.hpp"
#include "p2p.hpp"
#include "polling.hpp"

namespace detmpi {

using chan::match::Outlook;

namespace {

// A test of one request; the clock is then where it returns.
bool test_one(Request& request, Wait& wait) {
  if (request.kind == RequestKind::kGeneral) {
    if (!request.complete) g_clock = wait.until();
    return request.complete;
  }
  if (request.kind == RequestKind::kSend && request.mode != SendMode::kSynchronous) return true;
  Operation* const operation = request.operation.get();
  if (operation != nullptr) wait.operations = {&operation, 1};
  std::optional<chan::match::All> answer;
  g_engine.decide_test(wait, [&] {
    const Outlook known = g_engine.outlook(request);
    return (answer = chan::match::test_all({&known, 1}, g_clock, wait.until())).has_value();
  });
  g_clock = answer->time;
  return answer->complete;
}

}  // namespace

bool p2p_test(Request& request, uint64_t until) {
  Wait wait{Wait::Kind::kTest, {}, &request};
  wait.reach = until - g_clock;
  return test_one(request, wait);
}

bool p2p_poll(Request& request) {
  Wait wait{Wait::Kind::kTest, {}, &request};
  begin_poll(wait);
  if (test_one(request, wait)) return true;
  failed_poll(wait);
  return false;
}

void blame(const Request& request) {
  if (g_call.comm == nullptr && g_call.errhandler == nullptr) g_call.comm = request.comm;
}

namespace impl {
namespace {

int check_handles(int count, const MPI_Request handles[]) {
  for (int i = 0; i < count; ++i) {
    if (handles[i] != MPI_REQUEST_NULL && request_from(handles[i]) == nullptr) {
      return make_error(MPI_ERR_REQUEST, "request %d of %d is not a valid handle (0x%08x)", i, count,
                        static_cast<unsigned>(handles[i]));
    }
  }
  return MPI_SUCCESS;
}

// A request that is gone when it has been concluded; its handle is nobody's then. A persistent one stays.
Request* passing_request(MPI_Request handle) {
  Request* const request = active_request(handle);
  return request == nullptr || request->persistent ? nullptr : request;
}

// The place of the first passing request that stands in the list before; else their number.
int first_repeated(int count, const MPI_Request handles[]) {
  constexpr int kFew = 16;  // faster to compare than to mark
  if (count <= kFew) {
    for (int i = 1; i < count; ++i) {
      const bool before = std::find(handles, handles + i, handles[i]) != handles + i;
      if (before && passing_request(handles[i]) != nullptr) return i;
    }
    return count;
  }
  const auto was_listed = [&](int i, bool listed) {
    Request* const request = passing_request(handles[i]);
    return request != nullptr && std::exchange(request->listed, listed);
  };
  int first = 0;
  while (first < count && !was_listed(first, true)) ++first;
  for (int i = 0; i < first; ++i) (void)was_listed(i, false);
  return first;
}

int check_list(int count, const MPI_Request handles[]) {
  if (const int code = check_handles(count, handles); code != MPI_SUCCESS) return code;
  const int first = g_checks ? first_repeated(count, handles) : count;
  if (first == count) return MPI_SUCCESS;
  blame(*request_from(handles[first]));
  return make_error(MPI_ERR_REQUEST, "requests %d and %d of %d are the same (0x%08x)",
                    static_cast<int>(std::find(handles, handles + first, handles[first]) - handles), first, count,
                    static_cast<unsigned>(handles[first]));
}

// The request completes: fills the status, and frees it or makes it inactive.
int conclude(Request& request, MPI_Request* handle, MPI_Status* status) {
  if (!request.complete) {
    g_engine.withdraw(request);
    g_engine.block_until_complete(request);
  }
  int code = p2p_status(request, status);
  if (request.kind == RequestKind::kGeneral) {
    const int freed = general_free(request);
    if (code == MPI_SUCCESS) code = freed;
  }
  if (code != MPI_SUCCESS) blame(request);
  if (request.persistent) {
    request.active = false;
  } else {
    request_delete(request);
    *handle = MPI_REQUEST_NULL;
  }
  return code;
}

MPI_Status* status_at(MPI_Status statuses[], size_t i) {
  return statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[i];
}

// Of several requests: the error of the call, which tells of the first that failed.
class Failed {
 public:
  void note(int code, int place) {
    if (code != MPI_SUCCESS && code_ == MPI_SUCCESS) code_ = make_error_in_status(code, place);
  }
  int code() const { return code_; }

 private:
  int code_ = MPI_SUCCESS;
};

int conclude_all(int count, MPI_Request handles[], MPI_Status statuses[]) {
  Failed failed;
  for (int i = 0; i < count; ++i) {
    MPI_Status* status = status_at(statuses, static_cast<size_t>(i));
    Request* request = active_request(handles[i]);
    int code = MPI_SUCCESS;
    if (request == nullptr) empty_status(status, MPI_ANY_SOURCE);
    else code = conclude(*request, &handles[i], status);
    failed.note(code, i);
    if (wanted(status)) status->MPI_ERROR = code;
  }
  return failed.code();
}

// The active ones among several requests, and what is known of each. One call uses it at a time.
class Requests {
 public:
  Requests(int count, const MPI_Request handles[]) : handles_(handles, static_cast<size_t>(count)) {
    places_.clear();
    operations_.clear();
    for (int i = 0; i < count; ++i) {
      const Request* request = active_request(handles[i]);
      if (request == nullptr) continue;
      places_.push_back(i);
      if (request->operation != nullptr) operations_.push_back(request->operation.get());
    }
    outlooks_.resize(places_.size());
  }
  bool none() const { return places_.empty(); }
  int place(size_t i) const { return places_[i]; }
  Wait wait(Wait::Kind kind) const {
    Wait wait{kind, handles_};
    wait.operations = operations_;
    return wait;
  }
  std::span<Operation* const> operations() const { return operations_; }
  std::span<const Outlook> outlooks() const {
    for (size_t i = 0; i < places_.size(); ++i) {
      outlooks_[i] = g_engine.outlook(*active_request(handles_[static_cast<size_t>(places_[i])]));
    }
    return outlooks_;
  }

 private:
  std::span<const MPI_Request> handles_;
  inline static std::vector<int> places_;
  inline static std::vector<Operation*> operations_;
  inline static std::vector<Outlook> outlooks_;
};

// Of a test: calls `answer` on what is known until it has a value, and returns that; the clock is then where the test
// returns. `first`: the first of the requests ends it.
template <typename Answer>
auto poll(const Requests& requests, bool first, Answer&& answer) {
  Wait wait = requests.wait(Wait::Kind::kTest);
  wait.first = first;
  begin_poll(wait);
  decltype(answer(requests.outlooks(), g_clock, g_clock)) result;
  g_engine.decide_test(wait, [&] {
    result = answer(requests.outlooks(), g_clock, wait.until());
    return result.has_value();
  });
  g_clock = result->time;
  if (result->in_vain()) failed_poll(wait);
  return *result;
}

bool poll_for_all(const Requests& requests) { return poll(requests, false, chan::match::test_all).complete; }

std::vector<size_t> poll_for_some(const Requests& requests) {
  return poll(requests, true, chan::match::test_some).indices;
}

// While a call may sleep until others have left the marks that operations need.
class MarksWanted {
 public:
  explicit MarksWanted(std::span<Operation* const> operations) : operations_(operations) {}
  ~MarksWanted() {
    if (wanted_) want(false);
  }
  MarksWanted(const MarksWanted&) = delete;
  MarksWanted& operator=(const MarksWanted&) = delete;
  void begin() {
    if (!wanted_) want(true);
  }

 private:
  void want(bool yes) {
    wanted_ = yes;
    for (Operation* operation : operations_) operation->want_marks(yes);
  }
  std::span<Operation* const> operations_;
  bool wanted_ = false;
};

// Of a wait for the first: calls `answer` on what is known until it has a value, and returns that.
template <typename Answer>
auto decide_first(const Requests& requests, Answer&& answer) {
  MarksWanted marks(requests.operations());
  decltype(answer(requests.outlooks())) result;
  g_engine.decide(requests.wait(Wait::Kind::kAny), [&] {
    result = answer(requests.outlooks());
    if (!result) marks.begin();
    return result.has_value();
  });
  g_clock = std::max(g_clock, result->time);
  return *result;
}

// All that are complete when the first one is; the clock is then.
chan::match::Some wait_for_some(const Requests& requests) {
  return decide_first(requests, [](std::span<const Outlook> known) { return chan::match::wait_some(known, g_clock); });
}

// One that is complete, if any is.
std::optional<size_t> poll_for_any(const Requests& requests) {
  if (g_choices.plain()) {
    const auto first = poll(requests, true, chan::match::test_any);
    return first.in_vain() ? std::nullopt : std::optional(first.index);
  }
  const auto which = poll_for_some(requests);
  return which.empty() ? std::nullopt : std::optional(which[g_choices.among(which.size())]);
}

int conclude_some(const Requests& requests, const std::vector<size_t>& which, MPI_Request handles[], int* outcount,
                  int indices[], MPI_Status statuses[]) {
  std::vector<int> places;  // concluding changes what is active
  for (const size_t i : which) places.push_back(requests.place(i));
  Failed failed;
  *outcount = 0;
  for (const int place : places) {
    MPI_Status* status = status_at(statuses, static_cast<size_t>(*outcount));
    const int code = conclude(*active_request(handles[place]), &handles[place], status);
    if (wanted(status)) status->MPI_ERROR = code;
    failed.note(code, place);
    indices[(*outcount)++] = place;
  }
  return failed.code();
}

// What the others do rests on an operation that is under way, so it is neither freed nor cancelled.
int check_can_be(const char* done, const Request& request) {
  if (request.kind != RequestKind::kOperation || !request.active || request.operation->freeable()) return MPI_SUCCESS;
  blame(request);
  return make_error(MPI_ERR_REQUEST, "a %s operation that is under way cannot be %s",
                    request.operation->collective() ? "collective" : "partitioned", done);
}

}  // namespace

int wait(MPI_Request* handle, MPI_Status* status) {
  if (const int code = check_handles(1, handle); code != MPI_SUCCESS) return code;
  g_engine.settle_held(true);
  Request* request = active_request(*handle);
  if (request == nullptr) {
    empty_status(status, MPI_ANY_SOURCE);
    return MPI_SUCCESS;
  }
  if (!request->complete) g_engine.block_until_complete(*request);
  return conclude(*request, handle, status);
}

int test(MPI_Request* handle, int* flag, MPI_Status* status) {
  if (const int code = check_handles(1, handle); code != MPI_SUCCESS) return code;
  *flag = 1;
  Request* request = active_request(*handle);
  if (request == nullptr) {
    empty_status(status, MPI_ANY_SOURCE);
    return MPI_SUCCESS;
  }
  if (p2p_poll(*request)) return conclude(*request, handle, status);
  *flag = 0;
  return MPI_SUCCESS;
}

int waitall(int count, MPI_Request handles[], MPI_Status statuses[]) {
  if (const int code = check_list(count, handles); code != MPI_SUCCESS) return code;
  g_engine.settle_held(true);
  g_engine.block_until_all_complete({handles, static_cast<size_t>(count)});
  return conclude_all(count, handles, statuses);
}

int testall(int count, MPI_Request handles[], int* flag, MPI_Status statuses[]) {
  if (const int code = check_list(count, handles); code != MPI_SUCCESS) return code;
  const Requests requests(count, handles);
  *flag = requests.none() || poll_for_all(requests);
  return *flag ? conclude_all(count, handles, statuses) : MPI_SUCCESS;
}

int waitany(int count, MPI_Request handles[], int* index, MPI_Status* status) {
  if (const int code = check_list(count, handles); code != MPI_SUCCESS) return code;
  const Requests requests(count, handles);
  if (requests.none()) {
    *index = MPI_UNDEFINED;
    empty_status(status, MPI_ANY_SOURCE);
    return MPI_SUCCESS;
  }
  if (!g_choices.plain()) {
    const auto some = wait_for_some(requests);
    *index = requests.place(some.indices[g_choices.among(some.indices.size())]);
    return conclude(*active_request(handles[*index]), &handles[*index], status);
  }
  *index = requests.place(decide_first(requests, chan::match::wait_any).index);
  return conclude(*active_request(handles[*index]), &handles[*index], status);
}

int testany(int count, MPI_Request handles[], int* index, int* flag, MPI_Status* status) {
  if (const int code = check_list(count, handles); code != MPI_SUCCESS) return code;
  const Requests requests(count, handles);
  *index = MPI_UNDEFINED;
  *flag = 1;
  if (requests.none()) {
    empty_status(status, MPI_ANY_SOURCE);
    return MPI_SUCCESS;
  }
  const auto first = poll_for_any(requests);
  if (!first) {
    *flag = 0;
    return MPI_SUCCESS;
  }
  *index = requests.place(*first);
  return conclude(*active_request(handles[*index]), &handles[*index], status);
}

int waitsome(int count, MPI_Request handles[], int* outcount, int indices[], MPI_Status statuses[]) {
  if (const int code = check_list(count, handles); code != MPI_SUCCESS) return code;
  const Requests requests(count, handles);
  if (requests.none()) {
    *outcount = MPI_UNDEFINED;
    return MPI_SUCCESS;
  }
  const auto some = wait_for_some(requests);
  return conclude_some(requests, some.indices, handles, outcount, indices, statuses);
}

int testsome(int count, MPI_Request handles[], int* outcount, int indices[], MPI_Status statuses[]) {
  if (const int code = check_list(count, handles); code != MPI_SUCCESS) return code;
  const Requests requests(count, handles);
  if (requests.none()) {
    *outcount = MPI_UNDEFINED;
    return MPI_SUCCESS;
  }
  return conclude_some(requests, poll_for_some(requests), handles, outcount, indices, statuses);
}

int request_free(MPI_Request* handle) {
  if (const int code = check_handles(1, handle); code != MPI_SUCCESS) return code;
  if (*handle == MPI_REQUEST_NULL) return make_error(MPI_ERR_REQUEST, "MPI_REQUEST_NULL cannot be freed");
  Request& request = *request_from(*handle);
  if (const int code = check_can_be("freed", request); code != MPI_SUCCESS) return code;
  const bool operation = request.kind == RequestKind::kOperation;
  *handle = MPI_REQUEST_NULL;
  if (request.kind == RequestKind::kGeneral) return general_give_up(request);
  if (operation) operation_give_up(std::move(request.operation), *request.comm);
  if (operation || !request.active) {
    request_delete(request);
    return MPI_SUCCESS;
  }
  g_engine.let_go(request);
  request_detach(request);  // if it is not complete it stays posted, and goes by itself
  if (request.complete) g_engine.delete_detached(request);
  return MPI_SUCCESS;
}

int request_get_status(MPI_Request handle, int* flag, MPI_Status* status) {
  if (const int code = check_handles(1, &handle); code != MPI_SUCCESS) return code;
  Request* request = active_request(handle);
  *flag = 1;
  if (request == nullptr) {
    empty_status(status, MPI_ANY_SOURCE);
    return MPI_SUCCESS;
  }
  *flag = p2p_poll(*request);
  if (!*flag) return MPI_SUCCESS;
  if (!request->complete) {
    g_engine.withdraw(*request);
    g_engine.block_until_complete(*request);
  }
  const int code = p2p_status(*request, status);
  if (code != MPI_SUCCESS) blame(*request);
  return code;
}

// A send is never cancelled: its message is on its way.
int cancel(MPI_Request* handle) {
  if (*handle == MPI_REQUEST_NULL) return make_error(MPI_ERR_REQUEST, "there is no request to cancel");
  if (const int code = check_handles(1, handle); code != MPI_SUCCESS) return code;
  Request* request = active_request(*handle);
  if (request == nullptr) return MPI_SUCCESS;
  if (request->kind == RequestKind::kGeneral) return general_cancel(*request);
  if (const int code = check_can_be("cancelled", *request); code != MPI_SUCCESS) return code;
  if (request->kind != RequestKind::kRecv || request->peer == MPI_PROC_NULL) return MPI_SUCCESS;
  std::optional<bool> cancelled;
  g_engine.expect_cancels();
  g_engine.set_cancelling(true);
  g_engine.decide({Wait::Kind::kTest, {}, request},
                  [&] { return (cancelled = chan::match::cancel(g_engine.outlook(*request), g_clock)).has_value(); });
  if (*cancelled) g_engine.take_back(*request);
  g_engine.set_cancelling(false);
  return MPI_SUCCESS;
}

}  // namespace impl
}  // namespace detmpi
