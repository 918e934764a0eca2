// Any sequence of operations against a model that is too simple to be wrong. The model says which keys may be taken and
// when; how keys of different namespaces alternate is ready_keys_test's matter.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <map>
#include <set>

#include "runtime/queue/work_queue.h"
#include "runtime/testing/manual_executor.h"

namespace reprise::runtime {
namespace {

enum class Step { Add, AddAfter, RaiseNext, Retry, Forget, Take, Done, Advance, ShutDown };

struct Model {
  struct Delay {
    int due, order;
    Priority priority;
  };

  void add(int key, Priority priority) {
    if (shut) return;
    if (const auto least = raised.find(key); least != raised.end()) priority = std::max(priority, least->second);
    if (const auto delay = delays.find(key); delay != delays.end()) {
      priority = std::max(priority, delay->second.priority);
      delays.erase(delay);
    }
    auto& waiting = in_work.contains(key) ? again : ready;
    const auto found = waiting.find(key);
    waiting[key] = found == waiting.end() ? priority : std::max(priority, found->second);
  }
  void add_after(int key, int delay, Priority priority) {
    if (shut) return;
    if (delay <= 0 || ready.contains(key) || again.contains(key)) return add(key, priority);
    const auto found = delays.find(key);
    if (found != delays.end()) {
      found->second.priority = std::max(found->second.priority, priority);
      if (found->second.due <= now + delay) return;
      priority = found->second.priority;
    }
    delays[key] = {now + delay, ++order, priority};
  }
  // Holds until the key is taken.
  void raise_next(int key, Priority priority) {
    if (shut) return;
    for (auto* const waiting : {&ready, &again}) {
      if (const auto found = waiting->find(key); found != waiting->end()) {
        found->second = std::max(found->second, priority);
      }
    }
    const auto [least, fresh] = raised.try_emplace(key, priority);
    if (!fresh) least->second = std::max(least->second, priority);
  }
  void retry(int key) {
    if (shut) return;
    int delay = 5;
    for (int i = failures[key]++; i > 0 && delay < 300'000; --i) delay *= 2;
    const auto worked_on = in_work.find(key);
    const auto failed_at = worked_on == in_work.end() ? Priority::News : worked_on->second;
    add_after(key, std::min(delay, 300'000), std::min(failed_at, Priority::News));
  }
  void advance(int by) {
    now += by;
    const auto all = delays;
    for (const auto& [key, delay] : all) {
      if (delay.due <= now) add(key, delay.priority);
    }
  }
  void take(int key) {
    in_work[key] = ready.at(key);
    ready.erase(key);
    raised.erase(key);
  }
  void done(int key) {
    if (in_work.erase(key) == 0) return;
    if (const auto asked = again.extract(key)) ready[key] = asked.mapped();
  }
  void shut_down() {
    shut = true;
    ready.clear();
    again.clear();
    delays.clear();
  }

  int now = 0, order = 0;
  bool shut = false;
  std::map<int, Priority> ready, again, in_work;
  std::map<int, Priority> raised;  // the next call that adds the key does so at this priority at least
  std::map<int, Delay> delays;
  std::map<int, int> failures;
};

double depth(MetricsRegistry& metrics, Priority priority) {
  return metrics.gauge("workqueue_depth", "", {{"controller", "q"}, {"name", "q"}, {"priority", to_string(priority)}})
      .value();
}

double count(const std::map<int, Priority>& keys, Priority priority) {
  return static_cast<double>(
      std::count_if(keys.begin(), keys.end(), [&](const auto& key) { return key.second == priority; }));
}

// Underway before News before Background, and nothing starves.
class Shares {
 public:
  // True when a key of this priority may be taken now, given the ready keys.
  bool take(Priority taken, const std::map<int, Priority>& ready) {
    const bool underway = count(ready, Priority::Underway) > 0;
    const bool news = count(ready, Priority::News) > 0, background = count(ready, Priority::Background) > 0;
    if (taken == Priority::Underway) return !(news || background) || ++underway_in_a_row_ < 4;
    const bool its_turn = !underway || underway_in_a_row_ == 3;
    underway_in_a_row_ = 0;
    const bool both = news && background;
    if (both && taken == Priority::News) return its_turn && ++news_in_a_row_ < 8;
    const bool its_share = !both || news_in_a_row_ == 7;
    news_in_a_row_ = 0;
    return its_turn && its_share;
  }

 private:
  int underway_in_a_row_ = 0;  // taken while others waited
  int news_in_a_row_ = 0;      // taken while Background waited, with any of Underway in between
};

void take(WorkQueue& queue, Model& model, Shares& shares) {
  const auto taken = queue.try_get();
  RC_ASSERT(taken.has_value() == !model.ready.empty());
  if (!taken) return;
  const int found = std::stoi(taken->name);
  RC_ASSERT(model.ready.contains(found));
  RC_ASSERT(queue.priority_of(*taken) == model.ready.at(found));
  RC_ASSERT(shares.take(model.ready.at(found), model.ready));
  model.take(found);
}

TEST(WorkQueueProperty, any_sequence_agrees_with_the_model) {
  const bool holds = rc::check([](const std::vector<std::tuple<int, int, int, int>>& raw) {
    testing::VirtualClock clock;
    testing::ManualExecutor executor(clock);
    MetricsRegistry metrics;
    WorkQueue queue("q", executor, clock, metrics);
    Model model;
    Shares shares;
    for (const auto& [what, which, amount, lane] : raw) {
      const int step = std::abs(what % 33);
      const int number = std::abs(which % 6), after = std::abs(amount % 50);
      const Priority priority = all_priorities[static_cast<std::size_t>(std::abs(lane % 3))];
      const ObjectKey key{std::to_string(number % 2), std::to_string(number)};
      switch (step == 32 ? Step::ShutDown : static_cast<Step>(step % 8)) {
        case Step::Add:
          queue.add(key, priority);
          model.add(number, priority);
          break;
        case Step::AddAfter:
          queue.add_after(key, Duration{after}, priority);
          model.add_after(number, after, priority);
          break;
        case Step::RaiseNext:
          queue.raise_next(key, priority);
          model.raise_next(number, priority);
          break;
        case Step::Retry:
          queue.add_rate_limited(key);
          model.retry(number);
          break;
        case Step::Forget:
          queue.forget(key);
          model.failures.erase(number);
          break;
        case Step::Take:
          take(queue, model, shares);
          break;
        case Step::Done:
          queue.done(key);
          model.done(number);
          break;
        case Step::Advance:
          executor.advance(Duration{after});
          model.advance(after);
          break;
        case Step::ShutDown:
          queue.shut_down();
          model.shut_down();
          break;
      }
      RC_ASSERT(queue.depth() == model.ready.size());
      for (const Priority each : all_priorities) RC_ASSERT(depth(metrics, each) == count(model.ready, each));
    }
    const auto next = executor.next_timer();
    const bool late = std::any_of(model.delays.begin(), model.delays.end(), [&](const auto& delay) {
      return !next || *next > clock.steady() + Duration{delay.second.due - model.now};
    });
    RC_ASSERT(!late);
  });
  EXPECT_TRUE(holds);
}

}  // namespace
}  // namespace reprise::runtime
