#include "simulator/cluster/process_executor.h"

#include <utility>

namespace reprise::simulator {

class ProcessExecutor::PlannedWork final : public runtime::Timer {
 public:
  PlannedWork(EventLoop& loop, std::shared_ptr<EventLoop::Ticket> ticket) : loop_(loop), ticket_(std::move(ticket)) {}
  ~PlannedWork() override { loop_.cancel(*ticket_); }

 private:
  EventLoop& loop_;
  std::shared_ptr<EventLoop::Ticket> ticket_;
};

// `ticket` belongs to the work as it is planned now: a timer can be cancelled also when it came due while all stood
// still.
void ProcessExecutor::run(EventLoop& loop, const std::shared_ptr<Life>& life,
                          const std::shared_ptr<EventLoop::Ticket>& ticket, std::function<void()> work) {
  if (life->over) return;
  const Duration left = life->awake_at - loop.now();
  if (left <= Duration{0}) return work();
  *ticket = loop.after(left, [&loop, life, ticket, work = std::move(work)] { run(loop, life, ticket, work); });
}

void ProcessExecutor::post(std::function<void()> work) {
  loop_.after(Duration{0}, [&loop = loop_, life = life_, work = std::move(work)] {
    run(loop, life, std::make_shared<EventLoop::Ticket>(), work);
  });
}

std::unique_ptr<runtime::Timer> ProcessExecutor::after(Duration delay, std::function<void()> work) {
  const auto ticket = std::make_shared<EventLoop::Ticket>();
  *ticket = loop_.after(clock_.cluster_time(delay), [&loop = loop_, life = life_, ticket, work = std::move(work)] {
    run(loop, life, ticket, work);
  });
  return std::make_unique<PlannedWork>(loop_, ticket);
}

}  // namespace reprise::simulator
