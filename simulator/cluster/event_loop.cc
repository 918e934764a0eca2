#include "simulator/cluster/event_loop.h"

#include <algorithm>
#include <utility>

namespace reprise::simulator {

EventLoop::Ticket EventLoop::after(Duration delay, std::function<void()> work) {
  const Due due{now_ + std::max(delay, Duration{0}), next_ticket_++};
  planned_.emplace(due, std::move(work));
  times_.emplace(due.ticket, due.time);
  return due.ticket;
}

bool EventLoop::cancel(Ticket ticket) {
  const auto found = times_.find(ticket);
  if (found == times_.end()) return false;
  planned_.erase({found->second, ticket});
  times_.erase(found);
  return true;
}

bool EventLoop::step() {
  if (planned_.empty()) return false;
  auto due = planned_.extract(planned_.begin());
  times_.erase(due.key().ticket);
  // Work inside work may have moved time past what was planned.
  now_ = std::max(now_, due.key().time);
  ++steps_;
  due.mapped()();
  if (look_) look_();
  return true;
}

void EventLoop::run_until(Duration time) {
  while (!planned_.empty() && planned_.begin()->first.time <= time) step();
  now_ = std::max(now_, time);
}

bool EventLoop::run_until_true(const std::function<bool()>& done) {
  while (!done())
    if (!step()) return false;
  return true;
}

std::optional<Duration> EventLoop::next() const {
  if (planned_.empty()) return std::nullopt;
  return planned_.begin()->first.time;
}

}  // namespace reprise::simulator
