#include "simulator/cluster/process_executor.h"

#include <utility>

namespace reprise::simulator {
namespace {

class PlannedWork final : public runtime::Timer {
 public:
  PlannedWork(EventLoop& loop, EventLoop::Ticket ticket) : loop_(loop), ticket_(ticket) {}
  ~PlannedWork() override { loop_.cancel(ticket_); }

 private:
  EventLoop& loop_;
  EventLoop::Ticket ticket_;
};

}  // namespace

void ProcessExecutor::post(std::function<void()> work) {
  loop_.after(Duration{0}, [alive = alive_, work = std::move(work)] {
    if (*alive) work();
  });
}

std::unique_ptr<runtime::Timer> ProcessExecutor::after(Duration delay, std::function<void()> work) {
  const auto ticket = loop_.after(clock_.cluster_time(delay), [alive = alive_, work = std::move(work)] {
    if (*alive) work();
  });
  return std::make_unique<PlannedWork>(loop_, ticket);
}

}  // namespace reprise::simulator
