// The same on POSIX threads: a thread per worker, and between two stages a ring in which every item has its place by
// its number, so that items are taken in order. Guarded by one mutex per ring.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <type_traits>
#include <vector>

#include "engine.hpp"

namespace pipelines {
namespace threads {

inline constexpr uint64_t kPlaces = 64;

template <typename T>
class Ring {
 public:
  // Blocks until there is a place for item `number`.
  void put(uint64_t number, T item) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return number < next_ + kPlaces; });
    places_[number % kPlaces] = std::move(item);
    changed_.notify_all();
  }
  // The next item and its number, or nothing at the end.
  std::optional<std::pair<uint64_t, T>> take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return next_ == end_ || places_[next_ % kPlaces].has_value(); });
    if (next_ == end_) return std::nullopt;
    std::pair<uint64_t, T> taken(next_, std::move(*places_[next_ % kPlaces]));
    places_[next_++ % kPlaces].reset();
    changed_.notify_all();
    return taken;
  }
  // There are `count` items in all.
  void end(uint64_t count) {
    const std::lock_guard lock(mutex_);
    end_ = count;
    changed_.notify_all();
  }
  uint64_t count() {
    const std::lock_guard lock(mutex_);
    return end_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<T> places_[kPlaces];
  uint64_t next_ = 0;            // the item to be taken next
  uint64_t end_ = ~uint64_t{0};  // how many there are, once known
};

template <typename T, typename Sink>
void run_on(std::shared_ptr<Ring<T>> in, std::vector<std::jthread>&, int, Sink& sink) {
  try {
    while (auto item = in->take()) sink(item->second);
  } catch (...) {
    // The workers are joined on the way out, and must not wait for places until then.
    while (in->take()) {
    }
    throw;
  }
}

template <typename T, typename Sink, typename First, typename... Rest>
void run_on(std::shared_ptr<Ring<T>> in, std::vector<std::jthread>& workers, int replicas, Sink& sink, First first,
            Rest... rest) {
  using U = std::invoke_result_t<decltype(first.work)&, const T&>;
  const auto out = std::make_shared<Ring<U>>();
  for (int i = 0; i < (first.is_serial ? 1 : replicas); ++i) {
    workers.emplace_back([in, out, work = first.work]() mutable {
      while (auto item = in->take()) out->put(item->first, work(item->second));
      out->end(in->count());
    });
  }
  run_on(out, workers, replicas, sink, rest...);
}

}  // namespace threads

template <typename Source, typename Sink, typename... Stages>
bool run_with_threads(int replicas, Source source, Sink sink, Stages... stages) {
  using T = typename std::invoke_result_t<Source&>::value_type;
  const auto first = std::make_shared<threads::Ring<T>>();
  std::vector<std::jthread> workers;
  workers.emplace_back([first, source]() mutable {
    uint64_t count = 0;
    while (auto item = source()) first->put(count++, std::move(*item));
    first->end(count);
  });
  threads::run_on(first, workers, replicas, sink, stages...);
  return true;
}

}  // namespace pipelines
