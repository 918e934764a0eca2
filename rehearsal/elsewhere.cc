#include "rehearsal/elsewhere.h"

#include <algorithm>
#include <array>
#include <set>

#include "agent/formats/checkpoint_name.h"

namespace reprise::rehearsal {
namespace {

namespace fs = std::filesystem;

constexpr int kLevels = 3, kMostEntries = 20'000;
constexpr std::array<std::string_view, 5> kWeights{".pt", ".pth", ".ckpt", ".safetensors", ".distcp"};

bool looks_like_one(const fs::directory_entry& entry) {
  std::error_code ignored;
  const std::string name = entry.path().filename().string();
  if (entry.is_directory(ignored)) return agent::names_checkpoint(name) && agent::step_of(name);
  return std::ranges::find(kWeights, entry.path().extension().string()) != kWeights.end();
}

void look_below(const fs::path& directory, const fs::path& except, fs::file_time_type since,
                std::set<std::string>& found) {
  std::error_code problem;
  fs::recursive_directory_iterator at(directory, fs::directory_options::skip_permission_denied, problem);
  for (int seen = 0; !problem && at != fs::recursive_directory_iterator() && seen < kMostEntries;
       at.increment(problem), ++seen) {
    std::error_code ignored;
    if (at->path() == except || at.depth() >= kLevels) at.disable_recursion_pending();
    if (at->path() == except || !looks_like_one(*at) || at->last_write_time(ignored) < since || ignored) continue;
    found.insert(at->path().lexically_normal().string());
    at.disable_recursion_pending();
  }
}

// Nothing: it does not look wrong.
std::string wrong_with(const fs::directory_entry& entry) {
  std::error_code problem;
  const std::string name = entry.path().filename().string();
  if (!entry.is_directory(problem)) return name + " is a file";
  for (fs::directory_iterator below(entry.path(), problem); !problem && below != fs::directory_iterator();
       below.increment(problem)) {
    const std::string inner = below->path().filename().string();
    std::error_code ignored;
    if (below->is_directory(ignored) && agent::names_checkpoint(inner))
      return name + "/" + inner + " is not at the top";
  }
  if (!agent::step_of(name)) return name + " has no step in its name";
  return agent::names_checkpoint(name) ? "" : name + " has no marker and no usual word in its name";
}

}  // namespace

std::vector<std::string> not_laid_out(const fs::path& volume) {
  constexpr std::size_t kMost = 3;
  std::set<std::string> found;
  std::error_code problem;
  for (fs::directory_iterator entry(volume, problem); !problem && entry != fs::directory_iterator();
       entry.increment(problem)) {
    if (entry->path().filename().string().starts_with('.')) continue;
    if (std::string wrong = wrong_with(*entry); !wrong.empty()) found.insert(std::move(wrong));
  }
  std::vector<std::string> first(found.begin(), found.end());
  first.resize(std::min(first.size(), kMost));
  return first;
}

std::vector<std::string> checkpoints_elsewhere(const std::vector<fs::path>& directories, const fs::path& except,
                                               fs::file_time_type since) {
  std::set<std::string> found;
  for (const fs::path& each : directories)
    if (!each.empty()) look_below(each, except, since, found);
  return {found.begin(), found.end()};
}

}  // namespace reprise::rehearsal
