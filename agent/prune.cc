#include "agent/prune.h"

#include <system_error>

namespace reprise::agent {
namespace {

runtime::Result<void> remove_tree(const std::filesystem::path& directory) {
  std::error_code problem;
  std::filesystem::remove_all(directory, problem);
  if (problem) return std::unexpected(system_error("remove " + directory.string(), problem.value()));
  return {};
}

}  // namespace

runtime::Result<void> prune(const Volume& volume, const std::vector<std::string>& names) {
  runtime::Result<void> outcome;
  for (const std::string& name : names) {
    const auto from = volume.layout.root / name;
    const auto to = volume.layout.trash() / name;
    auto removed = remove_tree(to);
    if (removed) {
      if (volume.files.move(from, to)) {
        removed = remove_tree(to);
      } else {
        removed = volume.format->invalidate(from);
        if (removed) removed = remove_tree(from);
      }
    }
    if (!removed && outcome) outcome = removed;
  }
  return outcome;
}

runtime::Result<void> drop_torn(const Volume& volume) {
  const auto names = volume.files.list(volume.layout.torn());
  if (!names) return std::unexpected(names.error());
  runtime::Result<void> outcome;
  for (const std::string& name : *names) {
    const auto directory = volume.layout.torn() / name;
    const auto completed = volume.format->completed(directory);
    if (!completed && outcome) outcome = std::unexpected(completed.error());
    if (!completed || *completed) continue;
    auto removed = remove_tree(directory);
    if (!removed && outcome) outcome = removed;
  }
  return outcome;
}

void empty_trash(const Volume& volume) {
  std::error_code ignored;  // it is tried again at the next start
  std::filesystem::remove_all(volume.layout.trash(), ignored);
}

}  // namespace reprise::agent
