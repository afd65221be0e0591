// Messages that may be written from a signal handler: formatted into a buffer on the stack, written by one write(2).
#include <base/check.hpp>

#include <sys/syscall.h>
#include <unistd.h>

#include <cstdarg>
#include <cstring>

namespace spmc::base {
namespace {

ContextHook g_context_hook = nullptr;

// A bounded text on the stack; what does not fit is cut.
class Line {
 public:
  void put(char c) {
    if (size_ < sizeof text_ - 1) text_[size_++] = c;
  }
  void put(const char* s) {
    for (; *s != 0; ++s) put(*s);
  }
  void put_number(unsigned long value, unsigned base) {
    char digits[24];
    unsigned n = 0;
    do {
      digits[n++] = "0123456789abcdef"[value % base];
      value /= base;
    } while (value != 0);
    while (n > 0) put(digits[--n]);
  }
  void put_signed(long value) {
    if (value < 0) put('-');
    put_number(value < 0 ? 0ul - static_cast<unsigned long>(value) : static_cast<unsigned long>(value), 10);
  }
  void put_context() {
    if (g_context_hook == nullptr) return;
    size_ += g_context_hook(text_ + size_, sizeof text_ - 1 - size_);
    put(": ");
  }
  void put_formatted(const char* format, va_list args);
  void write_out() {
    text_[size_++] = '\n';  // one byte was kept for it
    const char* at = text_;
    while (size_ > 0) {
      const ssize_t n = ::write(STDERR_FILENO, at, size_);
      if (n <= 0) return;
      at += n;
      size_ -= static_cast<size_t>(n);
    }
  }

 private:
  char text_[1024];
  size_t size_ = 0;
};

void Line::put_formatted(const char* format, va_list args) {
  for (const char* f = format; *f != 0; ++f) {
    if (*f != '%') {
      put(*f);
      continue;
    }
    bool wide = false;
    for (++f; *f == 'l' || *f == 'z'; ++f) wide = true;
    switch (*f) {
      case 's': put(va_arg(args, const char*)); break;
      case 'd': put_signed(wide ? va_arg(args, long) : va_arg(args, int)); break;
      case 'u': put_number(wide ? va_arg(args, unsigned long) : va_arg(args, unsigned), 10); break;
      case 'x': put_number(wide ? va_arg(args, unsigned long) : va_arg(args, unsigned), 16); break;
      case 'p':
        put("0x");
        put_number(reinterpret_cast<unsigned long>(va_arg(args, void*)), 16);
        break;
      case '%': put('%'); break;
      default: put('?'); return;
    }
  }
}

}  // namespace

void set_context_hook(ContextHook hook) { g_context_hook = hook; }

void complain(const char* format, ...) {
  Line line;
  line.put("DLinux: ");
  line.put_context();
  va_list args;
  va_start(args, format);
  line.put_formatted(format, args);
  va_end(args);
  line.write_out();
}

void check_failed(const char* expression, const char* file, int line_number, const char* format, ...) {
  Line line;
  line.put("DLinux: ");
  line.put_context();
  line.put("internal check failed: ");
  line.put(expression);
  line.put(" at ");
  line.put(file);
  line.put(':');
  line.put_signed(line_number);
  if (*format != 0) line.put("; ");
  va_list args;
  va_start(args, format);
  line.put_formatted(format, args);
  va_end(args);
  line.write_out();
  die(kCheckExit);
}

void die(int status) {
  for (;;) ::syscall(SYS_exit_group, status);
}

}  // namespace spmc::base
