#include "runtime/metrics/running_work.h"

#include <utility>

namespace reprise::runtime {

std::unique_ptr<RunningWork::Mark> RunningWork::begin(std::string what) {
  const std::lock_guard lock(table_->mutex);
  const std::uint64_t id = table_->next++;
  table_->begun.emplace(id, Begun{std::move(what), clock_.steady()});
  return std::make_unique<Mark>(table_, id);
}

RunningWork::Mark::~Mark() {
  const std::lock_guard lock(table_->mutex);
  table_->begun.erase(id_);
}

std::vector<RunningWork::Piece> RunningWork::oldest(std::size_t most) const {
  std::vector<Piece> pieces;
  const Instant now = clock_.steady();
  const std::lock_guard lock(table_->mutex);
  for (const auto& [id, begun] : table_->begun) {
    if (pieces.size() == most) break;
    pieces.push_back({begun.what, std::chrono::duration_cast<Duration>(now - begun.at)});
  }
  return pieces;
}

std::size_t RunningWork::count() const {
  const std::lock_guard lock(table_->mutex);
  return table_->begun.size();
}

Result<void> RunningWork::check() const {
  const auto first = oldest(1);
  if (first.empty() || first[0].age <= limit_) return {};
  const auto seconds = [](Duration time) { return std::to_string(time.count() / 1000) + " s"; };
  return fail(ErrorClass::Unavailable,
              first[0].what + " has been running for " + seconds(first[0].age) + ", at most " + seconds(limit_));
}

}  // namespace reprise::runtime
