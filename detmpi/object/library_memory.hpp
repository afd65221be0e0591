// Whose memory is asked for. What the library takes depends on when messages come; from the program's heap it would
// shift the program's later blocks, and a program may compute from addresses. So while a call is in the library, malloc
// gives blocks of another heap (job/malloc_names.c).
#pragma once

namespace detmpi {

// Per thread: another one's memory is the program's, whatever this one does.
[[gnu::tls_model("initial-exec")]] inline thread_local constinit bool g_in_library = false;

// For the time of a call, and of a function of the program's that it calls. They nest.
class Whose {
 public:
  ~Whose() { g_in_library = before_; }
  Whose(const Whose&) = delete;
  Whose& operator=(const Whose&) = delete;

 protected:
  explicit Whose(bool library) : before_(g_in_library) { g_in_library = library; }

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
