#include "rehearsal/outcome/elsewhere.h"

#include <algorithm>
#include <array>
#include <memory>
#include <set>

#include "agent/check/find_checkpoints.h"
#include "agent/formats/checkpoint_name.h"
#include "agent/formats/layouts/all_layouts.h"
#include "agent/volume/posix_files.h"

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

// Judges the entry by its name alone.
std::string wrong_with(const fs::directory_entry& entry) {
  std::error_code problem;
  const std::string name = entry.path().filename().string();
  if (!entry.is_directory(problem)) return name + " is a file";
  return agent::step_of(name) ? name + " has no marker" : name + " has no step in its name";
}

std::vector<std::string> entries_of(const fs::path& volume) {
  std::vector<std::string> found;
  std::error_code problem;
  for (fs::directory_iterator entry(volume, problem); !problem && entry != fs::directory_iterator();
       entry.increment(problem))
    if (!entry->path().filename().string().starts_with('.')) found.push_back(wrong_with(*entry));
  std::ranges::sort(found);
  return found;
}

std::vector<std::string> by_the_agent(const fs::path& volume, const std::string& format) {
  auto layouts = agent::layouts_named(format);
  if (!layouts) layouts = agent::layouts_named("Auto");
  const agent::PosixFiles files(std::make_shared<agent::VolumeCalls>(), volume);
  const auto checked = agent::find_checkpoints(files, *layouts, volume);
  std::vector<std::string> found;
  if (!checked) return found;
  for (const agent::CheckedCheckpoint& row : checked->rows)
    if (row.verdict != agent::Verdict::Complete) found.push_back(row.path + ": " + row.reason);
  if (!checked->not_taken.empty()) found.push_back(checked->not_taken);
  return found;
}

}  // namespace

std::vector<std::string> not_laid_out(const fs::path& volume, const std::string& format) {
  constexpr std::size_t kMost = 3;
  auto found = by_the_agent(volume, format);
  if (found.empty()) found = entries_of(volume);
  found.resize(std::min(found.size(), kMost));
  return found;
}

std::vector<std::string> checkpoints_elsewhere(const std::vector<fs::path>& directories, const fs::path& except,
                                               fs::file_time_type since) {
  std::set<std::string> found;
  for (const fs::path& each : directories)
    if (!each.empty()) look_below(each, except, since, found);
  return {found.begin(), found.end()};
}

}  // namespace reprise::rehearsal
