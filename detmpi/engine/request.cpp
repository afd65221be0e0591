#include "request.hpp"

#include <base/check.hpp>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "events.hpp"
#include "operation.hpp"

namespace detmpi {
namespace {

std::deque<Request> g_pool;  // addresses stay valid as it grows
Request* g_free = nullptr;   // linked by `next`
// A stack with room for all places there are, so that to free one takes nothing.
std::vector<uint32_t> g_free_places;
size_t g_free_place_count = 0;

[[gnu::cold]] void add_request() { g_free = &g_pool.emplace_back(); }

[[gnu::cold]] void add_place() {
  const size_t place = g_request_at.size();
  CHECK(place < kRequestPlaces, "the program has %zu requests, more than there are handles for", place);
  g_request_at.push_back(nullptr);
  g_free_places.resize(place + 1);
  g_free_places[g_free_place_count++] = static_cast<uint32_t>(place);
}

void free_handle(Request& request) {
  const uint32_t place = static_cast<uint32_t>(std::exchange(request.handle, MPI_REQUEST_NULL)) - kRequestPrefix;
  g_request_at[place] = nullptr;
  g_free_places[g_free_place_count++] = place;
  note_returned(static_cast<int>(kRequestPrefix + place));
}

}  // namespace

uint64_t content_of(TypedBytes data, size_t n) {
  n = std::min(n, data.size());
  data.rewind();
  if (data.flat() != nullptr) return hash_bytes(data.flat(), n);
  std::vector<char> packed(n);
  data.read(packed.data(), n);
  return hash_bytes(packed.data(), n);
}

void OperationDeleter::operator()(Operation* operation) const { delete operation; }

Request& request_new() {
  if (g_free == nullptr) [[unlikely]]
    add_request();
  Request& request = *g_free;
  g_free = std::exchange(request.next, nullptr);
  request_attach(request);
  note_given(request.handle);
  return request;
}

void request_attach(Request& request) {
  if (g_free_place_count == 0) [[unlikely]]
    add_place();
  const uint32_t place = g_free_places[--g_free_place_count];
  g_request_at[place] = &request;
  request.handle = static_cast<int>(kRequestPrefix + place);
  request.detached = false;
}

void request_detach(Request& request) {
  free_handle(request);
  request.detached = true;
}

void Request::keep_whole() {
  std::free(own_buffer);
  own_buffer = static_cast<char*>(std::malloc(bytes));
  CHECK(own_buffer != nullptr, "no memory for a message of %zu bytes", static_cast<size_t>(bytes));
  kept = 0;
}

void request_delete(Request& request) {
  if (request.handle != MPI_REQUEST_NULL) free_handle(request);
  if (request.comm != nullptr) comm_release(*request.comm);
  if (request.own_buffer != nullptr) std::free(request.own_buffer);
  std::destroy_at(&request);
  std::construct_at(&request);
  request.next = std::exchange(g_free, &request);
}

std::deque<Request>& request_pool() { return g_pool; }

}  // namespace detmpi
