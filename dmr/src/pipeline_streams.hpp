// What goes through the stream of one replica, and the order in which the streams of a stage are read. Private to the
// space that has the end.
//
//   | size | item | size, kLast | item | size | long item | kDone | kDone | ...     then the end of the stream
//
// Before each item stands its size. kLast with it, or kDone behind it, closes what was emitted for one item that the
// replica got; of a source, each item that it emits counts as one that it got. A failure is kFailed with the size of
// its description, which follows.
//
// What item i gave is in the stream of replica i mod r, so a reader takes the streams in turn and changes when it was
// closed. Every replica of the next stage reads all of it, passes over the items of others, and so knows the number of
// each item without being told.
#pragma once

#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include <chan/stream.h>
#include <dmr/pipeline.hpp>

namespace dmr {

inline constexpr uint64_t kDone = ~uint64_t{0};
inline constexpr uint64_t kFailed = uint64_t{1} << 63;
inline constexpr uint64_t kLast = uint64_t{1} << 62;

// The end that a replica writes. After each item everything is visible, so that no stage waits for what another one
// withholds. Short items are gathered before, so that there are few calls for each. A call that fails ends the space
// with a message: its readers find that it died.
class StreamOut final : public ByteOut {
 public:
  StreamOut(stream_id stream, bool source) : stream_(stream), source_(source) {}
  void emit(Bytes item) override;
  // All that the item gives is emitted.
  void done();
  void fail(const Failure& failure);
  void end();
  uint64_t emitted() const { return emitted_; }

 private:
  static constexpr size_t kNone = ~size_t{0};
  static constexpr size_t kLongItem = 4096;  // copied once, not twice

  void gather(const void* data, size_t size);
  void word(uint64_t word) { gather(&word, sizeof(word)); }
  void write(const void* data, size_t size);
  void write_gathered();
  stream_id stream_;
  bool source_;
  uint64_t emitted_ = 0;
  std::vector<std::byte> gathered_;
  size_t last_size_ = kNone;  // where in it the size of the last item is, if that ends it
};

// Who wrote the streams: a stage and its place.
struct Writers {
  size_t position;
  std::string stage;
};

// The ends of all replicas of a stage, as one replica of the next stage reads them.
class StreamsIn {
 public:
  // Takes the items whose number modulo `of` is `share`.
  StreamsIn(std::vector<stream_id> streams, Writers writers, uint64_t share, uint64_t of)
      : streams_(std::move(streams)), writers_(std::move(writers)), share_(share), of_(of) {}

  enum class Next { kItem, kEnd, kFailure };
  Next next();
  // After kItem, until next() is called.
  Bytes item() const { return {buffer_.get(), size_}; }
  uint64_t number() const { return arrived_ - 1; }
  // After kFailure. Without a reason: the space of that replica has died.
  const Failure& failure() const { return failure_; }

 private:
  bool read(void* to, size_t size);
  bool read_to_buffer(size_t size);
  Next next_word(uint64_t* word);
  Next died();
  Next description(size_t size);
  size_t turn() const { return static_cast<size_t>(done_ % streams_.size()); }

  std::vector<stream_id> streams_;
  Writers writers_;
  uint64_t share_, of_;
  uint64_t arrived_ = 0;  // items so far
  uint64_t done_ = 0;     // items that the writers have finished
  struct FreeAligned {
    void operator()(std::byte* bytes) const { ::operator delete[](bytes, std::align_val_t{kItemAlignment}); }
  };
  std::unique_ptr<std::byte[], FreeAligned> buffer_;
  size_t size_ = 0, capacity_ = 0;
  Failure failure_;
};

}  // namespace dmr
