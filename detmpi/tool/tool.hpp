// The tools interface (MPI_T): control variables are settings of the job, performance variables are what the library
// knows of itself anyway; nothing is counted for it, and its calls do not advance the clock. All state belongs to the
// rank's one MPI thread.
#pragma once

#include <mpi.h>

#include <iterator>
#include <span>
#include <string_view>

// What the handles of the interface point to.
struct DetmpiToolEnum {
  const char* name;
  std::span<const char* const> items;  // the values are 0, 1, ...
};

namespace detmpi::tool {

inline int g_uses = 0;  // calls of MPI_T_init_thread that MPI_T_finalize has not answered
inline bool is_initialized() { return g_uses > 0; }

// MPI_T_finalize has been called as often as MPI_T_init_thread: what the program has not freed goes.
void forget_control_handles();
void forget_sessions();

// Where the program wants a value: what it does not want is null.
template <typename T>
void give(T* to, T value) {
  if (to != nullptr) *to = value;
}

// A text, cut to *length characters with its end; *length is then what all of it needs.
void give_text(const char* text, char* to, int* length);

// The index of the entry with a name, -1 if there is none.
template <typename Table>
int find_named(const Table& table, const char* name) {
  int i = 0;
  for (const auto& entry : table) {
    if (std::string_view(entry.name) == name) return i;
    ++i;
  }
  return -1;
}

template <typename Table>
bool has(const Table& table, int index) {
  return index >= 0 && static_cast<size_t>(index) < std::size(table);
}

// Every variable is in one category.
enum class Category { kJob, kRank, kTransport };
std::span<const Category> control_categories();      // by the index of the variable
std::span<const Category> performance_categories();  // the same

}  // namespace detmpi::tool
