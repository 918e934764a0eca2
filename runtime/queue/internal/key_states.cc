#include "runtime/queue/internal/key_states.h"

#include <algorithm>

namespace reprise::runtime::internal {

KeyStates::Item& KeyStates::item(const ObjectKey& key) {
  const auto [found, fresh] = items_.try_emplace(key);
  if (fresh) found->second.key = &found->first;
  return found->second;
}

void KeyStates::drop_if_idle(Item& item) {
  const bool raised = item.least != Priority::Background;
  if (item.state == State::Idle && !item.delayed() && item.failures == 0 && !raised) items_.erase(*item.key);
}

void KeyStates::raise(Item& item, Priority priority) {
  if (priority <= item.asked) return;
  if (item.state == State::Ready) {
    ready_.remove(item, item.asked);
    ready_.push(item, priority);
  }
  item.asked = priority;
}

void KeyStates::raise_next(const ObjectKey& key, Priority priority) {
  Item& raised = item(key);
  raised.least = std::max(raised.least, priority);
  if (raised.state == State::Ready || raised.state == State::InWorkAgain) raise(raised, priority);
}

Added KeyStates::ask(Item& item, Priority priority, Instant now) {
  priority = std::max(priority, item.least);
  if (item.delayed()) {
    delayed_.remove(item);
    priority = std::max(priority, item.asked);
  }
  switch (item.state) {
    case State::Ready:
    case State::InWorkAgain:
      raise(item, priority);
      return Added::Already;
    case State::Idle:
      item.state = State::Ready;
      item.asked = priority;
      item.added = now;
      ready_.push(item, priority);
      return Added::Ready;
    case State::InWork:
      item.state = State::InWorkAgain;
      item.asked = priority;
      item.added = now;
      return Added::Deferred;
  }
  return Added::Already;
}

Added KeyStates::add(const ObjectKey& key, Priority priority, Instant now) {
  return ask(item(key), priority, now);
}

bool KeyStates::add_at(const ObjectKey& key, Priority priority, Instant due) {
  Item& asked = item(key);
  if (asked.state == State::Ready || asked.state == State::InWorkAgain) {
    raise(asked, priority);
    return false;
  }
  asked.asked = asked.delayed() ? std::max(asked.asked, priority) : priority;
  if (asked.delayed() && asked.due <= due) return true;
  if (asked.delayed()) delayed_.remove(asked);
  delayed_.push(asked, due);
  return true;
}

Duration KeyStates::next_backoff(const ObjectKey& key) {
  return backoff_.delay(item(key).failures++);
}

void KeyStates::forget(const ObjectKey& key) {
  const auto found = items_.find(key);
  if (found == items_.end()) return;
  found->second.failures = 0;
  drop_if_idle(found->second);
}

KeyStates::Woken KeyStates::wake(Instant now) {
  Woken woken;
  while (DelayLink* const link = delayed_.earliest()) {
    if (link->due > now) break;
    Item& due = static_cast<Item&>(*link);
    ++woken.added;
    if (ask(due, due.asked, now) == Added::Ready) ++woken.ready;
  }
  return woken;
}

std::optional<Instant> KeyStates::next_due() const {
  const DelayLink* const earliest = delayed_.earliest();
  return earliest == nullptr ? std::nullopt : std::optional(earliest->due);
}

std::optional<TakenKey> KeyStates::take(Instant now) {
  ReadyLink* const link = ready_.take();
  if (link == nullptr) return std::nullopt;
  Item& taken = static_cast<Item&>(*link);
  taken.state = State::InWork;
  taken.in_work = taken.asked;
  taken.least = Priority::Background;
  taken.taken = now;
  in_work_.push_back(&taken);
  return TakenKey{*taken.key, taken.added};
}

std::optional<DoneKey> KeyStates::done(const ObjectKey& key) {
  const auto found = items_.find(key);
  if (found == items_.end()) return std::nullopt;
  Item& item = found->second;
  if (item.state != State::InWork && item.state != State::InWorkAgain) return std::nullopt;
  std::erase(in_work_, &item);
  const DoneKey done{item.taken, item.state == State::InWorkAgain};
  if (done.ready) {
    item.state = State::Ready;
    ready_.push(item, item.asked);
  } else {
    item.state = State::Idle;
    drop_if_idle(item);
  }
  return done;
}

Priority KeyStates::priority_in_work(const ObjectKey& key) const {
  const auto found = items_.find(key);
  if (found == items_.end()) return Priority::News;
  const State state = found->second.state;
  return state == State::InWork || state == State::InWorkAgain ? found->second.in_work : Priority::News;
}

std::vector<Instant> KeyStates::in_work() const {
  std::vector<Instant> since;
  for (const Item* item : in_work_) since.push_back(item->taken);
  return since;
}

KeyStates::Failing KeyStates::failing() const {
  Failing result;
  for (const auto& [key, item] : items_) {
    if (item.failures == 0) continue;
    ++result.keys;
    result.most = std::max(result.most, item.failures);
  }
  return result;
}

void KeyStates::drop_waiting() {
  while (DelayLink* const link = delayed_.earliest()) {
    delayed_.remove(*link);
    drop_if_idle(static_cast<Item&>(*link));
  }
  while (ReadyLink* const link = ready_.take()) {
    Item& dropped = static_cast<Item&>(*link);
    dropped.state = State::Idle;
    dropped.least = Priority::Background;
    drop_if_idle(dropped);
  }
  for (Item* item : in_work_) item->state = State::InWork;
}

}  // namespace reprise::runtime::internal
