#include "runtime/client/internal/delays.h"

#include <cstdint>
#include <map>
#include <mutex>
#include <utility>

namespace reprise::runtime {

struct Delays::State {
  struct Entry {
    std::unique_ptr<Timer> timer;
    Work work;
  };

  Work take(std::uint64_t id) {
    const std::lock_guard lock(mutex);
    auto entry = entries.extract(id);
    return entry ? std::move(entry.mapped().work) : nullptr;
  }

  std::mutex mutex;
  std::uint64_t last = 0;
  std::map<std::uint64_t, Entry> entries;
};

Delays::Delays(Executor& executor) : executor_(executor), state_(std::make_shared<State>()) {}

Delays::~Delays() {
  std::map<std::uint64_t, State::Entry> left;
  {
    const std::lock_guard lock(state_->mutex);
    left = std::exchange(state_->entries, {});
  }
  for (const auto& [id, entry] : left) entry.work(false);
}

void Delays::after(Duration delay, Work work) {
  const std::lock_guard lock(state_->mutex);
  const std::uint64_t id = ++state_->last;
  auto timer = executor_.after(delay, [weak = std::weak_ptr(state_), id] {
    const auto state = weak.lock();
    if (!state) return;
    if (const auto due = state->take(id)) due(true);
  });
  state_->entries.emplace(id, State::Entry{std::move(timer), std::move(work)});
}

}  // namespace reprise::runtime
