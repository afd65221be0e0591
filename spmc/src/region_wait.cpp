#include "region_wait.hpp"

#include "anchors.hpp"

#include <spmc/hooks.hpp>

#include <cerrno>

namespace spmc {

void (*g_long_wait_hook)() = nullptr;
void set_long_wait_hook(void (*hook)()) { g_long_wait_hook = hook; }

namespace {

bool is_published(const View& view, uint32_t page, uint32_t need) {
  const EPageIndex frame = frame_of(view, page);
  return !frame.none() && segment::pageinfo(frame).published.load(std::memory_order_acquire) >= need;
}

bool producer_is_gone(const View& view) {
  const uint32_t producer = view.slot->producer.load(std::memory_order_acquire);
  return producer == 0 || (producer != self_word() && !is_alive({producer - 1}));
}

bool producer_moved_on(const View& view) {
  const uint32_t ext_page = anchor_page({view.holder->anchor}).ext_page.load(std::memory_order_acquire);
  return ext_page != kNoExtension && is_published(view, ext_page, kPageSize);
}

}  // namespace

PageFate look_at_page(const View& view, uint32_t page, uint32_t need) {
  if (is_published(view, page, need)) [[likely]]
    return PageFate::kPublished;
  const bool gone = producer_is_gone(view);
  // In this order: of a producer that extended and then ended every consumer learns the same, whenever it
  // looks.
  const bool moved_on = producer_moved_on(view);
  if (!gone && !moved_on) return PageFate::kNotYet;
  // Either is seen after everything that the producer published before.
  if (is_published(view, page, need)) return PageFate::kPublished;
  return moved_on ? PageFate::kLeftBehind : PageFate::kGone;
}

base::Error error_of(PageFate fate) {
  if (fate == PageFate::kGone) return {EPIPE, "the producer has ended or has cleared the region"};
  return {ENODATA, "the producer has extended the region without publishing this"};
}

base::Status wait_published(const View& view, uint32_t page, uint32_t need) {
  if (is_published(view, page, need)) [[likely]]
    return {};
  PageFate fate = PageFate::kNotYet;
  wait_here([&] { return (fate = look_at_page(view, page, need)) != PageFate::kNotYet; });
  if (fate == PageFate::kPublished) return {};
  return error_of(fate);
}

}  // namespace spmc
