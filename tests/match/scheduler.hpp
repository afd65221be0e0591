// Ranks as stacks of one process, and an adversarial scheduler: it decides who goes on at every look at shared state.
#pragma once

#include <ucontext.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

namespace match_test {

inline constexpr size_t kStack = 128 * 1024;
inline constexpr uint64_t kMostTurns = 3'000'000;

class Scheduler {
 public:
  explicit Scheduler(uint64_t seed) : random_(seed) {}
  ~Scheduler() {
    for (auto& task : tasks_) delete[] task->stack;
  }
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  void add(void (*body)(void*), void* argument) {
    auto task = std::make_unique<Task>();
    task->stack = new char[kStack];
    task->run = body;
    task->argument = argument;
    getcontext(&task->context);
    task->context.uc_stack.ss_sp = task->stack;
    task->context.uc_stack.ss_size = kStack;
    task->context.uc_link = nullptr;
    const auto address = reinterpret_cast<uintptr_t>(task.get());
    makecontext(&task->context, reinterpret_cast<void (*)()>(&Scheduler::enter), 2,
                static_cast<unsigned>(address >> 32), static_cast<unsigned>(address));
    task->home = &home_;
    tasks_.push_back(std::move(task));
  }

  // Runs until `done`. False: cut off. Some ranks get long turns, some are left out for long.
  template <typename Done>
  bool run(Done&& done) {
    size_t favourite = 0;
    for (uint64_t turn = 0; turn < kMostTurns; ++turn) {
      if (done()) return true;
      if (turn % 64 == 0) favourite = random_() % tasks_.size();
      current_ = random_() % 4 != 0 ? tasks_[favourite].get() : tasks_[random_() % tasks_.size()].get();
      swapcontext(&home_, &current_->context);
    }
    return false;
  }

  void yield() {
    Task* task = current_;
    swapcontext(&task->context, &home_);
  }

 private:
  struct Task {
    ucontext_t context;
    ucontext_t* home = nullptr;
    char* stack = nullptr;
    void (*run)(void*) = nullptr;
    void* argument = nullptr;
  };
  static void enter(unsigned high, unsigned low) {
    auto* task = reinterpret_cast<Task*>(static_cast<uintptr_t>(high) << 32 | low);
    task->run(task->argument);
    for (;;) swapcontext(&task->context, task->home);
  }

  std::mt19937_64 random_;
  ucontext_t home_;
  Task* current_ = nullptr;
  std::vector<std::unique_ptr<Task>> tasks_;
};

}  // namespace match_test
