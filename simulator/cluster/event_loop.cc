#include "simulator/cluster/event_loop.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace reprise::simulator {

namespace {

// A ticket is the number of its asking and, in its low bits, its slot: in order of asking.
constexpr unsigned slot_bits = 24;
constexpr std::uint64_t slot_mask = (1U << slot_bits) - 1;

}  // namespace

EventLoop::Slot& EventLoop::slot(Ticket ticket) {
  return slots_[ticket & slot_mask];
}

bool EventLoop::is_planned(Ticket ticket) const {
  const std::size_t index = ticket & slot_mask;
  return ticket != 0 && index < slots_.size() && slots_[index].ticket == ticket;
}

std::function<void()> EventLoop::take(Ticket ticket) {
  free_slots_.push_back(ticket & slot_mask);
  slot(ticket).ticket = 0;
  return std::exchange(slot(ticket).work, nullptr);
}

void EventLoop::drop_cancelled() {
  while (!due_.empty() && !is_planned(due_.front().ticket)) {
    std::ranges::pop_heap(due_, std::greater{});
    due_.pop_back();
  }
}

EventLoop::Ticket EventLoop::after(Duration delay, std::function<void()> work) {
  if (free_slots_.empty()) {
    free_slots_.push_back(slots_.size());
    slots_.emplace_back();
  }
  const Ticket ticket = ++asked_ << slot_bits | free_slots_.back();
  free_slots_.pop_back();
  slot(ticket) = {ticket, std::move(work)};
  due_.push_back({now_ + std::max(delay, Duration{0}), ticket});
  std::ranges::push_heap(due_, std::greater{});
  return ticket;
}

bool EventLoop::cancel(Ticket ticket) {
  if (!is_planned(ticket)) return false;
  const auto cancelled = take(ticket);
  drop_cancelled();
  return true;
}

bool EventLoop::step() {
  if (due_.empty()) return false;
  const Due due = due_.front();
  const auto work = take(due.ticket);
  drop_cancelled();
  // Work inside work may have moved time past the planned one.
  now_ = std::max(now_, due.time);
  ++steps_;
  work();
  if (look_) look_();
  return true;
}

void EventLoop::run_until(Duration time) {
  while (!due_.empty() && due_.front().time <= time) step();
  now_ = std::max(now_, time);
}

bool EventLoop::run_until_true(const std::function<bool()>& done) {
  while (!done())
    if (!step()) return false;
  return true;
}

std::optional<Duration> EventLoop::next() const {
  if (due_.empty()) return std::nullopt;
  return due_.front().time;
}

}  // namespace reprise::simulator
