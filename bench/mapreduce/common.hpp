// What the jobs on threads have in common: files in memory, threads that take one task after the other, output.
//
// These programs are what DMR is measured against: MapReduce in one address space as one would write it by hand for one
// job. Every thread has tables of its own, which are put together at the end; nothing is kept in order, nothing is
// checked, and an error ends the program. Inner loops are those of the command dmr, or as good as they: some are its
// headers (lines.hpp, nearest.hpp, words.hpp).
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace threads {

inline constexpr size_t kChunk = 1 << 20;

[[noreturn]] inline void fail(const std::string& what) {
  std::fprintf(stderr, "mapreduce_threads: %s\n", what.c_str());
  std::exit(1);
}

// All of a file; it stays mapped.
inline std::string_view map_file(const char* name) {
  const int file = open(name, O_RDONLY | O_CLOEXEC);
  struct stat info;
  if (file < 0 || fstat(file, &info) != 0) fail(std::string("cannot read ") + name);
  const auto size = static_cast<size_t>(info.st_size);
  if (size == 0) return {};
  void* const at = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
  if (at == MAP_FAILED) fail(std::string("cannot map ") + name);
  return {static_cast<const char*>(at), size};
}

inline std::span<const double> doubles_of(std::string_view bytes) {
  return {reinterpret_cast<const double*>(bytes.data()), bytes.size() / sizeof(double)};
}

// Calls body(number of the thread) on each.
template <typename Body>
void on_threads(size_t count, Body&& body) {
  std::vector<std::thread> all;
  for (size_t i = 1; i < count; ++i) all.emplace_back([&body, i] { body(i); });
  body(size_t{0});
  for (std::thread& one : all) one.join();
}

// Calls body(thread, from, to) for ranges of `each` until `count` is reached; who is idle takes the next.
template <typename Body>
void share_out(size_t threads, size_t count, size_t each, Body&& body) {
  std::atomic<size_t> next{0};
  on_threads(threads, [&](size_t thread) {
    for (size_t at; (at = next.fetch_add(each)) < count;) body(thread, at, std::min(at + each, count));
  });
}

// Where the first line or word begins at or after `position`.
inline size_t behind_separator(std::string_view text, size_t position) {
  if (position == 0) return 0;
  while (position < text.size() && text[position - 1] != '\n' && text[position - 1] != ' ') ++position;
  return std::min(position, text.size());
}

// The same for lines alone.
inline size_t behind_line_end(std::string_view text, size_t position) {
  if (position == 0) return 0;
  const size_t at = position > text.size() ? text.npos : text.find('\n', position - 1);
  return at == text.npos ? text.size() : at + 1;
}

inline uint64_t number_of(const char* text) { return std::strtoull(text, nullptr, 10); }

inline void append_number(double number, std::string& to) {
  char text[32];
  to.append(text, std::to_chars(text, text + sizeof text, number).ptr);
}

inline void append_numbers(std::span<const double> numbers, std::string& to) {
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (i > 0) to += ' ';
    append_number(numbers[i], to);
  }
}

inline void print(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }

// The jobs; arguments are what follows the number of threads.
using Arguments = std::span<char*>;
void word_count(size_t threads, Arguments files);
void histogram(size_t threads, Arguments files);
void regression(size_t threads, Arguments files);
void string_match(size_t threads, Arguments file_and_keys);
void kmeans(size_t threads, Arguments file_dimensions_means_iterations);
void matrix_product(size_t threads, Arguments left_right_inner);
void pca(size_t threads, Arguments file_columns);
void reverse_index(size_t threads, Arguments files);

}  // namespace threads
