#include "rehearsal/verdict/left_in_the_way.h"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace reprise::rehearsal {
namespace {

bool is_in_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
}

// "step_2" is not named by "step_20". A full stop may end a sentence.
bool names(std::string_view line, std::string_view name) {
  for (std::size_t at = line.find(name); at != std::string_view::npos; at = line.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at == 0 || !is_in_name(line[at - 1])) && (end == line.size() || !is_in_name(line[end]))) return true;
  }
  return false;
}

bool names(const RankFacts& rank, const CheckpointFacts& checkpoint) {
  const std::string_view path = checkpoint.name;
  const std::string_view name = path.substr(path.rfind('/') + 1);
  return !name.empty() &&
         std::ranges::any_of(rank.last_lines, [&](const std::string& line) { return names(line, name); });
}

}  // namespace

const CheckpointFacts* left_in_the_way(const JobFacts& job, std::size_t attempt, const RankFacts& rank) {
  if (!job.attempts[attempt].failed_by_itself(rank)) return nullptr;
  for (std::size_t earlier = 0; earlier < attempt; ++earlier)
    for (const CheckpointFacts& each : job.attempts[earlier].checkpoints)
      if (!each.complete && names(rank, each)) return &each;
  return nullptr;
}

}  // namespace reprise::rehearsal
