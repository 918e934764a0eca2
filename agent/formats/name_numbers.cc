#include "agent/formats/name_numbers.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace reprise::agent {
namespace {

using Counts = NameNumber::Counts;

constexpr std::array<std::string_view, 9> kStepWords{"iter",    "iters", "iteration", "iterations", "batch",
                                                     "batches", "ba",    "update",    "updates"};
constexpr std::array<std::string_view, 3> kEpochWords{"epoch", "epochs", "ep"};
constexpr std::array<std::string_view, 19> kPartWords{
    "rank", "ranks", "shard", "shards", "part", "parts", "partition", "of", "worker", "process",
    "proc", "node",  "host",  "gpu",    "tp",   "pp",    "dp",        "mp", "replica"};
constexpr std::array<std::string_view, 2> kVersionWords{"v", "version"};
constexpr std::array<std::string_view, 4> kCheckpointWords{"checkpoint", "ckpt", "save", "snapshot"};
constexpr std::string_view kBetween = "-_=. ";

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

// "00001-of-00004"
bool is_of_several(std::string_view text, std::size_t end) {
  if (end >= text.size() || !is_between(text[end])) return false;
  const std::string_view rest = text.substr(end + 1);
  return rest.size() > 3 && rest.starts_with("of") && is_between(rest[2]) && is_decimal(rest[3]);
}

Counts what_counts(std::string_view text, const NameNumber& number) {
  const std::string word = word_before(text, number.begin);
  const auto is_any = [&](const auto& words) { return std::ranges::find(words, word) != words.end(); };
  if (word.ends_with("step") || word.ends_with("steps") || is_any(kStepWords)) return Counts::Steps;
  if (is_any(kPartWords) || is_of_several(text, number.end)) return Counts::Parts;
  if (is_any(kEpochWords)) return Counts::Epochs;
  if (is_any(kVersionWords)) return Counts::Versions;
  const auto names_one = [&](std::string_view each) { return word.contains(each); };
  return word.empty() || std::ranges::any_of(kCheckpointWords, names_one) ? Counts::Bare : Counts::Unknown;
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

// A word for steps counts wherever it stands, the nearest first. Otherwise one number may be the step, and no other.
Said find_step(const std::vector<Component>& components) {
  const std::size_t last = components.size() - 1;
  const auto epochs = components[last].which(Counts::Epochs), bare = components[last].which(Counts::Bare);
  for (std::size_t at = components.size(); at-- > 0;)
    if (const auto steps = components[at].which(Counts::Steps); !steps.empty())
      return at == last || epochs.empty() ? only(steps, at, Counts::Steps) : Said();
  std::vector<Said> candidates;
  for (std::size_t at = 0; at < last; ++at)
    for (const Counts by : {Counts::Epochs, Counts::Bare}) {
      const auto values = components[at].which(by);
      const bool is_date = by == Counts::Bare && values.size() > 1;
      for (const std::int64_t value : values)
        if (!is_date) candidates.push_back(only({value}, at, by));
    }
  for (const std::int64_t value : epochs) candidates.push_back(only({value}, last, Counts::Epochs));
  for (const std::int64_t value : bare) candidates.push_back(only({value}, last, Counts::Bare));
  return candidates.size() == 1 ? candidates.front() : Said();
}

// By its number the saves differ, or it tells nothing of which part it is. Where the step is not known no number does.
bool is_left_out(const NameNumber& number, const Said& said, std::size_t component, bool is_directory) {
  switch (number.counts) {
    case Counts::Steps:
    case Counts::Epochs:
    case Counts::Metric:
      return true;
    case Counts::Versions:
      return !said.step || !is_directory;
    case Counts::Bare:
      return !said.step || (said.by == Counts::Bare && said.component == component);
    case Counts::Unknown:
      return !said.step;
    case Counts::Parts:
      return false;
  }
  return false;
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
    const bool is_fraction =
        !numbers.empty() && numbers.back().end + 1 == number.begin && text[number.begin - 1] == '.';
    if (is_fraction) {
      numbers.back().end = number.end;
      numbers.back().value.reset();
      if (numbers.back().counts != Counts::Versions) numbers.back().counts = Counts::Metric;
      continue;
    }
    number.value = value_of(text.substr(number.begin, number.end - number.begin));
    number.counts = what_counts(text, number);
    numbers.push_back(number);
  }
  return numbers;
}

SaveName read_save_name(std::string_view path) {
  const auto components = components_of(path);
  const Said said = find_step(components);
  SaveName name{.step = said.step, .part = {}, .kind = {}};
  for (std::size_t at = 0; at < components.size(); ++at) {
    const auto& [text, numbers] = components[at];
    const bool is_directory = at + 1 < components.size();
    name.has_numbers = name.has_numbers || !numbers.empty();
    std::size_t copied = 0;
    const auto copy = [&](std::string_view more) { name.part.append(more), name.kind.append(more); };
    for (const NameNumber& each : numbers) {
      copy(text.substr(copied, each.begin - copied));
      const std::string_view digits = text.substr(each.begin, each.end - each.begin);
      const bool out = is_left_out(each, said, at, is_directory);
      const bool may_differ = is_directory && each.counts != Counts::Parts;
      name.part.append(out ? "#" : digits);
      name.kind.append(out || may_differ ? "#" : digits);
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
