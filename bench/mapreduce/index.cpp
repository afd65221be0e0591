// `index` on threads: which pages link to what.
#include "word_table.hpp"

namespace threads {

namespace {

using Files = std::vector<uint32_t>;  // sorted

void enter(Files& files, uint32_t file) {
  const auto at = std::lower_bound(files.begin(), files.end(), file);
  if (at == files.end() || *at != file) files.insert(at, file);
}

void enter_links(std::string_view page, uint32_t file, WordTable<Files>& table) {
  constexpr std::string_view kStart = "href=\"";
  for (size_t at = page.find(kStart); at != page.npos; at = page.find(kStart, at)) {
    at += kStart.size();
    const size_t end = page.find('"', at);
    if (end == page.npos) return;
    enter(table[page.substr(at, end - at)], file);
    at = end;
  }
}

}  // namespace

void reverse_index(size_t threads, Arguments files) {
  std::vector<WordTable<Files>> tables(threads);
  share_out(threads, files.size(), 1, [&](size_t thread, size_t from, size_t) {
    enter_links(map_file(files[from]), static_cast<uint32_t>(from), tables[thread]);
  });
  const auto add = [](Files& into, const Files& more) {
    for (const uint32_t file : more) enter(into, file);
  };
  std::string out;
  for (const auto& [target, in_files] : merge_tables(tables, add)) {
    out += target;
    for (const uint32_t file : in_files) out.append("\t").append(files[file]);
    out += '\n';
  }
  print(out);
}

}  // namespace threads
