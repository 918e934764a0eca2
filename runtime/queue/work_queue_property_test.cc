// Any history of operations against a model that is too simple to be wrong.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <map>
#include <set>

#include "runtime/queue/work_queue.h"
#include "runtime/testing/manual_executor.h"

namespace reprise::runtime {
namespace {

enum class Step { Add, AddAfter, Take, Done, Advance };

struct Action {
  Step step;
  int key;
  int milliseconds;
};

// What is due, in work or asked for again, with no thought of speed.
struct Model {
  void add(int key) {
    delays.erase(key);
    if (in_work.contains(key)) {
      again.insert(key);
    } else if (std::find(ready.begin(), ready.end(), key) == ready.end()) {
      ready.push_back(key);
    }
  }
  void add_after(int key, int delay) {
    if (delay <= 0) return add(key);
    if (std::find(ready.begin(), ready.end(), key) != ready.end()) return;
    const int due = now + delay;
    if (!delays.contains(key) || delays[key].first > due) delays[key] = {due, ++order};
  }
  void advance(int by) {
    const int end = now + by;
    while (true) {
      const auto next = std::min_element(delays.begin(), delays.end(),
                                         [](const auto& l, const auto& r) { return l.second < r.second; });
      if (next == delays.end() || next->second.first > end) break;
      now = next->second.first;
      add(next->first);
    }
    now = end;
  }
  std::optional<int> take() {
    if (ready.empty()) return std::nullopt;
    const int key = ready.front();
    ready.erase(ready.begin());
    in_work.insert(key);
    return key;
  }
  void done(int key) {
    if (in_work.erase(key) == 0) return;
    if (again.erase(key) > 0) ready.push_back(key);
  }

  int now = 0, order = 0;
  std::vector<int> ready;
  std::set<int> in_work, again;
  std::map<int, std::pair<int, int>> delays;
};

TEST(WorkQueueProperty, any_history_agrees_with_the_model) {
  const bool holds = rc::check([](const std::vector<std::tuple<int, int, int>>& raw) {
    testing::VirtualClock clock;
    testing::ManualExecutor executor(clock);
    MetricsRegistry metrics;
    WorkQueue queue("q", executor, clock, metrics);
    Model model;
    for (const auto& [what, which, amount] : raw) {
      const Action action{static_cast<Step>(std::abs(what % 5)), std::abs(which % 4), std::abs(amount % 50)};
      const ObjectKey key{"n", std::to_string(action.key)};
      switch (action.step) {
        case Step::Add:
          queue.add(key);
          model.add(action.key);
          break;
        case Step::AddAfter:
          queue.add_after(key, Duration{action.milliseconds});
          model.add_after(action.key, action.milliseconds);
          break;
        case Step::Take: {
          const auto taken = queue.try_get();
          const auto expected = model.take();
          RC_ASSERT(taken.has_value() == expected.has_value());
          if (taken) RC_ASSERT(taken->name == std::to_string(*expected));
          break;
        }
        case Step::Done:
          if (model.in_work.contains(action.key)) queue.done(key);
          model.done(action.key);
          break;
        case Step::Advance:
          executor.advance(Duration{action.milliseconds});
          model.advance(action.milliseconds);
          break;
      }
      RC_ASSERT(queue.depth() == model.ready.size());
    }
  });
  EXPECT_TRUE(holds);
}

}  // namespace
}  // namespace reprise::runtime
