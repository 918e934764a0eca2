#include "agent/core/trackers/tracker_text.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <string_view>
#include <utility>

#include "agent/core/trackers/name_in_path.h"
#include "agent/formats/checkpoint_name.h"
#include "agent/formats/name_numbers.h"
#include "agent/formats/names/name_words.h"
#include "agent/formats/names/tracker_name.h"
#include "agent/formats/verify/said_values.h"

namespace reprise::agent {
namespace {

namespace fs = std::filesystem;
using Values = std::vector<SaidValue>;

bool is_below_folder(std::string_view path, std::string_view folder) {
  return folder.empty() || (path.size() > folder.size() && path.starts_with(folder) && path[folder.size()] == '/');
}

bool says_number(std::string_view checkpoint, std::int64_t number, NumberSays says) {
  const std::string_view name = last_part(checkpoint);
  if (says == NumberSays::Step) return step_of(name) == number;
  return std::ranges::any_of(numbers_in(name), [&](const NameNumber& each) {
    return each.counts == NameNumber::Counts::Epochs && each.value == number;
  });
}

// A sum or a size of what was named.
bool holds_for_one_alone(const SaidValue& value) {
  constexpr std::size_t kShortestSum = 32;
  constexpr std::array<std::string_view, 9> kKeys{"sha",  "sha256", "md5",  "sum",  "checksum",
                                                  "hash", "digest", "size", "bytes"};
  const bool is_sum =
      value.text.size() >= kShortestSum && value.text.find_first_not_of("0123456789abcdefABCDEF") == std::string::npos;
  const auto parts = parts_of_name(value.key);
  return is_sum || std::ranges::any_of(
                       parts, [&](const NamePart& part) { return std::ranges::find(kKeys, part.text) != kKeys.end(); });
}

class Rewriting {
 public:
  Rewriting(const UnfitCheckpoints& unfit, const References::Tracker& tracker, Values values)
      : unfit_(unfit),
        tracker_(tracker),
        folder_(directory_of(tracker.path)),
        file_(last_part(tracker.path)),
        values_(std::move(values)),
        named_(values_.size()),
        now_(values_.size()) {}

  std::optional<TrackerText> run() {
    find_texts();
    if (!main_) find_numbers();
    if (!main_) return std::nullopt;
    TrackerText result{.named = *named_[*main_]};
    const Checkpoint* whole = whole_for(result.named);
    if (whole != nullptr && replace_texts() && replace_numbers(result.named, *whole)) {
      result.whole = whole;
      result.text = written();
    }
    for (std::size_t at = 0; at < values_.size(); ++at)
      result.says_more = result.says_more || (!named_[at] && !now_[at] && !holds_another(at));
    return result;
  }

 private:
  [[nodiscard]] bool holds_another(std::size_t at) const {
    const SaidValue& own = values_[at];
    return std::ranges::any_of(values_, [&](const SaidValue& each) {
      return &each != &own && each.begin >= own.begin && each.end <= own.end &&
             each.end - each.begin < own.end - own.begin;
    });
  }

  [[nodiscard]] const Checkpoint* whole_for(const Unfit& named) const {
    return unfit_.newest_in(directory_of(named.name), {}, named.name);
  }

  void find_texts() {
    for (std::size_t at = 0; at < values_.size(); ++at) {
      if (values_[at].is_number) continue;
      named_[at] = named_by_text(values_[at].text);
      if (named_[at] && (!main_ || (values_[*main_].list != 0 && values_[at].list == 0))) main_ = at;
    }
  }

  [[nodiscard]] std::optional<Unfit> named_by_text(const std::string& said) const {
    std::optional<Unfit> found;
    const auto paths = paths_meant(unfit_.volume().layout.root, folder_, said);
    if (!may_mean_any(said)) return std::nullopt;
    for (const std::string& path : paths) {
      auto one = unfit_.at(path);
      if (!one && unfit_.is_there(path)) return std::nullopt;
      if (!found) found = std::move(one);
    }
    if (found) return found;
    for (const auto& [name, why] : unfit_.all())
      if (may_be_meant_by(said, folder_, name) && !leads_to_others(paths, name)) return Unfit{name, why};
    return is_called_newest(file_) ? dangling(said, paths) : std::nullopt;
  }

  [[nodiscard]] bool may_mean_any(const std::string& said) const {
    const auto is_in = [&](const auto& each) { return said.contains(without_file_ending(last_part(each.first))); };
    return said.contains(VolumeLayout::kOwn) || std::ranges::any_of(unfit_.all(), is_in) ||
           (is_called_newest(file_) && names_checkpoint(without_file_ending(last_part(said))));
  }

  // A path whose directory is there means an entry of that directory; and without its ending a name may be that of
  // another file.
  [[nodiscard]] bool leads_to_others(const std::vector<std::string>& paths, const std::string& unfit) const {
    const auto is_other = [&](const std::string& path) {
      const std::string_view directory = directory_of(path);
      return directory != directory_of(unfit) && directory != folder_ && !directory.empty() &&
             unfit_.is_there(std::string(directory));
    };
    const auto has_its_stem = [&](const Checkpoint& each) {
      return directory_of(each.name) == directory_of(unfit) &&
             without_file_ending(each.name) == without_file_ending(unfit);
    };
    return std::ranges::any_of(paths, is_other) || std::ranges::any_of(unfit_.left(), has_its_stem);
  }

  // Tells, for a file that is there to name the newest, that it names a checkpoint that is not there at all.
  [[nodiscard]] std::optional<Unfit> dangling(const std::string& said, const std::vector<std::string>& paths) const {
    if (paths.empty() || !names_checkpoint(without_file_ending(last_part(said)))) return std::nullopt;
    const auto is_it = [&](const Checkpoint& each) { return may_be_meant_by(said, folder_, each.name); };
    if (std::ranges::any_of(unfit_.found(), is_it)) return std::nullopt;
    const Checkpoint* beside = unfit_.newest_in(directory_of(paths.front()), {}, paths.front());
    const bool is_alike = beside != nullptr && naming_of(beside->name) == naming_of(paths.front());
    return is_alike ? std::optional(Unfit{paths.front(), kUnfitGone}) : std::nullopt;
  }

  void find_numbers() {
    for (std::size_t at = 0; at < values_.size(); ++at) {
      const SaidValue& value = values_[at];
      if (!value.is_number) continue;
      const NumberSays by_file = number_in(file_);
      NumberSays says = value.key.empty() ? by_file : number_under(value.key, value.list != 0);
      if (by_file == NumberSays::Other || says == NumberSays::Other) continue;
      constexpr std::int64_t kFewest = 10;  // below that, any count may be meant
      const auto number = value_of(value.text);
      const bool is_clear = by_file != NumberSays::Perhaps || (says_steps_alone() && number >= kFewest);
      if (!number || !is_clear || (value.key.empty() && !says_steps_alone())) continue;
      if (says == NumberSays::Perhaps) says = NumberSays::Step;
      named_[at] = named_by_number(*number, says);
      if (named_[at] && (!main_ || value.list == 0)) main_ = at;
    }
  }

  // True if the text says steps alone, and nothing that might be counted otherwise.
  [[nodiscard]] bool says_steps_alone() const {
    for (std::size_t at = 0; at < values_.size(); ++at) {
      const SaidValue& value = values_[at];
      const bool says_step =
          value.is_number && (value.key.empty() || number_under(value.key, value.list != 0) != NumberSays::Other);
      const bool is_word = value.text.find_first_of("0123456789") == std::string::npos;
      if (!says_step && !is_word && !holds_another(at)) return false;
    }
    return true;
  }

  [[nodiscard]] std::optional<Unfit> named_by_number(std::int64_t number, NumberSays says) const {
    const auto is_it = [&](std::string_view name) {
      return is_below_folder(name, folder_) && says_number(name, number, says);
    };
    if (std::ranges::any_of(unfit_.left(), [&](const Checkpoint& each) { return each.complete && is_it(each.name); }))
      return std::nullopt;
    for (const auto& [name, why] : unfit_.all())
      if (is_it(name)) return Unfit{name, why};
    return std::nullopt;
  }

  // True if all that is named can be renamed. An element of a list goes where another one of it stands for something.
  bool replace_texts() {
    for (std::size_t at = 0; at < values_.size(); ++at) {
      if (!named_[at] || values_[at].is_number) continue;
      if (values_[at].list != 0 && stands_in(values_[at].list)) {
        now_[at] = std::string();
        continue;
      }
      const Checkpoint* whole = whole_for(*named_[at]);
      if (whole == nullptr) return false;
      now_[at] = renamed(values_[at].text, named_[at]->name, whole->name,
                         [&](const std::string& path) { return unfit_.is_there(path); });
      if (!now_[at]) return false;
      if (values_[at].list != 0) placed_.insert(values_[at].list);
    }
    return true;
  }

  [[nodiscard]] bool stands_in(std::size_t list) const {
    if (placed_.contains(list)) return true;
    for (std::size_t at = 0; at < values_.size(); ++at) {
      if (values_[at].list != list || named_[at]) continue;
      const auto paths = paths_meant(unfit_.volume().layout.root, folder_, values_[at].text);
      const auto number = values_[at].is_number ? value_of(values_[at].text) : std::nullopt;
      if (number && named_step_stands(*number)) return true;
      if (!number && std::ranges::any_of(paths, [&](const auto& path) { return unfit_.is_there(path); })) return true;
    }
    return false;
  }

  [[nodiscard]] bool named_step_stands(std::int64_t number) const {
    return std::ranges::any_of(unfit_.left(), [&](const Checkpoint& each) {
      return each.complete && is_below_folder(each.name, folder_) && says_number(each.name, number, NumberSays::Step);
    });
  }

  // True if nothing is left that holds for the former one alone.
  bool replace_numbers(const Unfit& named, const Checkpoint& whole) {
    for (std::size_t at = 0; at < values_.size(); ++at) {
      const SaidValue& value = values_[at];
      if (!now_[at] && !named_[at] && !holds_another(at) && holds_for_one_alone(value)) return false;
      if (!value.is_number) continue;
      const NumberSays says = value.key.empty() ? number_in(file_) : number_under(value.key, value.list != 0);
      const auto number = value_of(value.text);
      const bool is_epoch = says == NumberSays::Epoch;
      const NumberSays as = is_epoch ? NumberSays::Epoch : NumberSays::Step;
      if (says == NumberSays::Other || !number || !says_number(named.name, *number, as)) continue;
      if (value.list != 0 && stands_in(value.list)) {
        now_[at] = std::string();
        continue;
      }
      now_[at] = number_in_place_of(named.name, whole.name, value.text, is_epoch);
      if (named_[at] && !now_[at]) return false;
      if (now_[at] && value.list != 0) placed_.insert(value.list);
    }
    return true;
  }

  [[nodiscard]] std::string written() const {
    std::string text;
    std::size_t copied = 0;
    std::map<std::size_t, bool> kept;  // by list, whether anything in front stays
    for (std::size_t at = 0; at < values_.size(); ++at) {
      const SaidValue& value = values_[at];
      const bool goes = now_[at] && now_[at]->empty() && value.list != 0;
      const SaidValue::Cut cut = kept[value.list] ? value.cut : value.cut_as_first;
      const std::size_t begin = goes ? cut.begin : value.begin, end = goes ? cut.end : value.end;
      if (!goes) kept[value.list] = true;
      if (!now_[at] || begin < copied) continue;
      text.append(tracker_.text, copied, begin - copied);
      text += *now_[at];
      copied = end;
    }
    return text.append(tracker_.text, copied, std::string::npos);
  }

  const UnfitCheckpoints& unfit_;
  const References::Tracker& tracker_;
  std::string_view folder_, file_;
  Values values_;
  std::vector<std::optional<Unfit>> named_;
  std::vector<std::optional<std::string>> now_;  // empty: it goes out of its list
  std::set<std::size_t> placed_;                 // lists in which the whole one is named by now
  std::optional<std::size_t> main_;
};

}  // namespace

std::vector<std::string> paths_meant(const fs::path& root, std::string_view folder, const std::string& said) {
  std::vector<std::string> paths;
  const fs::path path(said);
  for (const fs::path& from : {root / folder, root})
    if (auto below = path_below(root, from / path); below && std::ranges::find(paths, *below) == paths.end())
      paths.push_back(*std::move(below));
  return paths;
}

std::optional<TrackerText> with_whole_named(const UnfitCheckpoints& unfit, const References::Tracker& tracker) {
  auto values = said_values(tracker.text);
  return values ? Rewriting(unfit, tracker, *std::move(values)).run() : std::nullopt;
}

std::set<std::string> named_alone(const fs::path& root, const References::Tracker& tracker,
                                  const std::set<std::string>& asked) {
  std::set<std::string> named;
  const auto values = said_values(tracker.text);
  const std::string_view folder = directory_of(tracker.path), file = last_part(tracker.path);
  for (const SaidValue& value : values.value_or(Values())) {
    if (value.list != 0) continue;
    for (const std::string& path : paths_meant(root, folder, value.text))
      for (std::string_view at = path; !at.empty(); at = directory_of(at))
        if (asked.contains(std::string(at))) named.emplace(at);
    const NumberSays says = value.key.empty() ? number_in(file) : number_under(value.key, false);
    const auto number = value.is_number ? value_of(value.text) : std::nullopt;
    const bool is_step = number && number_in(file) == NumberSays::Step && says == NumberSays::Step;
    for (const std::string& each : asked) {
      const bool by_number = is_step && directory_of(each) == folder && step_of(each) == number;
      if (by_number || (!value.is_number && may_be_meant_by(value.text, folder, each))) named.insert(each);
    }
  }
  return named;
}

}  // namespace reprise::agent
