// detmpirun has the program load this library before all others (job/malloc_first.hpp). Programs that it starts in turn
// are not to have it.
#include <dlfcn.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

static const char kList[] = "LD_PRELOAD=";  // detmpirun has put it at the end

static void take_out(char** entry) {
  do entry[0] = entry[1];
  while (*entry++ != NULL);
}

// In place, since a shell has getenv and setenv of its own, which are not ready yet.
__attribute__((constructor)) static void leave_list(void) {
  Dl_info self;
  if (environ == NULL || dladdr((const void*)(uintptr_t)leave_list, &self) == 0) return;
  for (char** entry = environ; *entry != NULL; ++entry) {
    if (strncmp(*entry, kList, sizeof kList - 1) != 0) continue;
    char* const list = *entry + sizeof kList - 1;
    const size_t length = strlen(list), own = strlen(self.dli_fname);
    if (length < own || strcmp(list + length - own, self.dli_fname) != 0) return;
    if (length == own) take_out(entry);
    else if (list[length - own - 1] == ':') list[length - own - 1] = '\0';
    return;
  }
}
