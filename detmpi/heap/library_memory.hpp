// Whose memory is asked for. What the library takes depends on when messages come; from the program's heap it would
// shift the program's later blocks, and a program may compute from addresses. So while a call is in the library, malloc
// gives blocks of another heap (malloc_names.c).
#pragma once

#include "own_heap.h"

namespace detmpi {

// Sets whose it is, per thread: another one's memory is the program's, whatever this one does.
// For the time of a call, and of a function of the program's that it calls. They nest.
class Whose {
 public:
  ~Whose() { detmpi_inside_library = before_; }
  Whose(const Whose&) = delete;
  Whose& operator=(const Whose&) = delete;

 protected:
  explicit Whose(bool library) : before_(detmpi_inside_library) { detmpi_inside_library = library; }

 private:
  bool before_;
};
struct InLibrary : Whose {
  InLibrary() : Whose(true) {}
};
struct InProgram : Whose {
  InProgram() : Whose(false) {}
};

}  // namespace detmpi
