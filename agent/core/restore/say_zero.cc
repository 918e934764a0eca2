#include "agent/core/restore/say_zero.h"

#include <optional>
#include <vector>

#include "agent/formats/search/not_taken.h"

namespace reprise::agent {
namespace {

using runtime::Result;

// Files written since, by the volume's times, where those tell anything: data and a model to start from were there
// before.
Result<std::vector<std::string>> written_since(const Volume& volume, std::optional<runtime::WallTime> began) {
  std::vector<std::string> own;
  for (const std::string& path : volume.format->other_states()) {
    const auto info = volume.files.look(volume.layout.root / path, Links::Stay);
    if (!info && says_lost(info.error())) continue;
    if (!info) return std::unexpected(info.error());
    if (*info && (!began || (*info)->modified > *began)) own.push_back(path);
  }
  return own;
}

}  // namespace

Result<std::string> say_zero(const Volume& volume, HistoryOnce& once, bool is_said) {
  const auto history = once.get();
  if (!history) return std::unexpected(history.error());
  if (!history->has_trained) return std::string();
  const auto own = written_since(volume, history->began);
  if (!own) return std::unexpected(own.error());
  if (!own->empty()) return say_other_states(*own) + "; training starts from zero";
  if (is_said) return std::string();
  return std::string(
      "attempts of this job have trained, and no checkpoint is on the volume: training starts from zero");
}

}  // namespace reprise::agent
