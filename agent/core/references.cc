#include "agent/core/references.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "agent/core/generations/surroundings.h"
#include "agent/core/put_aside_before.h"
#include "agent/formats/checkpoint_name.h"
#include "agent/formats/names/name_words.h"
#include "agent/formats/tracker_file.h"

namespace reprise::agent {
namespace {

namespace fs = std::filesystem;
using runtime::Result;
using Names = std::set<std::string>;

constexpr std::array<std::string_view, 13> kTrackers{"latest",
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
                                                     "checkpoint",
                                                     kMegatronTracker};
constexpr std::size_t kLongestText = 4'096;

std::string below(std::string_view folder, std::string_view name) {
  return folder.empty() ? std::string(name) : std::string(folder) + "/" + std::string(name);
}

// "latest", "last-run": what is meant to lead to the newest.
bool says_newest(std::string_view name) {
  return std::ranges::any_of(parts_of_name(last_part(name)), [](const NamePart& part) {
    return part.text == "last" || part.text == "latest" || part.text == "newest";
  });
}

// Below the root; nothing: it leads out of the volume.
std::optional<std::string> path_below(const fs::path& root, const fs::path& path) {
  std::string relative = path.lexically_normal().lexically_relative(root.lexically_normal()).string();
  if (relative.ends_with('/')) relative.pop_back();
  const bool is_out = relative.empty() || relative == "." || relative == ".." || relative.starts_with("../");
  return is_out ? std::nullopt : std::optional(std::move(relative));
}

// What a tracker may mean, as paths below the root: its text may begin at the tracker, at the root of the volume or at
// that of the file system.
std::vector<std::string> paths_meant_by(const fs::path& root, const References::Tracker& tracker) {
  std::vector<std::string> paths;
  for (const std::string& each : checkpoints_named(last_part(tracker.path), text_of_tracker(tracker.text))) {
    const fs::path said(each);
    for (const fs::path& from : {root / fs::path(tracker.path).parent_path(), root})
      if (auto path = path_below(root, from / said); path && std::ranges::find(paths, *path) == paths.end())
        paths.push_back(*std::move(path));
  }
  return paths;
}

Names folders_with_trackers(const Checkpoints& found, const PutAsideBefore& before) {
  Names folders{""};
  for (const Checkpoint& each : found) folders.emplace(directory_of(each.name));
  for (const std::string& each : before.paths()) folders.emplace(directory_of(each));
  return folders;
}

struct Unfit {
  std::string name;  // of the checkpoint, or of what leads to it
  std::string why;
};
constexpr const char* kStays = "which does not count";  // and is where it was

class Mending {
 public:
  Mending(const Volume& volume, const Aside& aside, const PutAsideBefore& before)
      : volume_(volume), aside_(aside), before_(before) {
    for (const std::string& name : aside.names) gone_.emplace(name, is_there(name) ? kStays : "which was put aside");
  }

  // Of the whole volume where anything was put aside since the last restore that came to its end, else beside
  // checkpoints.
  void mend_links() {
    const bool any = !aside_.names.empty() || before_.was_cut_off();
    const auto around = any ? look_around(volume_, aside_.found) : look_beside();
    if (!around) return say("links were not looked at: " + around.error().message);
    for (bool changed = true; std::exchange(changed, false);)
      for (const std::string& link : around->links)
        if (!gone_.contains(link) && !is_of_others(*around, link)) changed = mend_link(link) || changed;
  }

  void mend_tracker(const References::Tracker& tracker) {
    const std::string_view folder = directory_of(tracker.path), file = last_part(tracker.path);
    const std::string_view said = text_of_tracker(tracker.text);
    const bool says_nothing = said.empty() || !can_be_meant(file, said);
    const auto named = says_nothing ? std::nullopt : unfit(tracker);
    if (!says_nothing && !named) return;
    if (says_nothing && file != kMegatronTracker && (!counts_in(folder) || file == "checkpoint")) return;
    const std::string what = tracker.path + (named          ? " named " + named->name + ", " + named->why + ", and "
                                             : said.empty() ? " was empty, and "
                                                            : " named no iteration, and ");
    const auto now = volume_.files.read(volume_.layout.root / tracker.path);
    if (now && !*now) return say(what + "is gone");
    if (now && text_of_tracker(**now) != said)
      return say(what + "names " + std::string(text_of_tracker(**now)) + " now");
    const Checkpoint* whole = newest_in(named ? directory_of(named->name) : folder, file);
    const auto written = now ? write(tracker, said, named, whole) : std::unexpected(now.error());
    say(what + (!written           ? "could not be put right: " + written.error().message
                : whole == nullptr ? "is gone"
                                   : "names " + whole->name + " now"));
  }

  std::vector<std::string> lines;

 private:
  void say(std::string line) { lines.push_back(std::move(line)); }

  // What cannot be looked at is.
  [[nodiscard]] bool is_there(const std::string& path) const {
    const auto info = volume_.files.look(volume_.layout.root / path, Links::Stay);
    return !info || info->has_value();
  }

  [[nodiscard]] Result<Surroundings> look_beside() const {
    Surroundings around;
    for (const std::string& folder : folders_with_trackers(aside_.found, before_)) {
      const auto entries = volume_.files.list_entries(volume_.layout.root / folder);
      if (!entries) return std::unexpected(entries.error());
      for (const DirectoryEntry& entry : *entries)
        if (entry.kind == FileInfo::Kind::Other) around.links.push_back(below(folder, entry.name));
    }
    return around;
  }

  static bool is_of_others(const Surroundings& around, std::string_view path) {
    for (; !path.empty(); path = directory_of(path))
      if (around.of_others.contains(path)) return true;
    return false;
  }

  // The newest complete one there that a tracker file of that name can name; of a link: any.
  [[nodiscard]] const Checkpoint* newest_in(std::string_view folder, std::string_view tracker = {}) const {
    const auto found = std::ranges::find_if(aside_.left, [&](const Checkpoint& each) {
      return each.complete && directory_of(each.name) == folder &&
             can_name({.file = tracker, .checkpoint = {}}, last_part(each.name));
    });
    return found == aside_.left.end() ? nullptr : &*found;
  }

  // Whether checkpoints lie or lay there: an empty `latest` elsewhere may mean anything.
  [[nodiscard]] bool counts_in(std::string_view folder) const {
    const auto lies_there = [&](const auto& name) { return directory_of(name) == folder; };
    return std::ranges::any_of(gone_, lies_there, [](const auto& each) -> const std::string& { return each.first; }) ||
           std::ranges::any_of(aside_.left, lies_there, &Checkpoint::name);
  }

  // The one that counts no more to which a path below the root leads, or into which.
  [[nodiscard]] std::optional<Unfit> unfit_at(const std::string& path) const {
    for (std::string_view at = path; !at.empty(); at = directory_of(at)) {
      const std::string name(at);
      if (const auto gone = gone_.find(name); gone != gone_.end()) return Unfit{name, gone->second};
      if (before_.holds(name) && !is_there(name)) return Unfit{name, "which was put aside before"};
    }
    if (const auto was = before_.was(path)) return Unfit{*was, "which was put aside before"};
    return std::nullopt;
  }

  [[nodiscard]] std::optional<Unfit> unfit(const References::Tracker& tracker) const {
    const auto paths = paths_meant_by(volume_.layout.root, tracker);
    std::optional<Unfit> found;
    for (const std::string& path : paths) {
      const auto one = unfit_at(path);
      if (!one && is_there(path)) return std::nullopt;
      if (!found) found = one;
    }
    if (found || paths.empty() || !names_checkpoint(paths.front())) return found;
    // A script may put the directory in front that its file does not name.
    const auto ends_so = [&](const std::string& name) { return name.ends_with("/" + paths.front()); };
    for (const auto& [name, why] : gone_)
      if (ends_so(name)) return Unfit{name, why};
    if (std::ranges::any_of(aside_.found, ends_so, &Checkpoint::name)) return std::nullopt;
    const Checkpoint* beside = newest_in(directory_of(paths.front()), last_part(tracker.path));
    const bool is_alike = beside != nullptr && naming_of(beside->name) == naming_of(paths.front());
    const bool tells = is_alike || last_part(tracker.path) == kMegatronTracker;
    return tells ? std::optional(Unfit{paths.front(), "which is not there"}) : std::nullopt;
  }

  Result<void> write(const References::Tracker& tracker, std::string_view said, const std::optional<Unfit>& named,
                     const Checkpoint* whole) {
    const fs::path path = volume_.layout.root / tracker.path;
    if (whole == nullptr) return volume_.files.remove(path);
    const std::string_view file = last_part(tracker.path), name = last_part(whole->name);
    if (!named || file == kMegatronTracker)
      return write_tracker(volume_.files, path.parent_path(), {.file = file, .checkpoint = std::string(name)});
    std::string text(said);
    const std::string_view old = last_part(named->name);
    const std::size_t at = text.rfind(old);
    if (at == std::string::npos) return volume_.files.remove(path);
    return volume_.files.write(path, text.replace(at, old.size(), name), Sync::Yes);
  }

  // One that leads nowhere matters where it is meant to lead to the newest, and where that lies.
  [[nodiscard]] std::optional<Unfit> unfit_end(const std::string& link, const std::string& target) const {
    if (auto one = unfit_at(target)) {
      // Whoever uses a part of it by another name goes on to find it.
      const bool is_used = one->why == kStays && (one->name != target || !says_newest(link));
      return is_used ? std::nullopt : one;
    }
    const auto end = volume_.files.look(volume_.layout.root / link, Links::Follow);
    if (!end || *end || !says_newest(link)) return std::nullopt;
    const bool is_loop = is_there(target) && newest_in(directory_of(link)) != nullptr;
    if (is_there(target) && !is_loop) return std::nullopt;
    const bool tells = names_checkpoint(target) || newest_in(directory_of(target)) != nullptr;
    if (is_loop) return Unfit{target, "which leads nowhere"};
    return tells ? std::optional(Unfit{target, "which is not there"}) : std::nullopt;
  }

  // Whether it was changed.
  bool mend_link(const std::string& link) {
    const fs::path root = volume_.layout.root, path = root / link;
    const auto text = volume_.files.link_text(path);
    if (!text || !*text) return false;
    const fs::path leads_to = path.parent_path() / **text;
    const auto target = path_below(root, leads_to);
    const auto old = target ? unfit_end(link, *target) : std::nullopt;
    if (!old) return false;
    const std::string what = "link " + link + " led to " + old->name + ", " + old->why + ", and ";
    const Checkpoint* whole = newest_in(directory_of(old->name));
    const bool is_inside = target->size() > old->name.size() && target->starts_with(old->name + "/");
    if (whole != nullptr && !is_inside) {
      const fs::path to = root / whole->name;
      const fs::path said = fs::path(**text).is_absolute() ? to : to.lexically_relative(path.parent_path());
      if (volume_.files.relink(path, said)) {
        say(what + "leads to " + whole->name + " now");
        return true;
      }
    }
    const auto removed = volume_.files.remove(path);
    say(what + (removed ? "is gone" : "could not be removed: " + removed.error().message));
    return gone_.emplace(link, "which was put aside").second;
  }

  const Volume& volume_;
  const Aside& aside_;
  const PutAsideBefore& before_;
  std::map<std::string, std::string> gone_;  // and why nothing is to lead there
};

}  // namespace

Result<References> read_references(const Volume& volume, const Checkpoints& found) {
  const auto before = read_put_aside_before(volume);
  if (!before) return std::unexpected(before.error());
  References references;
  for (const std::string& folder : folders_with_trackers(found, *before)) {
    const auto names = volume.files.list(volume.layout.root / folder);
    if (!names && names.error().error_class == runtime::ErrorClass::Invalid) continue;
    if (!names) return std::unexpected(names.error());
    const bool of_others = !folder.empty() && std::ranges::binary_search(*names, VolumeLayout::kOwn);
    if (of_others) continue;
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
  const Names asked(names.begin(), names.end());
  Names named;
  for (const References::Tracker& tracker : references.trackers)
    for (const std::string& path : paths_meant_by(volume.layout.root, tracker))
      for (std::string_view at = path; !at.empty(); at = directory_of(at))
        if (asked.contains(std::string(at))) named.emplace(at);
  return named;
}

std::vector<std::string> mend_references(const Volume& volume, const References& references, const Aside& aside) {
  const auto before = read_put_aside_before(volume);
  if (!before) return {"what names the newest checkpoint was not looked at: " + before.error().message};
  Mending mending(volume, aside, *before);
  for (const References::Tracker& each : references.trackers) mending.mend_tracker(each);
  if (volume.files.may_have_links()) mending.mend_links();
  return std::move(mending.lines);
}

}  // namespace reprise::agent
