#include <chan/match/message_queue.hpp>

namespace chan::match {

void MessageQueue::put_back(Message& message) {
  Message* before = nullptr;
  for (Message* m = messages_.first; m != nullptr && m->key.number < message.key.number; m = m->next) before = m;
  messages_.insert_after(before, &message);
  ++count_;
  if (first_of_ == nullptr) return;
  const auto [at, fresh] = first_of_->try_emplace(message.tag, &message);
  if (!fresh && message.key.number < at->second->key.number) at->second = &message;
}

void MessageQueue::take(Message& message) {
  --count_;
  if (first_of_ != nullptr) {
    if (const auto at = first_of_->find(message.tag); at->second == &message) {
      Message* next = message.next;
      while (next != nullptr && next->tag != message.tag) next = next->next;
      if (next != nullptr) at->second = next;
      else first_of_->erase(at);
    }
  }
  messages_.take(&message);
}

void MessageQueue::know_tags() {
  first_of_ = std::make_unique<FirstOf>();
  for (Message* m = messages_.first; m != nullptr; m = m->next) first_of_->try_emplace(m->tag, m);
}

}  // namespace chan::match
