// The messages of one source in one context that no receive has taken, in the order in which they were sent.
//
// Where there are many, the first of each tag is known: a receive that names its tag finds its message, or that there
// is none, without passing the others. Owns no messages.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>

#include <chan/match/queue.hpp>
#include <chan/match/types.hpp>

namespace chan::match {

struct Receive;

struct Message {
  Message* next = nullptr;  // of the same source and context
  uint32_t context = 0;
  int tag = 0;
  Key key;
  Receive* taker = nullptr;  // of a final pair
  uint64_t pass = 0;         // of Matcher::settle in which an earlier receive took it provisionally
};

class MessageQueue {
 public:
  explicit MessageQueue(uint32_t context) : context_(context) {}

  uint32_t context() const { return context_; }
  bool empty() const { return messages_.empty(); }
  // The first message, or the first of the tag; null if there is none. Others of the tag come after it (Message::next).
  Message* first(int tag = kAny) const {
    if (tag == kAny || first_of_ == nullptr) return messages_.first;
    const auto at = first_of_->find(tag);
    return at == first_of_->end() ? nullptr : at->second;
  }

  void push(Message& message) {
    messages_.push(&message);
    ++count_;
    if (first_of_ != nullptr) [[unlikely]]
      first_of_->try_emplace(message.tag, &message);
    else if (count_ > kFew) [[unlikely]] know_tags();
  }
  // One that was taken comes back to its place.
  void put_back(Message& message);
  void take(Message& message);

 private:
  using FirstOf = std::unordered_map<int, Message*>;  // by tag
  static constexpr uint32_t kFew = 16;

  void know_tags();

  uint32_t context_;
  uint32_t count_ = 0;
  Queue<Message> messages_;
  std::unique_ptr<FirstOf> first_of_;  // null until there have been many
};

}  // namespace chan::match
