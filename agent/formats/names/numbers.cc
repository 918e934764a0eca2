#include "agent/formats/names/numbers.h"

#include <algorithm>
#include <charconv>
#include <span>

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
std::string_view behind_slash(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
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

// "7b", "1.3B", "124M": so many parameters a model has, and few trainings make as many steps. Where a word for a
// checkpoint stands in front, or nothing else, millions may be steps; billions are where a word for steps says so.
enum class Size { No, Perhaps, Yes };
Size size_of_model(std::string_view text, const NameNumber& number, std::size_t end) {
  constexpr std::string_view kMillion = "mM", kBillion = "bBgG";
  if (number.counts != Counts::Bare || !is_decimal(text[end - 2])) return Size::No;
  if (kBillion.contains(text[end - 1])) return Size::Yes;
  if (!kMillion.contains(text[end - 1])) return Size::No;
  const bool is_whole = number.begin == 0 && (end == text.size() || text[end] == '.');
  if (is_whole) return Size::No;
  return word_before(text, number.begin).empty() ? Size::Yes : Size::Perhaps;
}

// Only what counts steps, epochs or saves is counted so: "llama-7b" says no step.
void take_short(std::string_view text, NameNumber& number) {
  const auto more = read_short_number(text, number.begin);
  if (!more) return;
  const Size size = size_of_model(text, number, more->end);
  if (size == Size::Yes) number.counts = Counts::Unknown;
  const bool is_count =
      number.counts == Counts::Steps || number.counts == Counts::Epochs || number.counts == Counts::Bare;
  const bool may_be_word = number.counts == Counts::Unknown;
  if (!is_count && !may_be_word) return;
  number.end = more->end;
  number.value = is_count ? more->value : std::nullopt;
  number.is_short = true;
  number.may_be_size = size == Size::Perhaps;
}

// Settings beside what counts steps, or beside a checkpoint's number, count none. Of what saves are called by as well
// either may be the step beside a checkpoint's number ("checkpoint_3_batch_500"), and the batch of an epoch is it.
void settle_settings(std::span<NameNumber> numbers) {
  const auto has = [&](Counts counts) {
    return std::ranges::any_of(
        numbers, [&](const NameNumber& each) { return each.setting == Setting::None && each.counts == counts; });
  };
  const bool has_steps = has(Counts::Steps), has_bare = has(Counts::Bare), has_epochs = has(Counts::Epochs);
  for (NameNumber& each : numbers) {
    if (each.counts != Counts::Steps && each.counts != Counts::Epochs) continue;
    const bool of_run = each.setting == Setting::OfRun && (has_bare || has_epochs);
    if (each.setting != Setting::None && (has_steps || of_run))
      each.counts = Counts::Programs;
    else if (each.setting == Setting::AboveSaves && has_bare)
      each.counts = Counts::Bare;
  }
}

// Each part of a path by itself.
void settle_settings_of_parts(std::string_view path, std::vector<NameNumber>& numbers) {
  for (auto first = numbers.begin(); first != numbers.end();) {
    const std::size_t end = std::min(path.find('/', first->begin), path.size());
    const auto next = std::find_if(first, numbers.end(), [&](const NameNumber& each) { return each.begin > end; });
    settle_settings({first, next});
    first = next;
  }
}

}  // namespace

std::string word_before(std::string_view text, std::size_t begin) {
  while (begin > 0 && is_between(text[begin - 1])) --begin;
  std::string word;
  while (begin > 0 && is_of_word(text[begin - 1])) word += static_cast<char>(text[--begin] | 0x20);
  std::ranges::reverse(word);
  return word;
}

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
    if (number.counts == Counts::Steps || number.counts == Counts::Epochs)
      number.setting = setting_behind(behind_slash(text.substr(0, number.begin)));
    if (number.counts == Counts::Programs && is_word_for_setting(word_before(text, number.begin)))
      number.setting = Setting::OfRun;
    take_short(text, number);
    at = number.end;
    numbers.push_back(number);
  }
  settle_settings_of_parts(text, numbers);
  return numbers;
}

}  // namespace reprise::agent
