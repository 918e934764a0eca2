#include "simulator/actors/agent/fibers.h"

#include <algorithm>
#include <boost/context/fixedsize_stack.hpp>
#include <utility>

namespace reprise::simulator {
namespace {

constexpr std::size_t kStack = std::size_t{128} * 1024;

}  // namespace

Fibers::Id Fibers::start(std::function<void()> work, std::function<void()> ended) {
  const Id id = next_++;
  auto fiber = std::make_unique<Fiber>(
      loop_, [this, id] { go_on(id); }, standstill_);
  Fiber* self = fiber.get();
  fiber->ended = std::move(ended);
  fiber->context = boost::context::fiber(std::allocator_arg, boost::context::fixedsize_stack(kStack),
                                         [this, self, work = std::move(work)](boost::context::fiber&& loop) {
                                           loop_context_ = std::move(loop);
                                           work();
                                           self->done = true;
                                           return std::move(loop_context_);
                                         });
  fibers_.emplace(id, std::move(fiber));
  self->due.within(Duration{0});
  return id;
}

void Fibers::go_on(Id id) {
  Fiber& fiber = *fibers_.at(id);
  fiber.due.cancel();
  running_ = id;
  fiber.context = std::move(fiber.context).resume();
  running_ = 0;
  if (!fiber.done) return;
  const auto ended = std::move(fiber.ended);
  fibers_.erase(id);
  if (ended) ended();
}

void Fibers::park(std::optional<Duration> until) {
  if (over_) return;
  Fiber& self = *fibers_.at(running_);
  if (until) self.due.within(std::max(*until - loop_.now(), Duration{0}));
  loop_context_ = std::move(loop_context_).resume();
}

void Fibers::sleep(Duration duration) {
  const Duration until = loop_.now() + duration;
  while (!over_ && loop_.now() < until) park(until);
}

void Fibers::wake(Id id) {
  if (over_) return;
  if (const auto found = fibers_.find(id); found != fibers_.end()) found->second->due.within(Duration{0});
}

void Fibers::wait_for_call() {
  const Id self = running_;
  wait_for_call_.insert(self);
  while (wait_for_call_.contains(self) && !over_) park();
}

void Fibers::call() {
  for (const Id each : std::exchange(wait_for_call_, {})) wake(each);
}

void Fibers::end() {
  over_ = true;
  for (auto& [id, fiber] : fibers_) fiber->due.cancel();
  fibers_.clear();
}

}  // namespace reprise::simulator
