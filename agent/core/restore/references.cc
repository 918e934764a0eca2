#include "agent/core/restore/references.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <utility>

#include "agent/core/aside/put_aside_before.h"
#include "agent/core/generations/surroundings.h"
#include "agent/core/trackers/link_end.h"
#include "agent/core/trackers/tracker_text.h"
#include "agent/formats/checkpoint_name.h"
#include "agent/formats/names/name_words.h"
#include "agent/formats/names/tracker_name.h"
#include "agent/formats/recognise/tracker_file.h"
#include "agent/formats/verify/said_values.h"

namespace reprise::agent {
namespace {

namespace fs = std::filesystem;
using runtime::Result;
using Names = std::set<std::string>;

std::string below(std::string_view folder, std::string_view name) {
  return folder.empty() ? std::string(name) : std::string(folder) + "/" + std::string(name);
}

// "latest", "last-run": what is meant to lead to the newest.
bool says_newest(std::string_view name) {
  return std::ranges::any_of(parts_of_name(last_part(name)), [](const NamePart& part) {
    return part.text == "last" || part.text == "latest" || part.text == "newest";
  });
}

// The paths below the root that a library's tracker may mean by its text.
std::vector<std::string> paths_meant_by(const fs::path& root, const References::Tracker& tracker) {
  std::vector<std::string> paths;
  for (const std::string& each : checkpoints_named(last_part(tracker.path), text_of_tracker(tracker.text)))
    for (std::string& path : paths_meant(root, directory_of(tracker.path), each))
      if (std::ranges::find(paths, path) == paths.end()) paths.push_back(std::move(path));
  return paths;
}

class Mending {
 public:
  Mending(const Volume& volume, const Aside& aside, const PutAsideBefore& before)
      : volume_(volume), aside_(aside), before_(before), unfit_(volume, aside, before) {}

  // Mends links of the whole volume where anything was put aside since the last restore that came to its end, else
  // beside checkpoints.
  void mend_links() {
    const bool any = !aside_.names.empty() || before_.was_cut_off();
    const auto around = any ? look_around(volume_, aside_.found) : look_beside();
    if (!around) return say("links were not looked at: " + around.error().message);
    for (bool changed = true; std::exchange(changed, false);)
      for (const std::string& link : around->links)
        if (!unfit_.holds(link) && !is_of_others(*around, link)) changed = mend_link(link) || changed;
  }

  void mend_tracker(const References::Tracker& tracker) {
    if (!is_known_tracker(last_part(tracker.path)) || !mend_known(tracker)) mend_other(tracker);
  }

  std::vector<std::string> lines;

 private:
  void say(std::string line) { lines.push_back(std::move(line)); }

  // Mends a tracker whose text is a name alone, or the library's own. True if there was anything to mend.
  bool mend_known(const References::Tracker& tracker) {
    const std::string_view folder = directory_of(tracker.path), file = last_part(tracker.path);
    const std::string_view said = text_of_tracker(tracker.text);
    const bool says_nothing = said.empty() || !can_be_meant(file, said);
    const auto named = says_nothing ? std::nullopt : unfit(tracker);
    if (!says_nothing && !named) return false;
    if (says_nothing && file != kMegatronTracker && (!unfit_.counts_in(folder) || file == "checkpoint")) return true;
    const std::string what = tracker.path + (named          ? " named " + named->name + ", " + named->why + ", and "
                                             : said.empty() ? " was empty, and "
                                                            : " named no iteration, and ");
    const auto now = volume_.files.read(volume_.layout.root / tracker.path);
    if (now && (!*now || text_of_tracker(**now) != said)) {
      say(what + (*now ? "names " + std::string(text_of_tracker(**now)) + " now" : "is gone"));
      return true;
    }
    const Checkpoint* whole = unfit_.newest_in(named ? directory_of(named->name) : folder, file,
                                               named ? std::string_view(named->name) : std::string_view());
    const auto written = now ? write(tracker, said, named, whole) : std::unexpected(now.error());
    say(what + (!written           ? "could not be put right: " + written.error().message
                : whole == nullptr ? "is gone"
                                   : "names " + whole->name + " now"));
    return true;
  }

  // Any small file, by what stands in it.
  void mend_other(const References::Tracker& tracker) {
    const fs::path path = volume_.layout.root / tracker.path;
    const std::string_view file = last_part(tracker.path), said = text_of_tracker(tracker.text);
    const bool may_be_torn = is_called_newest(file) && unfit_.counts_in(directory_of(tracker.path));
    if (may_be_torn && is_cut_off_text(said)) {
      const auto removed = volume_.files.remove(path);
      return say(tracker.path + (said.empty() ? " was empty, and " : " was cut off, and ") +
                 (removed ? "is gone" : "could not be removed: " + removed.error().message));
    }
    const auto found = with_whole_named(unfit_, tracker);
    if (!found) return;
    const std::string what = tracker.path + " named " + found->named.name + ", " + found->named.why + ", and ";
    const auto now = volume_.files.read(path);
    if (now && (!*now || **now != tracker.text)) return say(what + (*now ? "was written anew" : "is gone"));
    const Result<void> changed = !now                      ? std::unexpected(now.error())
                                 : found->whole != nullptr ? volume_.files.write(path, found->text, Sync::Yes)
                                                           : take_away(tracker, found->says_more);
    say(what + (!changed                  ? "could not be put right: " + changed.error().message
                : found->whole != nullptr ? "names " + found->whole->name + " now"
                : found->says_more        ? "was moved to .reprise/quarantine"
                                          : "is gone"));
  }

  // True for JSON whose end is missing.
  static bool is_cut_off_text(std::string_view said) {
    if (said.empty()) return true;
    const char end = said.front() == '{' ? '}' : said.front() == '[' ? ']' : '\0';
    return end != '\0' && said.back() != end && !said_values(said);
  }

  // A person may look for what else stands in it.
  [[nodiscard]] Result<void> take_away(const References::Tracker& tracker, bool says_more) const {
    const fs::path path = volume_.layout.root / tracker.path;
    if (!says_more) return volume_.files.remove(path);
    const std::string name = VolumeLayout::aside(tracker.path) + "." + std::to_string(aside_.attempt);
    return volume_.files.move(path, volume_.layout.quarantine() / name);
  }

  [[nodiscard]] Result<Surroundings> look_beside() const {
    Surroundings around;
    for (const std::string& folder : folders_of(aside_.found, before_)) {
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

  [[nodiscard]] std::optional<Unfit> unfit(const References::Tracker& tracker) const {
    const auto paths = paths_meant_by(volume_.layout.root, tracker);
    std::optional<Unfit> found;
    for (const std::string& path : paths) {
      const auto one = unfit_.at(path);
      if (!one && unfit_.is_there(path)) return std::nullopt;
      if (!found) found = one;
    }
    if (found || paths.empty() || !names_checkpoint(paths.front())) return found;
    // A script may put the directory in front that its file does not name.
    const auto ends_so = [&](const std::string& name) { return name.ends_with("/" + paths.front()); };
    for (const auto& [name, why] : unfit_.all())
      if (ends_so(name)) return Unfit{name, why};
    if (std::ranges::any_of(aside_.found, ends_so, &Checkpoint::name)) return std::nullopt;
    const Checkpoint* beside = unfit_.newest_in(directory_of(paths.front()), last_part(tracker.path), paths.front());
    const bool is_alike = beside != nullptr && naming_of(beside->name) == naming_of(paths.front());
    const bool tells = is_alike || last_part(tracker.path) == kMegatronTracker;
    return tells ? std::optional(Unfit{paths.front(), kUnfitGone}) : std::nullopt;
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

  // A link that leads nowhere matters where it is meant to lead to the newest, and where that lies.
  [[nodiscard]] std::optional<Unfit> unfit_end(const std::string& link, const std::string& target) const {
    if (auto one = unfit_.at(target)) {
      // A program that uses a part of it by another name goes on to find it.
      const bool is_used = one->why == kUnfitStays && (one->name != target || !says_newest(link));
      return is_used ? std::nullopt : one;
    }
    const auto end = volume_.files.look(volume_.layout.root / link, Links::Follow);
    if (!end || *end || !says_newest(link)) return std::nullopt;
    const bool is_loop = unfit_.is_there(target) && unfit_.newest_in(directory_of(link)) != nullptr;
    if (unfit_.is_there(target) && !is_loop) return std::nullopt;
    const bool tells = names_checkpoint(target) || unfit_.newest_in(directory_of(target)) != nullptr;
    if (is_loop) return Unfit{target, "which leads nowhere"};
    return tells ? std::optional(Unfit{target, kUnfitGone}) : std::nullopt;
  }

  // "step_20/../step_10", where step_20 is gone: what it is to lead to is there.
  bool lead_straight(const std::string& link, const fs::path& text, const std::string& target,
                     const std::vector<std::string>& through) {
    const auto gone = std::ranges::find_if_not(through, [&](const auto& each) { return unfit_.is_there(each); });
    if (gone == through.end() || !unfit_.is_there(target)) return false;
    const fs::path path = volume_.layout.root / link, to = volume_.layout.root / target;
    const auto done = volume_.files.relink(path, text.is_absolute() ? to : to.lexically_relative(path.parent_path()));
    say("link " + link + " led through " + *gone + ", which is not there, and " +
        (done ? "leads to " + target + " now" : "could not be put right: " + done.error().message));
    return done.has_value();
  }

  // True if the link was changed.
  bool mend_link(const std::string& link) {
    const fs::path root = volume_.layout.root, path = root / link;
    const auto text = volume_.files.link_text(path);
    if (!text || !*text) return false;
    const auto [target, through] = end_of_link(volume_, link, **text);
    const auto old = target ? unfit_end(link, *target) : std::nullopt;
    if (!old) return target && lead_straight(link, **text, *target, through);
    const std::string what = "link " + link + " led to " + old->name + ", " + old->why + ", and ";
    const Checkpoint* whole = unfit_.newest_in(directory_of(old->name), {}, old->name);
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
    if (unfit_.holds(link)) return false;
    unfit_.add(link);
    return true;
  }

  const Volume& volume_;
  const Aside& aside_;
  const PutAsideBefore& before_;
  UnfitCheckpoints unfit_;
};

}  // namespace

Names named_by_trackers(const Volume& volume, const References& references, const std::vector<std::string>& names) {
  const Names asked(names.begin(), names.end());
  Names named;
  for (const References::Tracker& tracker : references.trackers) {
    named.merge(named_alone(volume.layout.root, tracker, asked));
    if (!is_known_tracker(last_part(tracker.path))) continue;
    for (const std::string& path : paths_meant_by(volume.layout.root, tracker))
      for (std::string_view at = path; !at.empty(); at = directory_of(at))
        if (asked.contains(std::string(at))) named.emplace(at);
  }
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
