#include "agent/core/references.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <set>
#include <utility>

#include "agent/core/generations/surroundings.h"
#include "agent/formats/checkpoint_name.h"
#include "agent/formats/tracker_file.h"

namespace reprise::agent {
namespace {

namespace fs = std::filesystem;
using runtime::Result;
using Names = std::set<std::string>;

constexpr std::array<std::string_view, 12> kTrackers{"latest",
                                                     "LATEST",
                                                     "last",
                                                     "LAST",
                                                     "latest.txt",
                                                     "LATEST.txt",
                                                     "last.txt",
                                                     "LAST.txt",
                                                     "last_checkpoint",
                                                     "latest_checkpoint",
                                                     "latest_checkpoint.txt",
                                                     "latest_checkpointed_iteration.txt"};
constexpr std::size_t kLongestText = 4'096;

// A power loss may leave zeros in place of what was written.
std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace(" \t\r\n\0", 5);
  const std::size_t begin = text.find_first_not_of(kSpace);
  return begin == std::string_view::npos ? std::string_view()
                                         : text.substr(begin, text.find_last_not_of(kSpace) + 1 - begin);
}

Names folders_of(const Checkpoints& found) {
  Names folders{""};
  for (const Checkpoint& each : found) folders.emplace(directory_of(each.name));
  return folders;
}

std::string below(std::string_view folder, std::string_view name) {
  return folder.empty() ? std::string(name) : std::string(folder) + "/" + std::string(name);
}

class Mending {
 public:
  Mending(const Volume& volume, const Aside& aside)
      : volume_(volume), aside_(aside), gone_(aside.names.begin(), aside.names.end()) {}

  void mend_links() {
    const auto around = look_around(volume_, aside_.found);
    if (!around) return say("links were not looked at: " + around.error().message);
    for (bool changed = true; std::exchange(changed, false);)
      for (const std::string& link : around->links)
        if (!gone_.contains(link)) changed = mend_link(link) || changed;
  }

  void mend_tracker(const References::Tracker& tracker) {
    const std::string_view folder = directory_of(tracker.path);
    const std::string_view said = trimmed(tracker.text);
    const auto named = said.empty() ? std::optional<std::string>() : named_by(tracker.path, said);
    if (!said.empty() && !named) return;
    if (said.empty() && !counts_in(folder)) return;
    const std::string what =
        tracker.path + (named ? " named " + *named + ", which was put aside, and " : " was empty, and ");
    const auto now = volume_.files.read(volume_.layout.root / tracker.path);
    if (now && !*now) return say(what + "is gone");
    if (now && trimmed(**now) != said) return say(what + "names " + std::string(trimmed(**now)) + " now");
    const Checkpoint* whole = newest_in(named ? directory_of(*named) : folder);
    const auto written = now ? write(tracker, said, named, whole) : std::unexpected(now.error());
    say(what + (written
                    ? whole != nullptr && can_be_written(tracker, *whole) ? "names " + whole->name + " now" : "is gone"
                    : "could not be put right: " + written.error().message));
  }

  std::vector<std::string> lines;

  // Its text may begin at the tracker, at the root of the volume or at that of the file system.
  [[nodiscard]] std::optional<std::string> named_by(const std::string& tracker, std::string_view said) const {
    if (last_part(tracker) == "latest_checkpointed_iteration.txt") {
      const auto read = tracker_of(tracker, said);
      return gone_at(below(directory_of(tracker), read));
    }
    if (auto beside = gone_at(fs::path(below(directory_of(tracker), said)).lexically_normal().string())) return beside;
    if (auto below_root = gone_at(fs::path(said).lexically_normal().string())) return below_root;
    return gone_at(
        fs::path(said).lexically_normal().lexically_relative(volume_.layout.root.lexically_normal()).string());
  }

 private:
  void say(std::string line) { lines.push_back(std::move(line)); }

  [[nodiscard]] const Checkpoint* newest_in(std::string_view folder) const {
    const auto found = std::ranges::find_if(
        aside_.left, [&](const Checkpoint& each) { return each.complete && directory_of(each.name) == folder; });
    return found == aside_.left.end() ? nullptr : &*found;
  }

  // Whether checkpoints lie or lay there: an empty `latest` elsewhere may mean anything.
  [[nodiscard]] bool counts_in(std::string_view folder) const {
    const auto lies_there = [&](const std::string& name) { return directory_of(name) == folder; };
    return std::ranges::any_of(gone_, lies_there) || std::ranges::any_of(aside_.left, lies_there, &Checkpoint::name);
  }

  // The one that was put aside to which a path below the root leads, or into it.
  [[nodiscard]] std::optional<std::string> gone_at(std::string_view path) const {
    for (; !path.empty(); path = directory_of(path))
      if (gone_.contains(std::string(path))) return std::string(path);
    return std::nullopt;
  }

  static std::string tracker_of(const std::string& tracker, std::string_view said) {
    return checkpoint_named(last_part(tracker), said);
  }

  static bool can_be_written(const References::Tracker& tracker, const Checkpoint& whole) {
    return can_name({.file = last_part(tracker.path), .checkpoint = {}}, last_part(whole.name));
  }

  Result<void> write(const References::Tracker& tracker, std::string_view said, const std::optional<std::string>& named,
                     const Checkpoint* whole) {
    const fs::path path = volume_.layout.root / tracker.path;
    if (whole == nullptr || !can_be_written(tracker, *whole)) return volume_.files.remove(path);
    const std::string_view file = last_part(tracker.path), name = last_part(whole->name);
    if (!named || file == "latest_checkpointed_iteration.txt")
      return write_tracker(volume_.files, path.parent_path(), {.file = file, .checkpoint = std::string(name)});
    std::string text(said);
    const std::string_view old = last_part(*named);
    const std::size_t at = text.rfind(old);
    if (at == std::string::npos) return volume_.files.remove(path);
    return volume_.files.write(path, text.replace(at, old.size(), name), Sync::Yes);
  }

  // Whether it was changed.
  bool mend_link(const std::string& link) {
    const fs::path root = volume_.layout.root, path = root / link;
    const auto text = volume_.files.link_text(path);
    if (!text || !*text) return false;
    const fs::path leads_to = (path.parent_path() / **text).lexically_normal();
    const std::string target = leads_to.lexically_relative(root.lexically_normal()).string();
    const auto old = gone_at(target.ends_with('/') ? std::string_view(target).substr(0, target.size() - 1) : target);
    if (!old) return false;
    const std::string what = "link " + link + " led to " + *old + ", which was put aside, and ";
    const Checkpoint* whole = newest_in(directory_of(*old));
    const auto inside = leads_to.lexically_relative(root.lexically_normal() / *old);
    const bool is_itself = inside.empty() || inside == ".";
    if (whole != nullptr && is_itself) {
      const fs::path to = root / whole->name;
      const fs::path said = fs::path(**text).is_absolute() ? to : to.lexically_relative(path.parent_path());
      if (volume_.files.relink(path, said)) {
        say(what + "leads to " + whole->name + " now");
        gone_.erase(link);
        return true;
      }
    }
    const auto removed = volume_.files.remove(path);
    say(what + (removed ? "is gone" : "could not be removed: " + removed.error().message));
    return gone_.insert(link).second;
  }

  const Volume& volume_;
  const Aside& aside_;
  Names gone_;
};

}  // namespace

Result<References> read_references(const Volume& volume, const Checkpoints& found) {
  References references;
  for (const std::string& folder : folders_of(found)) {
    const auto names = volume.files.list(volume.layout.root / folder);
    if (!names) return std::unexpected(names.error());
    for (const std::string& name : *names) {
      if (std::ranges::find(kTrackers, name) == kTrackers.end()) continue;
      const fs::path path = volume.layout.root / below(folder, name);
      const auto info = volume.files.look(path, Links::Stay);
      if (!info) return std::unexpected(info.error());
      if (!*info || (*info)->kind != FileInfo::Kind::File || (*info)->size > kLongestText) continue;
      const auto text = volume.files.read(path);
      if (!text) return std::unexpected(text.error());
      if (*text) references.trackers.push_back({.path = below(folder, name), .text = **text});
    }
  }
  return references;
}

Names named_by_trackers(const Volume& volume, const References& references, const std::vector<std::string>& names) {
  const Aside aside{.names = names, .left = {}, .found = {}};
  const Mending mending(volume, aside);
  Names named;
  for (const References::Tracker& each : references.trackers)
    if (const auto one = mending.named_by(each.path, trimmed(each.text))) named.insert(*one);
  return named;
}

std::vector<std::string> mend_references(const Volume& volume, const References& before, const Aside& aside) {
  Mending mending(volume, aside);
  for (const References::Tracker& each : before.trackers) mending.mend_tracker(each);
  if (!aside.names.empty() && volume.files.may_have_links()) mending.mend_links();
  return std::move(mending.lines);
}

}  // namespace reprise::agent
