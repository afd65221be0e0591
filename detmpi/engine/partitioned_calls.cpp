// The calls of partitioned communication (partitioned.hpp).
#include "../object/call.hpp"
#include "../object/errors.hpp"
#include "impl.hpp"
#include "partitioned.hpp"
#include "polling.hpp"

#include <memory>

namespace detmpi {
namespace {

int check_buffer(const PartitionedBuffer& buffer) {
  int64_t elements = 0, size = 0, extent = 0;
  if (__builtin_mul_overflow(buffer.count, int64_t{buffer.partitions}, &elements) ||
      __builtin_mul_overflow(elements, static_cast<int64_t>(buffer.type->size), &size) ||
      __builtin_mul_overflow(elements, int64_t{buffer.type->extent}, &extent)) {
    return make_error(MPI_ERR_COUNT, "%d partitions of %ld elements are too many", buffer.partitions,
                      static_cast<long>(buffer.count));
  }
  if (buffer.base == nullptr && size > 0 && buffer.type->true_lb == 0 && buffer.has_peer()) {
    return make_error(MPI_ERR_BUFFER, "buf is null, but %ld elements are to be moved", static_cast<long>(elements));
  }
  return MPI_SUCCESS;
}

// Of a request that has been started, null if it is none.
PartitionedSend* send_of(MPI_Request handle) {
  Request* request = active_request(handle);
  return request == nullptr ? nullptr : dynamic_cast<PartitionedSend*>(request->operation.get());
}

// The code of a call on a request: an error is raised on its communicator.
int blamed(MPI_Request handle, int code) {
  const Request* request = code == MPI_SUCCESS ? nullptr : request_from(handle);
  if (request != nullptr) blame(*request);
  return code;
}

int no_send(MPI_Request handle) {
  return blamed(handle,
                make_error(MPI_ERR_REQUEST, "the request is not that of a send in partitions that has been started"));
}

int no_partition(const Partitioned& operation, int partition) {
  return make_error(MPI_ERR_ARG, "there is no partition %d (they are 0 to %d)", partition, operation.partitions() - 1);
}

bool has(const Partitioned& operation, int partition) { return partition >= 0 && partition < operation.partitions(); }

int check_partition(const PartitionedSend& send, int partition) {
  if (!has(send, partition)) return no_partition(send, partition);
  if (!send.is_ready(partition)) return MPI_SUCCESS;
  return make_error(MPI_ERR_ARG, "partition %d has been said to be ready already", partition);
}

// Each `partition(i)`; if one of them cannot be, none is.
template <typename Partition>
int make_ready(PartitionedSend& send, int number, Partition&& partition) {
  std::vector<bool> listed(static_cast<size_t>(send.partitions()), false);
  for (int i = 0; i < number; ++i) {
    const int p = partition(i);
    if (const int code = check_partition(send, p); code != MPI_SUCCESS) return code;
    if (listed[static_cast<size_t>(p)]) return make_error(MPI_ERR_ARG, "partition %d is listed twice", p);
    listed[static_cast<size_t>(p)] = true;
  }
  for (int i = 0; i < number; ++i) send.make_ready(partition(i));
  return MPI_SUCCESS;
}

}  // namespace

namespace impl {

int psend_init(const void* buf, int partitions, MPI_Count count, const Datatype& type, int dest, int tag, Comm& comm,
               Info*, MPI_Request* request) {
  const PartitionedBuffer buffer{buf, partitions, count, TypeRef(type), comm, dest, tag};
  if (const int code = check_buffer(buffer); code != MPI_SUCCESS) return code;
  const int first_tag = buffer.has_peer() ? give_out_tags(comm, partitions) : kNoTag;
  if (first_tag == 0) {
    return make_error(MPI_ERR_OTHER, "the sends on the communicator have had 2^31 partitions: no numbers are left");
  }
  operation_keep(OperationPtr(new PartitionedSend(buffer, first_tag)), comm, request);
  return MPI_SUCCESS;
}

int precv_init(void* buf, int partitions, MPI_Count count, const Datatype& type, int source, int tag, Comm& comm, Info*,
               MPI_Request* request) {
  const PartitionedBuffer buffer{buf, partitions, count, TypeRef(type), comm, source, tag};
  if (const int code = check_buffer(buffer); code != MPI_SUCCESS) return code;
  operation_keep(OperationPtr(new PartitionedReceive(buffer)), comm, request);
  return MPI_SUCCESS;
}

int pready(int partition, MPI_Request request) {
  PartitionedSend* send = send_of(request);
  if (send == nullptr) return no_send(request);
  if (const int code = check_partition(*send, partition); code != MPI_SUCCESS) return blamed(request, code);
  send->make_ready(partition);
  return MPI_SUCCESS;
}

int pready_range(int partition_low, int partition_high, MPI_Request request) {
  PartitionedSend* send = send_of(request);
  if (send == nullptr) return no_send(request);
  for (const int end : {partition_low, partition_high}) {
    if (!has(*send, end)) return blamed(request, no_partition(*send, end));
  }
  if (partition_low > partition_high) {
    return blamed(request, make_error(MPI_ERR_ARG, "partition_low is %d, above partition_high, %d", partition_low,
                                      partition_high));
  }
  const int number = partition_high - partition_low + 1;
  return blamed(request, make_ready(*send, number, [&](int i) { return partition_low + i; }));
}

int pready_list(int length, const int array_of_partitions[], MPI_Request request) {
  PartitionedSend* send = send_of(request);
  if (send == nullptr) return no_send(request);
  return blamed(request, make_ready(*send, length, [&](int i) { return array_of_partitions[i]; }));
}

int parrived(MPI_Request handle, int partition, int* flag) {
  if (handle == MPI_REQUEST_NULL) {
    *flag = 1;
    return MPI_SUCCESS;
  }
  Request* request = request_from(handle);
  auto* receive = request == nullptr ? nullptr : dynamic_cast<PartitionedReceive*>(request->operation.get());
  if (receive == nullptr) {
    return blamed(handle, make_error(MPI_ERR_REQUEST, "the request is not that of a receive in partitions"));
  }
  if (!has(*receive, partition)) return blamed(handle, no_partition(*receive, partition));
  Wait wait{Wait::Kind::kTest, {}, request};
  begin_poll(wait);
  *flag = !request->active || receive->has_arrived(partition, wait.until());
  if (*flag == 0) failed_poll(wait);
  return MPI_SUCCESS;
}

}  // namespace impl
}  // namespace detmpi
