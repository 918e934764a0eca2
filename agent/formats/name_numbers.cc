#include "agent/formats/name_numbers.h"

#include <algorithm>
#include <charconv>
#include <iterator>

#include "agent/formats/names/date_in_name.h"
#include "agent/formats/names/name_words.h"
#include "agent/formats/names/short_number.h"

namespace reprise::agent {
namespace {

using Counts = NameNumber::Counts;

constexpr std::string_view kBetween = "-_=. :@+~,#()[]";

bool is_decimal(char c) {
  return c >= '0' && c <= '9';
}
bool is_of_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_between(char c) {
  return kBetween.contains(c);
}

// The letters in front of a number; what stands between them counts nothing.
std::string word_before(std::string_view text, std::size_t begin) {
  while (begin > 0 && is_between(text[begin - 1])) --begin;
  std::string word;
  while (begin > 0 && is_of_word(text[begin - 1])) word += static_cast<char>(text[--begin] | 0x20);
  std::ranges::reverse(word);
  return word;
}

// "00001-of-00004", "1of4"
bool is_of_several(std::string_view text, std::size_t end) {
  constexpr std::string_view kOf = "of";
  const auto without_separator = [](std::string_view rest) {
    return !rest.empty() && is_between(rest.front()) ? rest.substr(1) : rest;
  };
  const std::string_view rest = without_separator(text.substr(end));
  if (!rest.starts_with(kOf)) return false;
  const std::string_view all = without_separator(rest.substr(kOf.size()));
  return !all.empty() && is_decimal(all.front());
}

// "checkpoint-100-of-200": of the steps of a training. No gang has so many shards, and theirs are of one width.
bool is_of_all_steps(std::string_view text, const NameNumber& number) {
  constexpr std::int64_t kFewestSteps = 100;
  const std::size_t begin = std::min(text.find_first_of("0123456789", number.end), text.size());
  const std::size_t end = std::min(text.find_first_not_of("0123456789", begin), text.size());
  const auto all = value_of(text.substr(begin, end - begin));
  const bool is_padded = text[number.begin] == '0' || (begin < text.size() && text[begin] == '0');
  return all && *all >= kFewestSteps && !is_padded && number.value && *number.value <= *all;
}

Counts what_counts(std::string_view text, const NameNumber& number) {
  const std::string word = word_before(text, number.begin);
  if (word.empty()) return is_of_several(text, number.end) ? Counts::Parts : Counts::Bare;
  const WordFor what = meaning_of(word);
  if (what == WordFor::Steps) return Counts::Steps;
  if (what == WordFor::Epochs) return Counts::Epochs;
  const bool is_of_steps = what == WordFor::Itself && is_of_several(text, number.end) && is_of_all_steps(text, number);
  if (what == WordFor::Ranks || (is_of_several(text, number.end) && !is_of_steps)) return Counts::Parts;
  switch (what) {
    case WordFor::Versions:
      return Counts::Versions;
    case WordFor::Itself:
      return Counts::Bare;
    case WordFor::Programs:
      return Counts::Programs;
    case WordFor::Steps:
    case WordFor::Epochs:
    case WordFor::Ranks:
    case WordFor::Unknown:
      break;
  }
  return Counts::Unknown;
}

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

std::vector<Component> components_of(std::string_view path) {
  std::vector<Component> components;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string_view text = path.substr(begin, end - begin);
    components.push_back({.text = text, .numbers = numbers_in(text)});
    begin = end + 1;
  }
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

// Of directories, or of the last part of the path.
std::vector<Said> candidates_in(const Component& component, std::size_t at, bool is_directory) {
  std::vector<Said> candidates;
  for (const Counts by : {Counts::Epochs, Counts::Bare}) {
    const auto values = component.which(by);
    const bool is_date = is_directory && by == Counts::Bare && values.size() > 1;
    for (const std::int64_t value : values)
      if (!is_date) candidates.push_back(only({value}, at, by));
  }
  return candidates;
}

// A word for steps counts wherever it stands, the nearest first. Otherwise one number may be the step, and no other.
Said find_step(const std::vector<Component>& components) {
  const std::size_t last = components.size() - 1;
  const auto in_last = candidates_in(components[last], last, false);
  const bool has_epoch = !components[last].which(Counts::Epochs).empty();
  for (std::size_t at = components.size(); at-- > 0;)
    if (const auto steps = components[at].which(Counts::Steps); !steps.empty())
      return at == last || !has_epoch ? only(steps, at, Counts::Steps) : Said();
  std::vector<Said> candidates = in_last;
  for (std::size_t at = 0; at < last; ++at)
    std::ranges::copy(candidates_in(components[at], at, true), std::back_inserter(candidates));
  return candidates.size() == 1 ? candidates.front() : Said();
}

// Not where a directory may say the step.
bool may_be_ordered_by_last(const std::vector<Component>& components) {
  const std::size_t last = components.size() - 1;
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

// By its number the saves differ, or it tells nothing of which part it is. Where the step is not known no number does.
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

// What a number tells apart that is not left out.
enum class Tells { Ranks, Attempts, Programs, Something };

Tells told_by(const NameNumber& number, const Component& component, bool is_directory) {
  if (number.counts == Counts::Parts || is_address(number)) return Tells::Ranks;
  const std::size_t bare = component.which(Counts::Bare).size();
  constexpr std::size_t kFewestOfDate = 3;
  if (!is_directory && number.counts == Counts::Bare) return bare < kFewestOfDate ? Tells::Ranks : Tells::Attempts;
  if (!is_directory) return Tells::Something;
  if (number.counts == Counts::Versions) return Tells::Attempts;
  if (number.counts == Counts::Bare && bare > 1) return Tells::Attempts;  // a date
  return number.counts == Counts::Programs || number.counts == Counts::Metric ? Tells::Programs : Tells::Something;
}

// Nothing where one of them is beyond 63 bits.
std::optional<std::int64_t> highest(const std::vector<std::int64_t>& values) {
  const auto [least, most] = std::ranges::minmax(values);
  return least < 0 ? std::nullopt : std::optional(most);
}

// Of the last part of a path.
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

// Only what counts steps, epochs or saves is counted so: "llama-7b" says no step.
void take_short(std::string_view text, NameNumber& number) {
  const auto more = read_short_number(text, number.begin);
  if (!more) return;
  const bool is_count =
      number.counts == Counts::Steps || number.counts == Counts::Epochs || number.counts == Counts::Bare;
  const bool may_be_word = number.counts == Counts::Unknown;
  if (!is_count && !may_be_word) return;
  number.end = more->end;
  number.value = is_count ? more->value : std::nullopt;
  number.is_short = true;
}

}  // namespace

std::optional<std::int64_t> value_of(std::string_view digits) {
  std::int64_t value = 0;
  const auto [stop, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return problem == std::errc{} && stop == digits.data() + digits.size() ? std::optional(value) : std::nullopt;
}

std::vector<NameNumber> numbers_in(std::string_view text) {
  std::vector<NameNumber> numbers;
  for (std::size_t at = 0; at < text.size();) {
    if (!is_decimal(text[at])) {
      ++at;
      continue;
    }
    NameNumber number{.begin = at};
    while (at < text.size() && is_decimal(text[at])) ++at;
    number.end = at;
    // Steps are whole: "step_30.1" is a part of step 30.
    const bool is_fraction = !numbers.empty() && numbers.back().end + 1 == number.begin &&
                             text[number.begin - 1] == '.' && numbers.back().counts != Counts::Steps;
    if (is_fraction) {
      numbers.back().end = number.end;
      numbers.back().value.reset();
      ++numbers.back().points;
      if (numbers.back().counts != Counts::Versions) numbers.back().counts = Counts::Metric;
      continue;
    }
    number.value = value_of(text.substr(number.begin, number.end - number.begin));
    number.counts = what_counts(text, number);
    take_short(text, number);
    at = number.end;
    numbers.push_back(number);
  }
  return numbers;
}

SaveName read_save_name(std::string_view path) {
  const auto components = components_of(path);
  const Said said = find_step(components);
  SaveName name{.step = said.step, .order = order_by(components.back())};
  name.likely = !said.step && may_be_ordered_by_last(components) ? name.order : said.step;
  for (std::size_t at = 0; at < components.size(); ++at) {
    const auto& [text, numbers] = components[at];
    const bool is_directory = at + 1 < components.size();
    name.has_numbers = name.has_numbers || !numbers.empty();
    std::size_t copied = 0;
    const auto copy = [&](std::string_view more) {
      for (std::string* each : {&name.part, &name.kind, &name.share, &name.family, &name.place, &name.place_of_rank})
        each->append(more);
    };
    for (const NameNumber& each : numbers) {
      copy(text.substr(copied, each.begin - copied));
      const std::string_view digits = text.substr(each.begin, each.end - each.begin);
      const bool is_part = said.step && may_be_part(components[at], each, is_directory);
      const bool out = is_left_out(each, said, at, is_directory) && !is_part;
      const bool may_differ = is_directory && each.counts != Counts::Parts && !is_part;
      const Tells tells = told_by(each, components[at], is_directory);
      const bool is_shared = !out && (tells == Tells::Ranks || tells == Tells::Something);
      name.part.append(out ? "#" : digits);
      name.kind.append(out || may_differ ? "#" : digits);
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

bool may_be_of_step(std::string_view path, std::int64_t step, bool beside) {
  const auto components = components_of(path);
  for (std::size_t at = 0; at < components.size(); ++at) {
    const bool may_say_it = beside && at + 1 == components.size();
    for (const NameNumber& each : components[at].numbers) {
      const bool by_word = each.counts == Counts::Steps;
      const bool by_itself = may_say_it && (each.counts == Counts::Bare || each.counts == Counts::Epochs);
      if ((by_word || by_itself) && each.value == step) return true;
    }
  }
  return false;
}

}  // namespace reprise::agent
