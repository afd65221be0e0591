// Sends and receives in partitions (MPI_Psend_init, MPI_Precv_init).
//
// Each partition of the sender is a message of its own, which leaves in MPI_Pready: so the partitions that are ready
// early travel while the program works on the others, and MPI_Parrived has something to tell. It costs a record in the
// lane for each partition. The partitions of the receiver only cut the same bytes in another way: one has arrived when
// all messages that it has bytes of have.
//
//   MPI_Psend_init   the announcement: how many partitions, of how many bytes, and their tags    tag of the program
//   MPI_Pready       partition q, in each run                                                    tag first - q,
//   negative
//
// All of it is on a context of its own. Announcements match the receives that MPI_Precv_init posts, in order of the
// calls: that is how MPI matches partitioned operations. The tags of partitions are given out once, so they need no
// matching with others. They are not given out again when a request is freed: its last messages may still be on the way
// to a receive that its receiver starts later, after others. So there can be 2^31 partitions on a communicator.
//
// A receive that is started before the announcement has come posts the receives of the partitions when it comes, with
// the time of the start as their time. When it physically comes makes no difference, because nobody contests them.
#pragma once

#include <cstdint>
#include <vector>

#include "operation.hpp"

namespace detmpi {

// One side of it.
struct PartitionedBuffer {
  const void* base;
  int partitions;
  int64_t count;  // of elements in a partition
  TypeRef type;
  Comm& comm;
  int peer;  // may be MPI_PROC_NULL
  int tag;

  size_t partition_bytes() const { return type->size * static_cast<size_t>(count); }
  size_t bytes() const { return partition_bytes() * static_cast<size_t>(partitions); }
  bool has_peer() const { return peer != MPI_PROC_NULL; }
  Peer announced() const { return {peer, tag, partitioned_context(comm)}; }
};

struct Announcement {
  uint64_t partition_bytes = 0;
  uint32_t partitions = 0;
  int32_t first_tag = 0;  // of partition 0; the following ones are below
};

class Partitioned : public Operation {
 public:
  explicit Partitioned(PartitionedBuffer buffer) : buffer_(std::move(buffer)) {}
  int partitions() const { return buffer_.partitions; }
  bool collective() const override { return false; }
  bool over() const override { return announced_.complete && Operation::over(); }

 protected:
  int conclude() override { return MPI_SUCCESS; }
  Peer peer_of(size_t partition) const {
    return {buffer_.peer, announcement_.first_tag - static_cast<int>(partition), partitioned_context(buffer_.comm)};
  }

  PartitionedBuffer buffer_;
  Announcement announcement_;
  Request announced_;
};

class PartitionedSend final : public Partitioned {
 public:
  // Sends the announcement. `first_tag`: see give_out_tags.
  PartitionedSend(PartitionedBuffer buffer, int first_tag);
  void start() override;
  bool open() const override { return left_ > 0; }

  bool is_ready(int partition) const { return ready_[static_cast<size_t>(partition)]; }
  void make_ready(int partition);

 private:
  std::vector<bool> ready_;
  int left_ = 0;  // that are not ready
};

class PartitionedReceive final : public Partitioned {
 public:
  explicit PartitionedReceive(PartitionedBuffer buffer);
  void start() override;
  int status_of(Request& part) override;
  void tell(MPI_Status* status) const override;
  Request* first() override { return posted_ ? nullptr : &announced_; }
  void first_came() override;

  // Of one that has been started: has the partition arrived by `until`, in logical time (p2p_test)? It has physically,
  // then, too.
  bool has_arrived(int partition, uint64_t until);

 private:
  struct Range {
    size_t begin, end;
  };
  void post_parts();
  Range messages_of(int partition) const;

  uint64_t post_ = 0;
  bool started_ = false;
  bool posted_ = true;  // the receives of this run
};

inline constexpr int kNoTag = -1;  // of partitions that nobody gets; none has it
// Tags for the partitions of a send, the first of them; none are left: 0.
int give_out_tags(Comm& comm, int partitions);

}  // namespace detmpi
