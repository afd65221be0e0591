// Result<T>: a value or an Error. Errors are values here: nothing in the substrate throws.
#pragma once

#include <cstdint>
#include <new>
#include <string>
#include <utility>

namespace spmc::base {

// What went wrong: the errno-style code, and a literal that names the step. `what` is always a string literal,
// so an Error can be copied freely and made in a signal handler.
struct Error {
  int code = 0;
  const char* what = "";

  std::string message() const;  // "claiming a chunk: Cannot allocate memory"
};

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : ok_(true) { new (&value_) T(std::move(value)); }
  Result(Error error) : ok_(false) { new (&error_) Error(error); }
  Result(Result&& other) noexcept : ok_(other.ok_) {
    if (ok_) new (&value_) T(std::move(other.value_));
    else new (&error_) Error(other.error_);
  }
  Result(const Result&) = delete;
  Result& operator=(const Result&) = delete;
  Result& operator=(Result&&) = delete;
  ~Result() {
    if (ok_) value_.~T();
  }

  explicit operator bool() const { return ok_; }
  bool ok() const { return ok_; }
  T& value() & { return value_; }
  T&& value() && { return std::move(value_); }
  const Error& error() const { return error_; }

 private:
  bool ok_;
  union {
    T value_;
    Error error_;
  };
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : ok_(false), error_(error) {}
  explicit operator bool() const { return ok_; }
  bool ok() const { return ok_; }
  const Error& error() const { return error_; }

 private:
  bool ok_ = true;
  Error error_;
};

using Status = Result<void>;

}  // namespace spmc::base

// Gives the value, or returns the error from the enclosing function.
#define DL_TRY(expr)                            \
  __extension__({                               \
    auto dl_result_ = (expr);                   \
    if (!dl_result_) return dl_result_.error(); \
    std::move(dl_result_).value();              \
  })

// The same for a Status.
#define DL_TRY_STATUS(expr)                     \
  do {                                          \
    auto dl_status_ = (expr);                   \
    if (!dl_status_) return dl_status_.error(); \
  } while (false)
