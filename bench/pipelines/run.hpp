// Runs a pipeline on the engine that was asked for, and says how long it took.
#pragma once

#include <chrono>
#include <cstdio>

#include "with_spaces.hpp"
#include "with_threads.hpp"
#ifdef PIPELINES_TBB
#include "with_tbb.hpp"
#endif

namespace pipelines {

template <typename... Parts>
bool run_on_engine(Engine engine, int replicas, Parts... parts) {
  switch (engine) {
    case Engine::kSpaces: return run_with_spaces(replicas, parts...);
    case Engine::kThreads: return run_with_threads(replicas, parts...);
    case Engine::kTbb:
#ifdef PIPELINES_TBB
      return run_with_tbb(replicas, parts...);
#endif
      break;
  }
  return false;
}

// The time goes to standard error; it is not part of the output, which repeats.
template <typename... Parts>
bool run(Engine engine, int replicas, Parts... parts) {
  const auto began = std::chrono::steady_clock::now();
  const bool well = run_on_engine(engine, replicas, parts...);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  if (well) std::fprintf(stderr, "seconds %.6f\n", took.count());
  return well;
}

}  // namespace pipelines
