// Handles of objects that a program makes: an int that names the kind of object and an index.
//
//   bits 31..30  10 (made by the program; 01 predefined, 00 null)
//   bits 29..26  kind of object
//   bits 25..0   index
//
// Numbering is deterministic: a new object takes the lowest free index. One thread at a time, no locks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

namespace detmpi {

enum class HandleKind : uint32_t {
  kComm = 1,
  kGroup = 2,
  kDatatype = 3,
  kErrhandler = 5,
  kOp = 6,
  kInfo = 7,
  kKeyval = 9,
  kRequest = 11,
  kMessage = 13,
  kSession = 14,
};

// Who keeps account of the handles that the program has and must give back (--leaks). Null: nobody.
struct HandleAccount {
  void (*given)(int handle);  // it may have been before
  void (*returned)(int handle);
};
inline const HandleAccount* g_handle_account = nullptr;
inline void note_given(int handle) {
  if (g_handle_account != nullptr) [[unlikely]]
    g_handle_account->given(handle);
}
inline void note_returned(int handle) {
  if (g_handle_account != nullptr) [[unlikely]]
    g_handle_account->returned(handle);
}

template <class T, HandleKind kKind, uint32_t kExtraBits = 0>
class HandleTable {
 public:
  static constexpr uint32_t kPrefix = 0x80000000U | static_cast<uint32_t>(kKind) << 26 | kExtraBits;
  static constexpr uint32_t kIndexMask = kExtraBits == 0 ? 0x03ffffffU : 0x003fffffU;

  // The object of a handle, or null when the handle is of another kind, was never given out, or is freed.
  T* get(int handle) const {
    const uint32_t bits = static_cast<uint32_t>(handle);
    const uint32_t index = bits & kIndexMask;
    if ((bits & ~kIndexMask) != kPrefix || index >= slots_.size()) [[unlikely]]
      return nullptr;
    return slots_[index];
  }

  // Takes no ownership. The table grows as needed.
  int insert(T* object) {
    uint32_t index;
    if (free_.empty()) {
      index = static_cast<uint32_t>(slots_.size());
      slots_.push_back(object);
    } else {
      index = free_.top();
      free_.pop();
      slots_[index] = object;
    }
    const int handle = static_cast<int>(kPrefix | index);
    note_given(handle);
    return handle;
  }

  // The handle must be valid.
  void erase(int handle) {
    const uint32_t index = static_cast<uint32_t>(handle) & kIndexMask;
    slots_[index] = nullptr;
    free_.push(index);
    note_returned(handle);
  }

  // The objects, in the order of their handles.
  template <typename Visit>
  void each(Visit&& visit) const {
    for (T* object : slots_) {
      if (object != nullptr) visit(*object);
    }
  }

  size_t used() const { return slots_.size() - free_.size(); }

 private:
  std::vector<T*> slots_;
  std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>> free_;
};

}  // namespace detmpi
