#include <algorithm>
#include <array>
#include <ranges>
#include <span>
#include <vector>

#include "runtime/base/cron/cron.h"

namespace reprise::runtime {
namespace {

constexpr std::array<std::string_view, 12> kMonthNames{"jan", "feb", "mar", "apr", "may", "jun",
                                                       "jul", "aug", "sep", "oct", "nov", "dec"};
constexpr std::array<std::string_view, 7> kWeekdayNames{"sun", "mon", "tue", "wed", "thu", "fri", "sat"};

struct Rule {
  std::string_view name;
  int least, most;
  int last = most;                               // the upper bound of *
  std::span<const std::string_view> names = {};  // names of the numbers from `least` on
};
constexpr int kFields = 5, kWeekday = 4;
constexpr std::array<Rule, kFields> kRules{
    {{.name = "minute", .least = 0, .most = 59},
     {.name = "hour", .least = 0, .most = 23},
     {.name = "day of the month", .least = 1, .most = 31},
     {.name = "month", .least = 1, .most = 12, .names = kMonthNames},
     {.name = "day of the week", .least = 0, .most = 7, .last = 6, .names = kWeekdayNames}}};

struct Alias {
  std::string_view name, meaning;
};
constexpr std::array<Alias, 7> kAliases{{{"@yearly", "0 0 1 1 *"},
                                         {"@annually", "0 0 1 1 *"},
                                         {"@monthly", "0 0 1 * *"},
                                         {"@weekly", "0 0 * * 0"},
                                         {"@daily", "0 0 * * *"},
                                         {"@midnight", "0 0 * * *"},
                                         {"@hourly", "0 * * * *"}}};

std::vector<std::string> split(std::string_view text, char at) {
  std::vector<std::string> parts;
  for (const auto part : text | std::views::split(at)) parts.emplace_back(part.begin(), part.end());
  if (text.empty()) parts.emplace_back();
  return parts;
}

std::optional<int> number(std::string_view text) {
  constexpr std::size_t kDigits = 4;
  const bool digits = std::ranges::all_of(text, [](char each) { return each >= '0' && each <= '9'; });
  if (text.empty() || text.size() > kDigits || !digits) return std::nullopt;
  int value = 0;
  for (const char each : text) value = value * 10 + (each - '0');
  return value;
}

std::optional<int> number_of(std::string_view text, const Rule& rule) {
  if (const auto value = number(text)) return *value >= rule.least && *value <= rule.most ? value : std::nullopt;
  const auto same = [&](std::string_view name) {
    return std::ranges::equal(name, text, {}, {},
                              [](char each) { return each >= 'A' && each <= 'Z' ? each + 32 : each; });
  };
  const auto found = std::ranges::find_if(rule.names, same);
  if (found == rule.names.end()) return std::nullopt;
  return rule.least + static_cast<int>(found - rule.names.begin());
}

std::unexpected<std::string> not_in(const Rule& rule, std::string_view found) {
  std::string text = "the " + std::string(rule.name) + " is " + (found.empty() ? "empty" : std::string(found)) +
                     ", must be " + std::to_string(rule.least) + " to " + std::to_string(rule.most);
  if (!rule.names.empty()) text += " or " + std::string(rule.names.front()) + " to " + std::string(rule.names.back());
  return std::unexpected(text);
}

struct Item {
  int first = 0, last = 0, step = 1;
  bool is_any = false;
};

std::expected<Item, std::string> bounds_of(std::string_view text, const Rule& rule, bool has_step) {
  if (text == "*" || text == "?") return Item{.first = rule.least, .last = rule.last, .is_any = true};
  const std::vector<std::string> ends = split(text, '-');
  const auto first = number_of(ends.front(), rule);
  auto last = ends.size() == 2 ? number_of(ends[1], rule) : first;
  if (ends.size() > 2 || !first || !last) return not_in(rule, text);
  if (ends.size() == 1 && has_step) last = std::max(*first, rule.last);
  // A week ends with a Sunday.
  if (*last == 0 && *first > 0 && !rule.names.empty()) last = rule.most;
  if (*first > *last)
    return std::unexpected("the " + std::string(rule.name) + " is " + std::string(text) +
                           ", which ends before it begins; write " + ends[0] + "-" + std::to_string(rule.last) + "," +
                           std::to_string(rule.least) + "-" + ends[1]);
  return Item{.first = *first, .last = *last};
}

std::expected<Item, std::string> item_of(std::string_view text, const Rule& rule) {
  const std::size_t slash = text.find('/');
  const bool has_step = slash != std::string_view::npos;
  auto item = bounds_of(text.substr(0, slash), rule, has_step);
  if (!item || !has_step) return item;
  const auto step = number(text.substr(slash + 1));
  if (!step || *step == 0)
    return std::unexpected("the " + std::string(rule.name) + " is " + std::string(text) +
                           ", must have a number from 1 on after /");
  item->step = *step;
  item->is_any = item->is_any && *step == 1;
  return item;
}

struct Field {
  std::uint64_t numbers = 0;
  bool is_any = false;
};

std::expected<Field, std::string> field_of(std::string_view text, const Rule& rule) {
  Field field;
  for (const std::string& each : split(text, ',')) {
    const auto item = item_of(each, rule);
    if (!item) return std::unexpected(item.error());
    for (int value = item->first; value <= item->last; value += item->step) field.numbers |= std::uint64_t{1} << value;
    field.is_any = field.is_any || item->is_any;
  }
  return field;
}

}  // namespace

std::expected<Cron, std::string> Cron::parse(std::string_view text) {
  const auto* const alias = std::ranges::find(kAliases, text, &Alias::name);
  if (alias != kAliases.end()) text = alias->meaning;
  std::vector<std::string> texts = split(text, ' ');
  std::erase(texts, "");
  if (texts.size() != kFields)
    return std::unexpected("it has " + std::to_string(texts.size()) +
                           " fields, must have five (minute, hour, day of the month, month, day of the week) or be "
                           "@hourly, @daily, @weekly, @monthly or @yearly");
  std::array<Field, kFields> fields;
  for (std::size_t i = 0; i < kFields; ++i) {
    auto field = field_of(texts[i], kRules[i]);
    if (!field) return std::unexpected(std::move(field).error());
    fields[i] = *field;
  }
  constexpr std::uint64_t kSunday = 1, kSundayToo = std::uint64_t{1} << 7;
  std::uint64_t& weekdays = fields[kWeekday].numbers;
  if ((weekdays & kSundayToo) != 0) weekdays |= kSunday;
  Cron cron;
  cron.minutes_ = fields[0].numbers;
  cron.hours_ = fields[1].numbers;
  cron.days_ = fields[2].numbers;
  cron.months_ = fields[3].numbers;
  cron.weekdays_ = weekdays;
  cron.any_day_ = fields[2].is_any;
  cron.any_weekday_ = fields[kWeekday].is_any;
  return cron;
}

}  // namespace reprise::runtime
