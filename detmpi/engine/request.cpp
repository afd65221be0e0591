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

constexpr uint32_t kPrefix = 0xac000000;  // made by the program, kind 11 (see object/handle_table.hpp)
constexpr uint32_t kIndexMask = 0x03ffffff;

std::deque<Request> g_pool;  // addresses stay valid as it grows
std::vector<Request*> g_free;
std::vector<Request*> g_by_handle;  // null: the handle is free
std::vector<uint32_t> g_free_handles;

void free_handle(Request& request) {
  const auto index = static_cast<uint32_t>(std::exchange(request.handle, MPI_REQUEST_NULL)) & kIndexMask;
  g_by_handle[index] = nullptr;
  g_free_handles.push_back(index);
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
  if (g_free.empty()) g_free.push_back(&g_pool.emplace_back());
  Request& request = *g_free.back();
  g_free.pop_back();
  request_attach(request);
  return request;
}

void request_attach(Request& request) {
  if (g_free_handles.empty()) {
    g_free_handles.push_back(static_cast<uint32_t>(g_by_handle.size()));
    g_by_handle.push_back(nullptr);
  }
  const uint32_t index = g_free_handles.back();
  g_free_handles.pop_back();
  g_by_handle[index] = &request;
  request.handle = static_cast<int>(kPrefix | index);
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
  std::free(request.own_buffer);
  std::destroy_at(&request);
  std::construct_at(&request);
  g_free.push_back(&request);
}

std::deque<Request>& request_pool() { return g_pool; }

Request* request_from(MPI_Request handle) {
  const auto bits = static_cast<uint32_t>(handle);
  const uint32_t index = bits & kIndexMask;
  return (bits & ~kIndexMask) == kPrefix && index < g_by_handle.size() ? g_by_handle[index] : nullptr;
}

}  // namespace detmpi
