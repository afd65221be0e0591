#include "request.hpp"

#include <base/check.hpp>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <vector>

#include "events.hpp"
#include "operation.hpp"

namespace detmpi {
namespace {

constexpr uint32_t kPrefix = 0xac000000;  // made by the program, kind 11 (see object/handle_table.hpp)
constexpr uint32_t kIndexMask = 0x03ffffff;

std::deque<Request> g_pool;  // addresses stay valid as it grows
std::vector<uint32_t> g_free;

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
  uint32_t index;
  if (g_free.empty()) {
    index = static_cast<uint32_t>(g_pool.size());
    g_pool.emplace_back();
  } else {
    index = g_free.back();
    g_free.pop_back();
  }
  Request& request = g_pool[index];
  request.handle = static_cast<int>(kPrefix | index);
  return request;
}

void Request::keep_whole() {
  std::free(own_buffer);
  own_buffer = static_cast<char*>(std::malloc(bytes));
  CHECK(own_buffer != nullptr, "no memory for a message of %zu bytes", static_cast<size_t>(bytes));
  kept = 0;
}

void request_delete(Request& request) {
  const auto index = static_cast<uint32_t>(request.handle) & kIndexMask;
  if (request.comm != nullptr) comm_release(*request.comm);
  std::free(request.own_buffer);
  request = Request();
  g_free.push_back(index);
}

std::deque<Request>& request_pool() { return g_pool; }

Request* request_from(MPI_Request handle) {
  const auto bits = static_cast<uint32_t>(handle);
  const uint32_t index = bits & kIndexMask;
  if ((bits & ~kIndexMask) != kPrefix || index >= g_pool.size()) return nullptr;
  Request& request = g_pool[index];
  return request.handle == handle ? &request : nullptr;
}

}  // namespace detmpi
