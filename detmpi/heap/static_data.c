// Variables of the program that hold zeros at first, as the arrays of a Fortran program do, are long memory of its own,
// too. They are asked for when the library is loaded, before anything has been written there.
#include <base/long_memory.h>
#include <link.h>
#include <stddef.h>

static int prefer_in_program(struct dl_phdr_info* program, size_t size, void* nothing) {
  (void)size;
  (void)nothing;
  for (int i = 0; i < program->dlpi_phnum; ++i) {
    const ElfW(Phdr)* const part = &program->dlpi_phdr[i];
    if (part->p_type != PT_LOAD || (part->p_flags & PF_W) == 0) continue;
    prefer_huge_pages((const void*)(program->dlpi_addr + part->p_vaddr + part->p_filesz),
                             part->p_memsz - part->p_filesz);
  }
  return 1;  // the first one is the program; no more
}

__attribute__((constructor)) static void prefer_for_variables(void) { (void)dl_iterate_phdr(prefer_in_program, NULL); }
