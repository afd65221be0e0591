// A queue of items that are linked through a member of their own (T::next): no memory of its own, no ownership.
#pragma once

namespace chan::match {

template <typename T>
struct Queue {
  T* first = nullptr;
  T* last = nullptr;

  bool empty() const { return first == nullptr; }
  void push(T* item) {
    item->next = nullptr;
    if (last != nullptr) last->next = item;
    else first = item;
    last = item;
  }
  // Puts the item behind `before` (null: at the front).
  void insert_after(T* before, T* item) {
    T*& link = before != nullptr ? before->next : first;
    item->next = link;
    link = item;
    if (item->next == nullptr) last = item;
  }
  // Takes out the item behind `before` (null: the first).
  T* take_after(T* before) {
    T* item = before != nullptr ? before->next : first;
    (before != nullptr ? before->next : first) = item->next;
    if (last == item) last = before;
    return item;
  }
  // Takes out an item that is in the queue.
  void take(const T* item) {
    T* before = nullptr;
    for (T* at = first; at != item; at = at->next) before = at;
    take_after(before);
  }
};

}  // namespace chan::match
