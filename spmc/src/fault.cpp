// The handler of SPMC page faults (paper 004, II.C.2 and III.B.4). Runs on its own stack, inside whatever
// instruction touched SPMC memory; uses nothing that allocates or locks. A fault elsewhere goes to whoever
// handled SIGSEGV before. If the system can map no more, the fault cannot be served, and ends the space.
//
//   producer, page not fixed      the page and those behind it become writable
//   producer reads, page fixed    readable
//   producer writes, page fixed   ended: fixed at most once
//   consumer reads                waits until the page is fixed; then it and fixed ones behind it are readable
//   consumer writes               ended: single producer
#include "fault.hpp"

#include "pages.hpp"
#include "region_wait.hpp"
#include "violation.hpp"

#include <base/sys.hpp>

#include <ucontext.h>

#include <cerrno>
#include <csignal>

namespace spmc {
namespace {

constexpr size_t kStackBytes = 64 << 10;
alignas(4096) std::byte g_stack[kStackBytes];
struct sigaction g_previous;

bool is_write(const void* context) {
  constexpr greg_t kWriteBit = 2;  // of the page fault's error code
  return (static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_ERR] & kWriteBit) != 0;
}

void forward(int signal, siginfo_t* info, void* context) {
  if ((g_previous.sa_flags & SA_SIGINFO) != 0) return g_previous.sa_sigaction(signal, info, context);
  if (g_previous.sa_handler != SIG_DFL && g_previous.sa_handler != SIG_IGN) return g_previous.sa_handler(signal);
  // The default: the instruction runs again when we return, and ends the process; a signal sent by someone is
  // sent again.
  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  sigaction(SIGSEGV, &standard, nullptr);
  if (info->si_code <= 0) (void)base::send_signal(base::process_id(), signal);
}

void must_open(bool opened) {
  CHECK(opened, "a page of SPMC memory cannot be opened: this process may have reached %s", kMappingLimit);
}

void producer_fault(View& view, uint32_t page, uint32_t offset, bool write) {
  if (!is_fixed(view, page)) {
    const EPageIndex frame = frame_of(view, page);
    if (!frame.none() && segment::pageinfo(frame).page != page) {
      violation(view, page, offset, "touches", "an extension page holds no data");
    }
    return must_open(open_writable(view, page, kProducerRun));
  }
  if (write) violation(view, page, offset, "writes", kRuleFixedOnce);
  must_open(open_readable(view, page, kConsumerRun));
}

void consumer_fault(View& view, uint32_t page, uint32_t offset, bool write) {
  if (write) violation(view, page, offset, "writes", kRuleOneProducer);
  const auto waited = wait_published(view, page, kPageSize);
  if (!waited) violation(view, page, offset, "reads", waited.error().what);
  if (!is_fixed(view, page)) violation(view, page, offset, "reads", "an extension page holds no data");
  must_open(open_readable(view, page, kConsumerRun));
}

[[noreturn]] void refuse(uintptr_t address, bool write, const char* why) {
  base::complain("%s at address %p: %s", write ? "writes" : "reads", reinterpret_cast<void*>(address), why);
  base::die(base::kViolationExit);
}

void on_fault(int signal, siginfo_t* info, void* context) {
  const auto address = reinterpret_cast<uintptr_t>(info->si_addr);
  const bool ours = g_local.ready && info->si_code == SEGV_ACCERR && address >= kSpmcVmAddress &&
                    address - kSpmcVmAddress < g_local.vm->size();
  if (!ours) return forward(signal, info, context);
  const int saved_errno = errno;
  if (const auto space = check_is_space(); !space) refuse(address, is_write(context), space.error().what);
  g_local.counters.faults += 1;
  const auto vpage = static_cast<uint32_t>((address - kSpmcVmAddress) >> kPageShift);
  View* view = find_view(vpage);
  if (view == nullptr) {
    refuse(address, is_write(context), "no region of SPMC memory is mapped there (never handed over, or cleared)");
  }
  const uint32_t page = vpage - view->first;
  const auto offset = static_cast<uint32_t>(address & (kPageSize - 1));
  if (is_producer(*view)) producer_fault(*view, page, offset, is_write(context));
  else consumer_fault(*view, page, offset, is_write(context));
  errno = saved_errno;
}

}  // namespace

base::Status install_fault_handler() {
  const stack_t stack{.ss_sp = g_stack, .ss_flags = 0, .ss_size = kStackBytes};
  stack_t there{};
  const bool kept =
      sigaltstack(nullptr, &there) == 0 && (there.ss_flags & SS_DISABLE) == 0 && there.ss_size >= kStackBytes;
  if (!kept && sigaltstack(&stack, nullptr) != 0) return base::Error{errno, "setting the fault handler's stack"};
  struct sigaction action {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  if (sigaction(SIGSEGV, &action, &g_previous) != 0) return base::Error{errno, "installing the fault handler"};
  return {};
}

}  // namespace spmc
