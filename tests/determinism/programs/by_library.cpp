// A program that calls MPI in a library alone, so that it is not linked with MPI itself. With LOADED it loads that
// library while it runs, as Python does.
#ifdef LOADED
#include <dlfcn.h>

#include <cstdio>

using ProgramMain = int (*)(int, char**);

int main(int argc, char** argv) {
  void* const library = dlopen(LOADED, RTLD_NOW | RTLD_LOCAL);
  void* const found = library != nullptr ? dlsym(library, "program_main") : nullptr;
  if (found == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  return reinterpret_cast<ProgramMain>(found)(argc, argv);
}
#else
extern "C" int program_main(int argc, char** argv);
int main(int argc, char** argv) { return program_main(argc, argv); }
#endif
