#include "agent/formats/name_numbers.h"

#include <algorithm>
#include <iterator>

#include "agent/formats/names/date_in_name.h"
#include "agent/formats/names/memo.h"
#include "agent/formats/names/name_words.h"
#include "agent/formats/names/step_directory.h"

namespace reprise::agent {
namespace {

using Counts = NameNumber::Counts;

// One directory of a path, or its last part.
struct Component {
  std::string_view text;
  std::vector<NameNumber> numbers;

  [[nodiscard]] std::vector<std::int64_t> which(Counts counts) const {
    std::vector<std::int64_t> values;
    for (const NameNumber& each : numbers)
      if (each.counts == counts) values.push_back(each.value.value_or(-1));
    return values;
  }
};

// The numbers in the name of a directory, as they count for saves in it.
std::vector<NameNumber> numbers_above_saves(std::string_view text) {
  std::vector<NameNumber> numbers = numbers_in(text);
  for (NameNumber& each : numbers)
    if (each.setting != Setting::None) each.counts = Counts::Programs;
  return numbers;
}

bool counts_step(const NameNumber& number) {
  return number.counts == Counts::Steps || number.counts == Counts::Epochs || number.counts == Counts::Bare;
}

// "batch_100/rank_0": above parts alone it is called as saves are.
void take_for_save(std::vector<Component>& components) {
  const auto& parts = components.back().numbers;
  const bool are_parts =
      !parts.empty() && std::ranges::all_of(parts, [](const NameNumber& each) { return each.counts == Counts::Parts; });
  const bool is_said = std::ranges::any_of(
      components, [](const Component& each) { return std::ranges::any_of(each.numbers, counts_step); });
  if (!are_parts || is_said) return;
  for (auto each = std::next(components.rbegin()); each != components.rend(); ++each) {
    std::vector<NameNumber> numbers = numbers_in(each->text);
    if (std::ranges::none_of(numbers, [](const NameNumber& one) { return one.setting == Setting::AboveSaves; }))
      continue;
    for (NameNumber& one : numbers) one.setting = Setting::None;
    each->numbers = std::move(numbers);
    return;
  }
}

std::vector<Component> components_of(std::string_view path) {
  std::vector<Component> components;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string_view text = path.substr(begin, end - begin);
    const bool is_last = end == path.size();
    components.push_back({.text = text, .numbers = is_last ? numbers_in(text) : numbers_above_saves(text)});
    begin = end + 1;
  }
  take_for_save(components);
  return components;
}

// The number that is the step, and where it stands.
struct Said {
  std::optional<std::int64_t> step{};
  std::size_t component = 0;
  Counts by = Counts::Steps;
};

// "iter_5_step_10" says a step by two words: none is it.
Said only(std::vector<std::int64_t> values, std::size_t component, Counts by) {
  std::ranges::sort(values);
  const auto [first, last] = std::ranges::unique(values);
  values.erase(first, last);
  if (values.size() != 1 || values.front() < 0) return {};
  return {.step = values.front(), .component = component, .by = by};
}

// True for a directory whose name is a date: "2026-11-28", "v0-20261128".
bool names_date(const Component& component) {
  std::size_t bare = 0;
  const NameNumber* last = nullptr;
  for (const NameNumber& each : component.numbers) {
    if (each.counts != Counts::Bare) continue;
    ++bare;
    last = &each;
  }
  return bare > 1 || (bare == 1 && is_day(component.text.substr(last->begin, last->end - last->begin)));
}

// True if the last part of a path says a number of its own by a word for a checkpoint or for epochs.
bool names_its_own(const Component& last, std::int64_t but) {
  return std::ranges::any_of(last.numbers, [&](const NameNumber& each) {
    const bool is_named =
        each.counts == Counts::Epochs || (each.counts == Counts::Bare && !word_before(last.text, each.begin).empty());
    return is_named && each.value != but;
  });
}

// True for a directory that may bear the name of a save as well, so that a number in there may be a rank's
// ("batch_500/ckpt_3.pt", "20261128/3").
bool may_be_save(const Component& component) {
  const auto bare = component.which(Counts::Bare);
  return (bare.size() == 1 && names_date(component)) ||
         std::ranges::any_of(component.numbers,
                             [](const NameNumber& each) { return each.setting == Setting::AboveSaves; });
}

// True if the last part of a path may be a rank: ranks bear numbers alone, or number files.
bool may_be_rank(const Component& last) {
  constexpr std::string_view kOfLightning = ".ckpt";
  if (!last.which(Counts::Epochs).empty()) return false;
  const bool is_file = without_file_ending(last.text).size() < last.text.size() && !last.text.ends_with(kOfLightning);
  return is_file || !names_its_own(last, -1);
}

bool lies_in_what_may_be_save(const std::vector<Component>& components) {
  return std::ranges::any_of(components.begin(), std::prev(components.end()), may_be_save);
}

// Candidates in a directory, or in the last part of the path.
std::vector<Said> candidates_in(const Component& component, std::size_t at, bool is_directory) {
  std::vector<Said> candidates;
  for (const Counts by : {Counts::Epochs, Counts::Bare}) {
    const auto values = component.which(by);
    const bool is_date = is_directory && by == Counts::Bare && names_date(component);
    for (const std::int64_t value : values)
      if (!is_date) candidates.push_back(only({value}, at, by));
  }
  return candidates;
}

// A word for steps counts wherever it stands, the nearest first; above a checkpoint of another number which is none of
// its parts (names/step_directory.h) it leaves the step unclear ("step1_sft/checkpoint-500"). Otherwise one number may
// be the step, and no other.
Said find_step(std::string_view path, const std::vector<Component>& components) {
  const std::size_t last = components.size() - 1;
  const auto in_last = candidates_in(components[last], last, false);
  const bool has_epoch = !components[last].which(Counts::Epochs).empty();
  for (std::size_t at = components.size(); at-- > 0;)
    if (const auto steps = components[at].which(Counts::Steps); !steps.empty()) {
      const bool is_above = at != last;
      const bool is_its_own = is_above && names_its_own(components[last], steps.back()) && step_around(path).empty();
      return is_its_own || (is_above && has_epoch) ? Said() : only(steps, at, Counts::Steps);
    }
  std::vector<Said> candidates = in_last;
  for (std::size_t at = 0; at < last; ++at)
    std::ranges::copy(candidates_in(components[at], at, true), std::back_inserter(candidates));
  if (candidates.size() != 1) return {};
  const bool may_be_other = candidates.back().component == last && may_be_rank(components[last]);
  return may_be_other && lies_in_what_may_be_save(components) ? Said() : candidates.back();
}

// False where a directory may say the step.
bool may_be_ordered_by_last(const std::vector<Component>& components) {
  const std::size_t last = components.size() - 1;
  if (may_be_rank(components[last]) && lies_in_what_may_be_save(components)) return false;
  for (std::size_t at = 0; at < last; ++at)
    if (!components[at].which(Counts::Steps).empty() || !candidates_in(components[at], at, true).empty()) return false;
  return !candidates_in(components[last], last, false).empty();
}

// "ep0", "stage_1" or "round_2" above a save: a time, or a part that is there at the same time. An epoch is none.
bool may_be_part(const Component& component, const NameNumber& number, bool is_directory) {
  constexpr std::string_view kEpoch = "epoch";
  return is_directory && number.counts == Counts::Epochs &&
         !word_before(component.text, number.begin).starts_with(kEpoch);
}

// "10.0.0.1"
bool is_address(const NameNumber& number) {
  constexpr std::size_t kPointsOfAddress = 3;
  return number.points == kPointsOfAddress;
}

// True where the saves differ by the number, or it tells nothing of which part it is. Where the step is not known no
// number does.
bool is_left_out(const NameNumber& number, const Said& said, std::size_t component, bool is_directory) {
  switch (number.counts) {
    case Counts::Steps:
    case Counts::Epochs:
      return true;
    case Counts::Metric:
      return !said.step || (!is_directory && !is_address(number));
    case Counts::Versions:
      return !said.step || !is_directory;
    case Counts::Bare:
      return !said.step || (said.by == Counts::Bare && said.component == component);
    case Counts::Programs:
    case Counts::Unknown:
      return !said.step;
    case Counts::Parts:
      return false;
  }
  return false;
}

// A number that is not left out tells these apart.
enum class Tells { Ranks, Attempts, Programs, Something };

Tells told_by(const NameNumber& number, const Component& component, bool is_directory) {
  if (number.counts == Counts::Parts || is_address(number)) return Tells::Ranks;
  const std::size_t bare = component.which(Counts::Bare).size();
  constexpr std::size_t kFewestOfDate = 3;
  if (!is_directory && number.counts == Counts::Bare) return bare < kFewestOfDate ? Tells::Ranks : Tells::Attempts;
  if (!is_directory) return Tells::Something;
  if (number.counts == Counts::Versions) return Tells::Attempts;
  if (number.counts == Counts::Bare && names_date(component)) return Tells::Attempts;
  return number.counts == Counts::Programs || number.counts == Counts::Metric ? Tells::Programs : Tells::Something;
}

// The highest value; empty where one of them is beyond 63 bits.
std::optional<std::int64_t> highest(const std::vector<std::int64_t>& values) {
  const auto [least, most] = std::ranges::minmax(values);
  return least < 0 ? std::nullopt : std::optional(most);
}

// The order that the last part of a path gives.
std::optional<std::int64_t> order_by(const Component& last) {
  if (last.text.starts_with('.')) return std::nullopt;
  if (const auto steps = last.which(Counts::Steps); !steps.empty()) return highest(steps);
  if (const auto date = date_in_name(last.text)) return date;
  auto saves = last.which(Counts::Bare);
  std::ranges::copy(last.which(Counts::Epochs), std::back_inserter(saves));
  if (!saves.empty()) return highest(saves);
  const auto is_no_part = [](const NameNumber& each) { return each.counts != Counts::Parts; };
  const auto number = std::find_if(last.numbers.rbegin(), last.numbers.rend(), is_no_part);
  if (number == last.numbers.rend()) return std::nullopt;
  if (number->is_short) return number->value;
  const std::string_view digits = last.text.substr(number->begin, number->end - number->begin);
  return value_of(digits.substr(0, digits.find('.')));
}

// True if `order_by` took the number of an epoch, or the step of the directories is one.
bool is_ordered_by_epoch(const Component& last, const Said& said) {
  if (!last.which(Counts::Steps).empty() || date_in_name(last.text) || !last.which(Counts::Bare).empty()) return false;
  return !last.which(Counts::Epochs).empty() || (said.step && said.by == Counts::Epochs);
}

SaveName read_anew(std::string_view path) {
  const auto components = components_of(path);
  const Said said = find_step(path, components);
  SaveName name{.step = said.step, .order = order_by(components.back())};
  name.is_epoch = is_ordered_by_epoch(components.back(), said);
  name.likely = !said.step && may_be_ordered_by_last(components) ? name.order : said.step;
  for (std::size_t at = 0; at < components.size(); ++at) {
    const auto& [text, numbers] = components[at];
    const bool is_directory = at + 1 < components.size();
    name.has_numbers = name.has_numbers || !numbers.empty();
    std::size_t copied = 0;
    const auto copy = [&](std::string_view more) {
      for (std::string* each :
           {&name.part, &name.kind, &name.series, &name.share, &name.family, &name.place, &name.place_of_rank})
        each->append(more);
    };
    for (const NameNumber& each : numbers) {
      copy(text.substr(copied, each.begin - copied));
      const std::string_view digits = text.substr(each.begin, each.end - each.begin);
      const bool is_part = said.step && may_be_part(components[at], each, is_directory);
      const bool out = is_left_out(each, said, at, is_directory) && !is_part;
      const bool may_differ = is_directory && each.counts != Counts::Parts && !is_part;
      const bool is_setting = is_directory && each.setting != Setting::None;
      const Tells tells = told_by(each, components[at], is_directory);
      const bool is_shared = !out && (tells == Tells::Ranks || tells == Tells::Something);
      name.part.append(out ? "#" : digits);
      name.kind.append(out || may_differ ? "#" : digits);
      name.series.append(!is_setting && (out || may_differ) ? "#" : digits);
      name.share.append(is_shared ? digits : "#");
      name.family.append(!is_shared ? "#" : tells == Tells::Ranks ? "@" : digits);
      const bool beside_step = said.step && is_directory && at == said.component && each.counts != Counts::Parts;
      const bool tells_run = is_directory && (tells == Tells::Attempts || tells == Tells::Programs);
      const bool stays = !beside_step && (!out || (tells_run && !said.step));
      const bool tells_rank = tells == Tells::Ranks && !beside_step;
      name.place.append(tells_rank ? "@" : stays ? digits : "#");
      name.place_of_rank.append((tells_rank && !out) || stays ? digits : "#");
      copied = each.end;
    }
    copy(text.substr(copied));
    if (is_directory) copy("/");
  }
  return name;
}

// Names of some hundred checkpoints, each with its directories and without: some 300 bytes each.
constexpr std::size_t kMostRemembered = 2'048;

}  // namespace

SaveName read_save_name(std::string_view path) {
  thread_local Memo<SaveName> remembered(kMostRemembered);
  return remembered.of(path, read_anew);
}

bool may_be_of_step(std::string_view path, std::int64_t step, bool beside) {
  const auto components = components_of(path);
  for (std::size_t at = 0; at < components.size(); ++at) {
    const bool may_say_it = beside && at + 1 == components.size();
    for (const NameNumber& each : components[at].numbers) {
      const bool by_word = each.counts == Counts::Steps || each.setting == Setting::AboveSaves;
      const bool by_itself = may_say_it && (each.counts == Counts::Bare || each.counts == Counts::Epochs);
      if ((by_word || by_itself) && each.value == step) return true;
    }
  }
  return false;
}

}  // namespace reprise::agent
