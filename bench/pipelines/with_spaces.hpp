// The engine of DLinux: every worker is a space, items go through streams.
#pragma once

#include <cstdio>
#include <type_traits>

#include <dmr/pipeline.hpp>

#include "engine.hpp"

namespace pipelines {
namespace spaces {

template <typename T, typename Sink>
std::optional<dmr::Failure> run_on(dmr::Pipeline<T> pipeline, int, Sink& sink) {
  return pipeline.run(sink);
}

template <typename T, typename Sink, typename First, typename... Rest>
std::optional<dmr::Failure> run_on(dmr::Pipeline<T> pipeline, int replicas, Sink& sink, First first, Rest... rest) {
  using U = std::invoke_result_t<decltype(first.work)&, const T&>;
  using Seen = typename dmr::Item<T>::View;
  const auto body = [work = first.work](const Seen& item, dmr::Out<U>& out) mutable { out.emit(work(item)); };
  auto longer = std::move(pipeline).template stage<U>(first.name, first.is_serial ? 1 : replicas, body);
  return run_on(std::move(longer), replicas, sink, rest...);
}

}  // namespace spaces

// space_init must have been called. False: it failed, and has said why.
template <typename Source, typename Sink, typename... Stages>
bool run_with_spaces(int replicas, Source source, Sink sink, Stages... stages) {
  using T = typename std::invoke_result_t<Source&>::value_type;
  auto all = [source](dmr::Out<T>& out) mutable {
    while (auto item = source()) out.emit(*item);
  };
  const auto failure = spaces::run_on(dmr::source<T>("source", all), replicas, sink, stages...);
  if (failure) std::fprintf(stderr, "%s\n", failure->message().c_str());
  return !failure;
}

}  // namespace pipelines
