#include "referenced.hpp"

#include <elf.h>
#include <link.h>

#include <cstdint>
#include <cstring>
#include <span>

namespace detmpi {
namespace {

using Relocations = std::span<const ElfW(Rela)>;

// What the dynamic linker has been told to look up for an object.
struct DynamicObject {
  const ElfW(Sym) * symbols = nullptr;
  const char* names = nullptr;
  Relocations data, calls;

  explicit DynamicObject(const ElfW(Dyn) * entry) {
    const ElfW(Rela)* data_at = nullptr;
    const ElfW(Rela)* calls_at = nullptr;
    size_t data_bytes = 0, calls_bytes = 0, without_symbol = 0;
    for (; entry->d_tag != DT_NULL; ++entry) {
      switch (entry->d_tag) {
        case DT_SYMTAB: symbols = reinterpret_cast<const ElfW(Sym)*>(entry->d_un.d_ptr); break;
        case DT_STRTAB: names = reinterpret_cast<const char*>(entry->d_un.d_ptr); break;
        case DT_RELA: data_at = reinterpret_cast<const ElfW(Rela)*>(entry->d_un.d_ptr); break;
        case DT_RELASZ: data_bytes = entry->d_un.d_val; break;
        case DT_RELACOUNT: without_symbol = entry->d_un.d_val; break;
        case DT_JMPREL: calls_at = reinterpret_cast<const ElfW(Rela)*>(entry->d_un.d_ptr); break;
        case DT_PLTRELSZ: calls_bytes = entry->d_un.d_val; break;
        default: break;
      }
    }
    if (data_at != nullptr) data = Relocations(data_at, data_bytes / sizeof(ElfW(Rela))).subspan(without_symbol);
    if (calls_at != nullptr) calls = Relocations(calls_at, calls_bytes / sizeof(ElfW(Rela)));
  }

  // In whatever case, and with whatever underscores: Fortran's names differ from C's.
  bool refers_to_cancel() const {
    for (const Relocations all : {data, calls}) {
      for (const ElfW(Rela) & relocation : all) {
        const auto index = ELF64_R_SYM(relocation.r_info);
        if (index == 0 || symbols[index].st_shndx != SHN_UNDEF) continue;
        if (::strcasestr(names + symbols[index].st_name, "mpi_cancel") != nullptr) return true;
      }
    }
    return false;
  }
};

// Those that stand in for MPICH's, and the Fortran interfaces, refer to all functions.
bool is_of_this_library(const char* path) {
  const char* slash = std::strrchr(path, '/');
  const char* name = slash != nullptr ? slash + 1 : path;
  for (const char* own : {"libdetmpi", "libdlinux", "libmpi.so", "libmpifort.so", "libmpicxx.so", "libmpich.so",
                          "libmpichfort.so", "libmpichcxx.so"}) {
    if (std::strncmp(name, own, std::strlen(own)) == 0) return true;
  }
  return false;
}

int visit(dl_phdr_info* object, size_t, void* found) {
  if (is_of_this_library(object->dlpi_name)) return 0;
  for (const ElfW(Phdr) & header : std::span(object->dlpi_phdr, object->dlpi_phnum)) {
    if (header.p_type != PT_DYNAMIC) continue;
    const DynamicObject dynamic(reinterpret_cast<const ElfW(Dyn)*>(object->dlpi_addr + header.p_vaddr));
    // The kernel's own object has addresses that nobody has relocated.
    if (reinterpret_cast<uintptr_t>(dynamic.symbols) < object->dlpi_addr || dynamic.names == nullptr) continue;
    if (!dynamic.refers_to_cancel()) continue;
    *static_cast<bool*>(found) = true;
    return 1;
  }
  return 0;
}

bool look_for_cancel() {
  bool found = false;
  ::dl_iterate_phdr(visit, &found);
  return found;
}

}  // namespace

bool program_may_cancel() {
  static const bool may = look_for_cancel();
  return may;
}

}  // namespace detmpi
