#include "needed_libraries.hpp"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace detmpi {
namespace {

constexpr size_t kMostEntries = 4096;  // of a table; programs have some dozens
constexpr size_t kLongestName = 255;

class Program {
 public:
  explicit Program(const std::string& path) : file_(path, std::ios::binary) {}

  std::vector<std::string> needed() {
    Elf64_Ehdr header{};
    if (!read(0, &header, sizeof header)) return {};
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64) return {};
    if (header.e_phentsize != sizeof(Elf64_Phdr)) return {};
    parts_.resize(std::min<size_t>(header.e_phnum, kMostEntries));
    if (!read(header.e_phoff, parts_.data(), parts_.size() * sizeof(Elf64_Phdr))) return {};
    std::vector<std::string> names;
    const auto entries = dynamic_entries();
    const auto is_table = [](const Elf64_Dyn& entry) { return entry.d_tag == DT_STRTAB; };
    const auto table = std::ranges::find_if(entries, is_table);
    if (table == entries.end()) return {};
    for (const Elf64_Dyn& entry : entries) {
      if (entry.d_tag == DT_NEEDED) names.push_back(name_at(table->d_un.d_ptr + entry.d_un.d_val));
    }
    return names;
  }

 private:
  bool read(uint64_t at, void* to, size_t bytes) {
    file_.clear();
    if (at > static_cast<uint64_t>(INT64_MAX) || !file_.seekg(static_cast<std::streamoff>(at))) return false;
    return bool(file_.read(static_cast<char*>(to), static_cast<std::streamsize>(bytes)));
  }

  std::vector<Elf64_Dyn> dynamic_entries() {
    const auto is_dynamic = [](const Elf64_Phdr& part) { return part.p_type == PT_DYNAMIC; };
    const auto part = std::ranges::find_if(parts_, is_dynamic);
    if (part == parts_.end()) return {};
    std::vector<Elf64_Dyn> entries(std::min<size_t>(part->p_filesz / sizeof(Elf64_Dyn), kMostEntries));
    if (!read(part->p_offset, entries.data(), entries.size() * sizeof(Elf64_Dyn))) return {};
    return entries;
  }

  std::string name_at(uint64_t address) {
    for (const Elf64_Phdr& part : parts_) {
      if (part.p_type != PT_LOAD || address < part.p_vaddr || address - part.p_vaddr >= part.p_filesz) continue;
      char text[kLongestName + 1] = "";
      (void)read(part.p_offset + (address - part.p_vaddr), text, kLongestName);  // may be at the end of the file
      return text;
    }
    return "";
  }

  std::ifstream file_;
  std::vector<Elf64_Phdr> parts_;
};

}  // namespace

std::vector<std::string> needed_libraries(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return {};  // to open a pipe would wait for who writes to it
  return Program(path).needed();
}

}  // namespace detmpi
