#include "agent/formats/recognise/weights_alone.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "agent/formats/checkpoint_name.h"
#include "agent/formats/layouts/plain/plain.h"
#include "agent/formats/name_numbers.h"

namespace reprise::agent {
namespace {

using Series = std::tuple<std::string, std::string, std::string>;

bool is_whole_file(const FoundCheckpoint& each) {
  return each.itself.kind == FileInfo::Kind::File && !each.judgement.flaw;
}

// Lightning names its files by metrics, one callback unlike another one.
Series series_of(const FoundCheckpoint& each) {
  const bool is_told_by_name = each.format == PlainLayout(PlainLayout::Takes::Files).name();
  return {std::string(each.format), std::string(directory_of(each.path)),
          is_told_by_name ? naming_of(last_part(each.path)) : std::string()};
}

// Counts the files of which a save consists in that directory: an optimizer may have one of its own.
class Saves {
 public:
  explicit Saves(const std::vector<FoundCheckpoint>& found) {
    for (const FoundCheckpoint& each : found)
      if (is_whole_file(each)) ++files_[of(each)];
  }
  [[nodiscard]] bool has_one_file(const FoundCheckpoint& each) const { return files_.at(of(each)) == 1; }

 private:
  using Save = std::pair<std::string, std::int64_t>;
  static Save of(const FoundCheckpoint& each) {
    return {std::string(directory_of(each.path)), read_save_name(each.path).likely.value_or(each.step)};
  }
  std::map<Save, int> files_;
};

}  // namespace

std::vector<FoundCheckpoint> without_weights_alone(std::vector<FoundCheckpoint> found, NotTaken& left) {
  if (std::ranges::none_of(found, [](const auto& each) { return each.judgement.holds_no_optimizer; })) return found;
  std::set<Series> with_optimizer;
  for (const FoundCheckpoint& each : found)
    if (is_whole_file(each) && !each.judgement.holds_no_optimizer) with_optimizer.insert(series_of(each));
  const Saves saves(found);
  std::erase_if(found, [&](const FoundCheckpoint& each) {
    if (!is_whole_file(each) || !each.judgement.holds_no_optimizer || !with_optimizer.contains(series_of(each)))
      return false;
    const bool is_told_by_name = !std::get<2>(series_of(each)).empty();
    const bool is_weights = !is_told_by_name || saves.has_one_file(each);
    if (is_weights) left.weights.add(each.path);
    return is_weights;
  });
  return found;
}

}  // namespace reprise::agent
