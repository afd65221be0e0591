// Problem classes. Each benchmark has a table kProblems of what its classes consist of.
#pragma once

#include <ranges>

namespace npb {

// The problem of a class, or nullptr when there is none; the command line allows only classes that every table has.
template <typename Problems>
constexpr const std::ranges::range_value_t<Problems>* find_problem(const Problems& problems, char problem_class) {
  for (const auto& problem : problems)
    if (problem.problem_class == problem_class) return &problem;
  return nullptr;
}

}  // namespace npb
