// The same on oneTBB's parallel_pipeline. `replicas` bounds its threads, as it bounds the workers of a stage elsewhere.
#pragma once

#include <memory>
#include <type_traits>

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_pipeline.h>

#include "engine.hpp"

namespace pipelines {
namespace tbb_engine {

namespace tbb = oneapi::tbb;

template <typename T, typename Sink>
tbb::filter<T, void> rest_of(Sink& sink) {
  return tbb::make_filter<T, void>(tbb::filter_mode::serial_in_order, [&sink](const T& item) { sink(item); });
}

template <typename T, typename Sink, typename First, typename... Rest>
tbb::filter<T, void> rest_of(Sink& sink, First first, Rest... rest) {
  using U = std::invoke_result_t<decltype(first.work)&, const T&>;
  const auto mode = first.is_serial ? tbb::filter_mode::serial_in_order : tbb::filter_mode::parallel;
  // Filters are copied and constant; what a serial stage keeps must be one.
  const auto work = std::make_shared<decltype(first.work)>(first.work);
  auto filter = tbb::make_filter<T, U>(mode, [work](const T& item) { return (*work)(item); });
  return filter & rest_of<U>(sink, rest...);
}

}  // namespace tbb_engine

template <typename Source, typename Sink, typename... Stages>
bool run_with_tbb(int replicas, Source source, Sink sink, Stages... stages) {
  namespace tbb = oneapi::tbb;
  using T = typename std::invoke_result_t<Source&>::value_type;
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, static_cast<size_t>(replicas));
  auto first = tbb::make_filter<void, T>(tbb::filter_mode::serial_in_order, [&](tbb::flow_control& flow) {
    auto item = source();
    if (!item) flow.stop();
    return item ? std::move(*item) : T();
  });
  constexpr size_t kTokens = 64;
  tbb::parallel_pipeline(kTokens, first & tbb_engine::rest_of<T>(sink, stages...));
  return true;
}

}  // namespace pipelines
