#include "partitioned.hpp"

#include <algorithm>

#include "../object/call.hpp"
#include "../object/errors.hpp"
#include "../types/layout.hpp"
#include "events.hpp"

namespace detmpi {
namespace {

constexpr int kFirstTag = -2;  // -1 is MPI_ANY_TAG
constexpr uint32_t kTags = uint32_t{1} << 31;

const Datatype& bytes() { return *datatype_from(MPI_BYTE); }

}  // namespace

int give_out_tags(Comm& comm, int partitions) {
  const auto wanted = static_cast<uint32_t>(partitions);
  if (wanted > kTags - 2 - comm.partition_tags) return 0;
  const int first = static_cast<int>(kFirstTag - static_cast<int64_t>(comm.partition_tags));
  comm.partition_tags += wanted;
  return first;
}

// --- sends ---

PartitionedSend::PartitionedSend(PartitionedBuffer buffer, int first_tag) : Partitioned(std::move(buffer)) {
  if (!buffer_.has_peer()) {
    p2p_start_with_nobody(announced_, RequestKind::kSend);
    return;
  }
  announcement_ = {buffer_.partition_bytes(), static_cast<uint32_t>(buffer_.partitions), first_tag};
  p2p_start_send(announced_, &announcement_, sizeof announcement_, bytes(), buffer_.comm, buffer_.announced(),
                 SendMode::kStandard);
}

void PartitionedSend::start() {
  clear();
  ready_.assign(static_cast<size_t>(buffer_.partitions), false);
  left_ = buffer_.partitions;
}

void PartitionedSend::make_ready(int partition) {
  const auto q = static_cast<size_t>(partition);
  ready_[q] = true;
  --left_;
  Request& part = parts().emplace_back();
  if (!buffer_.has_peer()) return p2p_start_with_nobody(part, RequestKind::kSend);
  const void* base = place(static_cast<const char*>(buffer_.base), buffer_.type->extent * buffer_.count * partition);
  const SendMode mode = g_job->strict_sends != 0 ? SendMode::kSynchronous : SendMode::kStandard;
  p2p_start_send(part, base, buffer_.count, *buffer_.type, buffer_.comm, peer_of(q), mode);
}

// --- receives ---

PartitionedReceive::PartitionedReceive(PartitionedBuffer buffer) : Partitioned(std::move(buffer)) {
  announced_.first_of = this;
  if (buffer_.has_peer()) {
    p2p_start_recv(announced_, &announcement_, sizeof announcement_, bytes(), buffer_.comm, buffer_.announced());
  } else {
    p2p_start_with_nobody(announced_, RequestKind::kRecv);
  }
}

void PartitionedReceive::start() {
  clear();
  started_ = true;
  posted_ = false;
  post_ = g_clock;
  note_act({EventKind::kReceive, buffer_.peer, buffer_.tag, buffer_.bytes(), 0, partitioned_context(buffer_.comm)});
  if (announced_.complete) post_parts();
}

void PartitionedReceive::first_came() {
  if (started_ && !posted_) post_parts();
}

void PartitionedReceive::post_parts() {
  posted_ = true;
  const TypedBytes whole(*buffer_.type, buffer_.base, buffer_.count * buffer_.partitions);
  const size_t n = announcement_.partition_bytes;
  for (size_t q = 0; q < announcement_.partitions; ++q) {
    p2p_start_recv_since(post_, parts().emplace_back(), whole.part(q * n, n), buffer_.comm, peer_of(q));
  }
}

// A partition's tag is none of the program's.
int PartitionedReceive::status_of(Request& part) {
  const int code = Operation::status_of(part);
  if (!part.truncated) return code;
  return make_error(
      MPI_ERR_TRUNCATE,
      "%u partitions of %lu bytes each (source %d, tag %d) are longer than the receive buffer of %zu bytes",
      announcement_.partitions, static_cast<unsigned long>(announcement_.partition_bytes), buffer_.peer, buffer_.tag,
      buffer_.bytes());
}

void PartitionedReceive::tell(MPI_Status* status) const {
  if (!buffer_.has_peer()) return empty_status(status, MPI_PROC_NULL);
  const uint64_t sent = announcement_.partition_bytes * announcement_.partitions;
  fill_status(status, buffer_.peer, buffer_.tag, std::min<uint64_t>(sent, buffer_.bytes()));
}

// A partition without bytes has arrived when everything has.
PartitionedReceive::Range PartitionedReceive::messages_of(int partition) const {
  const size_t mine = buffer_.partition_bytes(), theirs = announcement_.partition_bytes;
  const size_t begin = mine * static_cast<size_t>(partition);
  if (mine == 0 || theirs == 0) return {0, parts().size()};
  return {std::min(begin / theirs, parts().size()), std::min((begin + mine - 1) / theirs + 1, parts().size())};
}

bool PartitionedReceive::has_arrived(int partition, uint64_t until) {
  if (!p2p_test(announced_, until)) return false;
  if (!announced_.complete) g_engine.block_until_complete(announced_);
  const auto [begin, end] = messages_of(partition);
  for (size_t q = begin; q < end; ++q) {
    if (!p2p_test(parts()[q], until)) return false;
  }
  for (size_t q = begin; q < end; ++q) {
    Request& part = parts()[q];
    if (!part.complete) g_engine.block_until_complete(part);
  }
  note_answer({EventKind::kSeen, buffer_.peer, partition, buffer_.partition_bytes(), g_clock,
               partitioned_context(buffer_.comm)});
  return true;
}

}  // namespace detmpi
