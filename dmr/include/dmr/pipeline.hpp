// Pipelines whose stages are spaces: a source, any stages with any number of replicas each, and a sink in the
// caller's own space.
//
//   auto failure = dmr::source<Page>("read", [&](dmr::Out<Page>& out) { ... out.emit(page); })
//                      .stage<Words>("split", 4, [](const Page& page, dmr::Out<Words>& out) { ... })
//                      .stage<Entry>("count", 1, [&](const Words& words, dmr::Out<Entry>& out) { ... })
//                      .run([&](const Entry& entry) { ... });
//   if (failure) std::cerr << failure->message() << '\n';
//
// Order. The items that reach a stage have numbers, 0, 1, 2, ... Item i goes to replica i mod r. For each of them the
// stage emits any number of items, or none; the next stage gets them in the order in which one replica would have
// emitted them. So the sink sees the same items in the same order for any number of replicas, as long as a stage that
// is given more than one replica treats each item for itself. A stage of one replica may keep state.
//
// Space. A stage runs in a copy of the caller's memory, made when run() starts it: it sees what the caller had, and
// what it changes is seen by nobody else. What it finds out it must emit. Only the sink runs in the caller's space.
//
// Memory. Each replica writes a stream (chan/stream.h), which all replicas of the next stage read and of which each
// takes its share. A stage that is too far ahead waits (PipelineOptions), so memory is bounded for any number of items.
// An item may be larger than the window.
//
// Failure. An exception in a stage, or its death, ends the pipeline: the sink gets everything that comes before, in
// order, and run() returns a Failure that names the stage, the replica and the item. Which of two failures is reported
// does not depend on timing, unless a process is killed from outside or memory runs out: it is the first in the order
// of items. An exception in the sink leaves run(). In every case no process is left.
//
// run() is called by any space after dmr::init (engine.hpp) or space_init, by one thread; not async-signal-safe. It
// needs as many spaces as there are replicas in all, and one for the source.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <chan/channel.hpp>

namespace dmr {

using Bytes = std::span<const std::byte>;

struct PipelineOptions {
  // Of each stream, in bytes: see stream_alloc_window. Up to 64 windows or 4 MiB of a stream may wait to be read,
  // whichever is less, but at least two windows.
  size_t window = 64 * 1024;
};

// Why a pipeline ended early.
struct Failure {
  size_t position = 0;  // of the stage; 0: the source
  std::string stage;    // its name
  int replica = 0;      // 0 to r - 1
  uint64_t item = 0;    // the number of the item that it had not finished; a source: how many it had emitted
  std::string reason;   // what the exception said, or how the space ended

  std::string message() const;  // "stage 'pack', replica 1, item 17: ended by signal 11 (Segmentation fault)"
};

// Where a stage emits its items. Does not return when the stage cannot go on: its space ends, and run() reports that.
class ByteOut {
 public:
  virtual void emit(Bytes item) = 0;

 protected:
  ~ByteOut() = default;
};

// The pipeline of byte strings that the typed one below is made of.
class BytePipeline {
 public:
  using Source = std::function<void(ByteOut&)>;
  using Body = std::function<void(Bytes, ByteOut&)>;
  using Sink = std::function<void(Bytes)>;

  BytePipeline(std::string name, Source source, const PipelineOptions& options = {});
  // Throws std::invalid_argument unless there is a replica.
  void add_stage(std::string name, int replicas, Body body);
  // Blocks until the pipeline has ended. Nothing: all went well. The stages, also the source, run in spaces of their
  // own, which cannot change anything here: run() may be called again, and starts from what is in memory then. A stage
  // that cannot be started, for want of spaces or of memory, is a Failure with item 0. What the sink throws leaves
  // run(), as do std::bad_alloc and, from the typed pipeline, the std::length_error of an item that is not of the
  // sink's type.
  [[nodiscard]] std::optional<Failure> run(const Sink& sink) const;

 private:
  friend class PipelineJob;
  struct Stage {
    std::string name;
    int replicas;
    Body body;  // none in the source
  };
  Source source_;
  std::vector<Stage> stages_;  // the source is the first
  PipelineOptions options_;
};

inline constexpr size_t kItemAlignment = 64;  // of the first byte of an item that a body or the sink is given

// How a T is told as bytes, and back. Items are: values that can be copied as bytes, std::string, std::vector of such
// values, and Bytes and std::string_view. A View is seen where the item lies, and must not be kept.
template <typename T>
struct Item {
  static_assert(chan::Sendable<T>, "an item is copied as bytes");
  using View = T;
  static View view(Bytes bytes) { return value(bytes); }
  static Bytes bytes(const T& value) { return std::as_bytes(std::span(&value, 1)); }
  static T value(Bytes bytes) {
    T value;
    if (bytes.size() != sizeof(T)) throw std::length_error("the item is not one value");
    std::memcpy(&value, bytes.data(), sizeof(T));
    return value;
  }
};
template <>
struct Item<Bytes> {
  using View = Bytes;
  static Bytes bytes(Bytes value) { return value; }
  static Bytes view(Bytes bytes) { return bytes; }
  static Bytes value(Bytes bytes) { return bytes; }
};
template <>
struct Item<std::string_view> {
  using View = std::string_view;
  static Bytes bytes(std::string_view value) { return std::as_bytes(std::span(value)); }
  static View view(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }
  static std::string_view value(Bytes bytes) { return view(bytes); }
};
template <>
struct Item<std::string> : Item<std::string_view> {
  static Bytes bytes(const std::string& value) { return std::as_bytes(std::span(value)); }
  static std::string value(Bytes bytes) { return std::string(view(bytes)); }
};
template <typename T>
struct Item<std::vector<T>> {
  static_assert(chan::Sendable<T> && alignof(T) <= kItemAlignment, "an item is copied as bytes, and seen in place");
  using View = std::span<const T>;
  static Bytes bytes(const std::vector<T>& value) { return std::as_bytes(std::span(value)); }
  static View view(Bytes bytes) {
    if (bytes.size() % sizeof(T) != 0) throw std::length_error("the item is no whole number of values");
    return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
  }
  static std::vector<T> value(Bytes bytes) {
    const View values = view(bytes);
    return {values.begin(), values.end()};
  }
};

// Calls with the item in place where the callable takes it so, with a copy of it otherwise.
template <typename T, typename Call, typename... More>
void call_with_item(Call& call, Bytes item, More&... more) {
  if constexpr (std::invocable<Call&, typename Item<T>::View, More&...>) call(Item<T>::view(item), more...);
  else call(Item<T>::value(item), more...);
}
template <typename Call, typename T, typename... More>
concept TakesItem = std::invocable<Call&, typename Item<T>::View, More...> || std::invocable<Call&, const T&, More...>;

template <typename T>
class Out {
 public:
  explicit Out(ByteOut& out) : out_(out) {}
  void emit(const T& item) { out_.emit(Item<T>::bytes(item)); }

 private:
  ByteOut& out_;
};

// A pipeline that ends, so far, in items of type T.
template <typename T>
class Pipeline {
 public:
  explicit Pipeline(BytePipeline bytes) : bytes_(std::move(bytes)) {}

  // body(const T& item, Out<U>& out), run by `replicas` spaces. One that takes the View of the item (std::string_view
  // of a string, std::span<const V> of a vector of V) sees it where it lies, and spares a copy.
  template <typename U, TakesItem<T, Out<U>&> Body>
  [[nodiscard]] Pipeline<U> stage(std::string name, int replicas, Body body) && {
    bytes_.add_stage(std::move(name), replicas, [body = std::move(body)](Bytes item, ByteOut& out) mutable {
      Out<U> typed(out);
      call_with_item<T>(body, item, typed);
    });
    return Pipeline<U>(std::move(bytes_));
  }

  // sink(const T& item), in this space, or with a View as a stage's body. As BytePipeline::run.
  template <TakesItem<T> Sink>
  [[nodiscard]] std::optional<Failure> run(Sink&& sink) const {
    return bytes_.run([&](Bytes item) { call_with_item<T>(sink, item); });
  }

 private:
  BytePipeline bytes_;
};

// body(Out<T>& out) emits all items, in a space of its own.
template <typename T, std::invocable<Out<T>&> Body>
[[nodiscard]] Pipeline<T> source(std::string name, Body body, const PipelineOptions& options = {}) {
  auto untyped = [body = std::move(body)](ByteOut& out) mutable {
    Out<T> typed(out);
    body(typed);
  };
  return Pipeline<T>(BytePipeline(std::move(name), std::move(untyped), options));
}

}  // namespace dmr
