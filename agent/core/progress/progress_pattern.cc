#include "agent/core/progress/progress_pattern.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace reprise::agent {
namespace {

using re2::RE2;
using re2::StringPiece;

RE2::Options options() {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(std::int64_t{1} << 20U);
  return options;
}

// "1,200" is 1200.
std::optional<std::int64_t> whole(StringPiece found) {
  std::string digits(found.data(), found.size());
  std::erase(digits, ',');
  std::int64_t number = 0;
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (problem != std::errc{} || end != digits.data() + digits.size() || number < 0) return std::nullopt;
  return number;
}

std::optional<double> decimal(StringPiece found) {
  double number = 0;
  const auto [end, problem] = std::from_chars(found.data(), found.data() + found.size(), number);
  if (problem != std::errc{} || end != found.data() + found.size() || !(number > 0)) return std::nullopt;
  return number;
}

// "1:02:03".
std::optional<std::int64_t> clock_time(StringPiece found) {
  std::int64_t seconds = 0;
  while (!found.empty()) {
    const auto colon = std::min(found.find(':'), found.size());
    const auto part = whole(found.substr(0, colon));
    if (!part || seconds > 1'000'000'000 || *part > 1'000'000'000) return std::nullopt;
    seconds = seconds * 60 + *part;
    found.remove_prefix(std::min(colon + 1, found.size()));
  }
  return seconds;
}

void set_total(ProgressNote& note, StringPiece found) {
  if (const auto total = whole(found); total && *total > 0) note.total_steps = total;
}

}  // namespace

struct ProgressPattern::Own {
  explicit Own(const std::string& pattern) : expression(pattern, options()) {}
  RE2 expression;
};

struct ProgressPattern::Common {
  // A bar with a description may be a download's or one epoch's.
  RE2 bar{R"(^\s*(?:[Tt]rain(?:ing)?(?: steps?)?:|[Ss]teps?:)?\s*(\d+)%\|[^|]*\|\s*(\d+)/(\d+) \[[\d:]+<([\d:]+|\?))"
          R"((?:,\s*([\d.]+)(s/)?[A-Za-z ]*)?)",
          options()};
  // "0.3 seconds per step: 12" and "max step 1000" are none.
  RE2 words{
      R"((?i)(?:\b(per|max|total|last|each|every)[ _-]+)?\b(?:global[ _]?)?(?:step|iteration|iter)['"]?\s*[:=#]?\s*\[?)"
      R"((\d{1,3}(?:,\d{3})+|\d+)(?:\s*(?:/|of)\s*(\d{1,3}(?:,\d{3})+|\d+))?(?:$|\.$|\.\D|[^\d.\w%]))",
      options()};

  // Lightning's name for the version of its log tells its bars from others, whose epochs may begin at 1.
  RE2 epoch{R"(^\s*Epoch (\d+):\s*\d+%\|[^|]*\|\s*(\d+)/(\d+) \[[\d:]+<[\d:?]+)"
            R"((?:,\s*([\d.]+)(s/)?it(?:/s)?)?[^\]]*, v_num=)",
            options()};
  RE2 other_work{R"(^\s*(?:Sanity Checking|Validation|Testing|Predicting) DataLoader \d+:\s*(\d+)%\|)", options()};

  [[nodiscard]] std::optional<ProgressNote> in_epoch(StringPiece line) const {
    StringPiece number, batch, batches, rate, inverse;
    if (!RE2::PartialMatch(line, epoch, &number, &batch, &batches, &rate, &inverse)) return std::nullopt;
    const auto epochs = whole(number), done = whole(batch), of = whole(batches);
    ProgressNote note;
    std::int64_t before = 0, step = 0;
    // The bar is drawn anew at the end of its epoch, and says 0 for a moment.
    if (!epochs || !done || !of || *done == 0 || __builtin_mul_overflow(*epochs, *of, &before) ||
        __builtin_add_overflow(before, *done, &step))
      return std::nullopt;
    note.step = step;
    note.of_one_epoch = true;
    if (const auto speed = decimal(rate)) note.steps_per_second = inverse.empty() ? *speed : 1 / *speed;
    return note;
  }

  [[nodiscard]] std::optional<ProgressNote> in_other_work(StringPiece line) const {
    StringPiece percentage;
    if (!RE2::PartialMatch(line, other_work, &percentage)) return std::nullopt;
    const auto part = whole(percentage);
    if (!part || *part > 100) return std::nullopt;
    return ProgressNote{.percentage = static_cast<std::int32_t>(*part), .of_other_work = true};
  }

  [[nodiscard]] std::optional<ProgressNote> in_bar(StringPiece line) const {
    StringPiece percentage, step, total, remaining, rate, inverse;
    if (!RE2::PartialMatch(line, bar, &percentage, &step, &total, &remaining, &rate, &inverse)) return std::nullopt;
    ProgressNote note;
    note.step = whole(step);
    set_total(note, total);
    if (const auto part = whole(percentage); part && *part <= 100) note.percentage = static_cast<std::int32_t>(*part);
    note.remaining_seconds = clock_time(remaining);
    if (const auto speed = decimal(rate)) note.steps_per_second = inverse.empty() ? *speed : 1 / *speed;
    return note.step ? std::optional(note) : std::nullopt;
  }

  [[nodiscard]] std::optional<ProgressNote> in_words(StringPiece line) const {
    StringPiece other, step, total;
    if (!RE2::PartialMatch(line, words, &other, &step, &total) || !other.empty()) return std::nullopt;
    ProgressNote note;
    note.step = whole(step);
    set_total(note, total);
    return note.step ? std::optional(note) : std::nullopt;
  }
};

ProgressPattern::ProgressPattern() : common_(std::make_unique<Common>()) {}
ProgressPattern::ProgressPattern(ProgressPattern&&) noexcept = default;
ProgressPattern& ProgressPattern::operator=(ProgressPattern&&) noexcept = default;
ProgressPattern::~ProgressPattern() = default;

runtime::Result<ProgressPattern> ProgressPattern::compile(const std::string& pattern) {
  auto own = std::make_unique<Own>(pattern);
  if (!own->expression.ok()) return runtime::fail(runtime::ErrorClass::Invalid, own->expression.error());
  if (own->expression.NumberOfCapturingGroups() < 1)
    return runtime::fail(runtime::ErrorClass::Invalid, "it has no group for the step");
  ProgressPattern compiled;
  compiled.common_.reset();
  compiled.own_ = std::move(own);
  return compiled;
}

std::optional<ProgressNote> ProgressPattern::find(std::string_view line) const {
  const StringPiece text(line.data(), line.size());
  if (!own_) {
    auto note = common_->in_bar(text);
    if (!note) note = common_->in_words(text);
    if (!note) note = common_->in_epoch(text);
    return note ? note : common_->in_other_work(text);
  }
  std::array<StringPiece, 2> found;
  const RE2::Arg step(&found[0]), total(&found[1]);
  const std::array<const RE2::Arg*, 2> groups{&step, &total};
  const int known = std::min(own_->expression.NumberOfCapturingGroups(), 2);
  if (!RE2::PartialMatchN(text, own_->expression, groups.data(), known)) return std::nullopt;
  ProgressNote note;
  note.step = whole(found[0]);
  set_total(note, found[1]);
  return note.step ? std::optional(note) : std::nullopt;
}

}  // namespace reprise::agent
