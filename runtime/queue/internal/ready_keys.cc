#include "runtime/queue/internal/ready_keys.h"

namespace reprise::runtime::internal {

void ReadyKeys::push(ReadyLink& link, Priority priority) {
  Lane& lane = lanes_[index(priority)];
  const auto [turn, fresh] = lane.turns.try_emplace(link.key->namespace_);
  turn->second.keys.push_back(link);
  if (fresh) lane.order.push_back(turn->second);
  ++lane.size;
}

void ReadyKeys::remove(ReadyLink& link, Priority priority) {
  Lane& lane = lanes_[index(priority)];
  const auto turn = lane.turns.find(link.key->namespace_);
  turn->second.keys.remove(link);
  --lane.size;
  if (!turn->second.keys.empty()) return;
  lane.order.remove(turn->second);
  lane.turns.erase(turn);
}

std::size_t ReadyKeys::index(Priority priority) {
  switch (priority) {
    case Priority::Underway:
      return 0;
    case Priority::News:
      return 1;
    case Priority::Background:
      return 2;
  }
  return 1;
}

Priority ReadyKeys::next_lane() {
  const bool underway = size(Priority::Underway) > 0, others = size() > size(Priority::Underway);
  if (underway && (!others || ++underway_in_a_row_ < others_share)) return Priority::Underway;
  underway_in_a_row_ = 0;
  const bool news = size(Priority::News) > 0, background = size(Priority::Background) > 0;
  if (news && background && ++news_in_a_row_ < background_share) return Priority::News;
  news_in_a_row_ = 0;
  return news && !background ? Priority::News : Priority::Background;
}

ReadyLink* ReadyKeys::take() {
  if (size() == 0) return nullptr;
  Lane& lane = lanes_[index(next_lane())];
  Turn& turn = *lane.order.front();
  ReadyLink* const link = turn.keys.front();
  turn.keys.remove(*link);
  --lane.size;
  lane.order.remove(turn);
  if (turn.keys.empty()) {
    lane.turns.erase(link->key->namespace_);
  } else {
    lane.order.push_back(turn);
  }
  return link;
}

}  // namespace reprise::runtime::internal
