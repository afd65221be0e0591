// What the pipelines of this folder are written in: a source, stages, a sink, each a plain function; and the engines
// that run them. The stages are the same code for every engine.
//
//   run(engine, replicas, source, sink, serial("decide", f), parallel("pack", g))
//
// source() gives a std::optional<A>, nothing at the end; a stage makes one B of each `const A&`; sink(const Z&) gets
// all in the order of the source. In place of a vector they take a std::span, so that spaces need not copy it. A
// parallel stage has `replicas` workers and no state; a serial one sees the items in order and may keep state.
#pragma once

#include <optional>
#include <string_view>
#include <utility>

namespace pipelines {

template <typename Work>
struct Stage {
  const char* name;
  bool is_serial;
  Work work;
};

template <typename Work>
Stage<Work> serial(const char* name, Work work) {
  return {name, true, std::move(work)};
}
template <typename Work>
Stage<Work> parallel(const char* name, Work work) {
  return {name, false, std::move(work)};
}

enum class Engine { kSpaces, kThreads, kTbb };

inline std::optional<Engine> engine_of(std::string_view name) {
  if (name == "spaces") return Engine::kSpaces;
  if (name == "threads") return Engine::kThreads;
#ifdef PIPELINES_TBB
  if (name == "tbb") return Engine::kTbb;
#endif
  return std::nullopt;
}

}  // namespace pipelines
