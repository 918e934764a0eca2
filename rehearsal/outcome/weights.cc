#include "rehearsal/outcome/weights.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <system_error>

#include "rehearsal/pods/variables.h"
#include "rehearsal/processes/container_process.h"
#include "rehearsal/trainers/output_reader.h"
#include "rehearsal/trainers/volume_watch.h"

namespace reprise::rehearsal {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMost = 3;

std::optional<SeenCheckpoint> newest(const fs::path& volume, const std::string& format) {
  const auto all = VolumeWatch(volume, format).look();
  if (all.empty()) return std::nullopt;
  return *std::ranges::max_element(all, {}, &SeenCheckpoint::step);
}

// The files of a checkpoint; a checkpoint that is a single file has that one.
std::map<std::string, fs::path> files_in(const fs::path& directory) {
  std::map<std::string, fs::path> files;
  std::error_code problem;
  if (fs::is_regular_file(directory, problem)) files.emplace(directory.filename().string(), directory);
  for (fs::recursive_directory_iterator at(directory, problem); !problem && at != fs::recursive_directory_iterator();
       at.increment(problem))
    if (!at->is_directory(problem)) files.emplace(fs::relative(at->path(), directory, problem).string(), at->path());
  return files;
}

bool equal(const fs::path& one, const fs::path& other) {
  std::ifstream left(one, std::ios::binary), right(other, std::ios::binary);
  if (!left || !right) return false;
  std::array<char, 65536> from{}, with{};
  for (;;) {
    left.read(from.data(), from.size());
    right.read(with.data(), with.size());
    if (left.bad() || right.bad() || left.gcount() != right.gcount()) return false;
    if (!std::equal(from.begin(), from.begin() + left.gcount(), with.begin())) return false;
    if (left.eof()) return right.eof();
  }
}

std::vector<std::string> compare_files(const fs::path& one, const fs::path& other) {
  const auto left = files_in(one), right = files_in(other);
  std::vector<std::string> different;
  for (const auto& [name, path] : left) {
    const auto match = right.find(name);
    if (match == right.end())
      different.push_back(name + " is there with interruptions alone");
    else if (!equal(path, match->second))
      different.push_back(name + " differs");
  }
  for (const auto& [name, path] : right)
    if (!left.contains(name)) different.push_back(name + " is there without interruptions alone");
  if (different.size() <= kMost) return different;
  const std::string more = fmt::format("and {} more", different.size() - kMost);
  different.resize(kMost);
  different.push_back(more);
  return different;
}

std::vector<std::string> run_comparison(const std::string& command, const fs::path& one, const fs::path& other,
                                        const fs::path& output) {
  std::error_code ignored;
  const fs::path here = fs::current_path(ignored);
  auto process = ContainerProcess::start({.words = {"/bin/sh", "-c", command + " \"$@\"", "sh", one, other},
                                          .environment = own_environment(),
                                          .directory = here,
                                          .output = output},
                                         Isolation{});
  if (!process) return {"the command that compares could not be started: " + process.error().message};
  pollfd ended{.fd = process->descriptor(), .events = POLLIN, .revents = 0};
  std::optional<ContainerEnd> end;
  while (!(end = process->ended())) ::poll(&ended, 1, 1'000);
  if (end->exit_code == 0) return {};
  const std::string words = last_output(ends_of_file(output), kMost);
  return {fmt::format("the command that compares ended with {}{}", end->exit_code, words.empty() ? "" : ": " + words)};
}

}  // namespace

std::vector<std::string> compare_weights(const ComparedVolume& volumes, const std::string& command,
                                         const fs::path& output) {
  const auto one = newest(volumes.one, volumes.format), other = newest(volumes.other, volumes.format);
  if (!one || !other) return {"there is no complete checkpoint to compare"};
  if (one->step != other->step)
    return {fmt::format("the last checkpoint is of step {} with interruptions, and of step {} without", one->step,
                        other->step)};
  const fs::path left = volumes.one / one->name, right = volumes.other / other->name;
  return command.empty() ? compare_files(left, right) : run_comparison(command, left, right, output);
}

}  // namespace reprise::rehearsal
