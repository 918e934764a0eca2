#include "agent/core/stop/telling/told_together.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "agent/core/run/session.h"

namespace reprise::agent {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLongestGathering{3'000};
// Each look is a request to the storage, by each rank.
constexpr milliseconds kGatheringPace{10};
constexpr std::int32_t kRanksAtThatPace = 16;

milliseconds gathering_pace(std::int32_t ranks) {
  return kGatheringPace * std::max(1, ranks / kRanksAtThatPace);
}

std::optional<std::int32_t> rank_in_name(std::string_view name, std::string_view ending) {
  if (!name.ends_with(ending)) return std::nullopt;
  name.remove_suffix(ending.size());
  std::int32_t rank = 0;
  const auto [end, problem] = std::from_chars(name.data(), name.data() + name.size(), rank);
  if (problem != std::errc{} || end != name.data() + name.size()) return std::nullopt;
  return rank;
}

}  // namespace

std::vector<std::int32_t> not_told_yet(const std::vector<std::string>& names) {
  std::set<std::int32_t> begun, done;
  for (const std::string& name : names) {
    if (const auto rank = rank_in_name(name, ".alive")) begun.insert(*rank);
    if (const auto rank = rank_in_name(name, ".told")) done.insert(*rank);
    if (const auto rank = rank_in_name(name, ".json")) done.insert(*rank);
  }
  std::vector<std::int32_t> left;
  std::ranges::set_difference(begun, done, std::back_inserter(left));
  return left;
}

milliseconds longest_gathering(milliseconds grace) {
  return std::min(grace / 10, kLongestGathering);
}

void take_back_told(const Session& session) {
  if (!session.env.is_gang()) return;
  const auto& volume = *session.volume;
  static_cast<void>(volume.files.remove(volume.layout.told(session.self.attempt, session.self.index)));
}

std::unique_ptr<ToldTogether> ToldTogether::begin(Session& session) {
  if (!session.env.is_gang()) return nullptr;
  const auto state = std::make_shared<State>();
  std::unique_ptr<ToldTogether> gathering(
      new ToldTogether(state, session.clock.steady() + longest_gathering(session.env.grace)));
  const auto look = [state, volume = session.volume, self = session.self, signals = session.signals, said = false,
                     may_write = session.heartbeat]() mutable {
    if (state->all || state->over || !may_write->may_write()) return;
    const auto file = volume->layout.told(self.attempt, self.index);
    if (!said) said = volume->files.write(file, "", Sync::No).has_value();
    const auto names = volume->files.list(volume->layout.attempt(self.attempt));
    if (!names) return;
    auto missing = not_told_yet(*names);
    std::erase(missing, self.index);
    state->all = missing.empty();
    const std::lock_guard lock(state->mutex);
    state->missing = std::move(missing);
    if (state->all) signals->wake();
  };
  try {
    gathering->worker_ = session.host.threads().repeat(gathering_pace(session.env.parallelism), look);
  } catch (const std::system_error&) {
    return nullptr;
  }
  return gathering;
}

std::string ToldTogether::describe() const {
  const std::lock_guard lock(state_->mutex);
  if (state_->missing.empty()) return {};
  std::string ranks;
  for (const std::int32_t rank : state_->missing) ranks += (ranks.empty() ? "" : ", ") + std::to_string(rank);
  return "ranks of this gang were not told to stop in time, and the others do not wait for them: " + ranks;
}

}  // namespace reprise::agent
