#include "agent/formats/names/date_in_name.h"

#include <array>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "agent/formats/names/name_words.h"

namespace reprise::agent {
namespace {

// The digits of a number that takes so many of them, from the place where `digits` goes on.
struct DateField {
  std::size_t width;
  std::int64_t least, most;
};
constexpr std::array<DateField, 6> kDateFields{
    {{4, 1990, 2099}, {2, 1, 12}, {2, 1, 31}, {2, 0, 23}, {2, 0, 59}, {2, 0, 60}}};
constexpr std::size_t kDigitsOfBoth = 14, kDateDigits = 8, kTimeDigits = 6, kDigitsOfMinute = 12;
constexpr std::size_t kFieldsOfDate = 3, kFieldsOfMinute = 5;

std::int64_t value_of_field(std::string_view digits) {
  std::int64_t value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return value;
}

// There is no 31st of June.
bool is_in_calendar(std::string_view digits) {
  const auto year = static_cast<int>(value_of_field(digits.substr(0, 4)));
  const auto month = static_cast<unsigned>(value_of_field(digits.substr(4, 2)));
  const auto day = static_cast<unsigned>(value_of_field(digits.substr(6, 2)));
  return std::chrono::year_month_day(std::chrono::year(year), std::chrono::month(month), std::chrono::day(day)).ok();
}

bool is_date_and_time(std::string_view digits) {
  if (!is_in_calendar(digits)) return false;
  for (const auto& [width, least, most] : kDateFields) {
    if (digits.empty()) return true;
    const std::int64_t value = value_of_field(digits.substr(0, width));
    if (value < least || value > most) return false;
    digits.remove_prefix(width);
  }
  return true;
}

// A number of 8, 6 or 14 digits, or one for each field.
bool may_be_cut_so(std::string_view number, std::size_t before) {
  if (before == 0) return number.size() == 4 || number.size() == kDateDigits || number.size() == kDigitsOfBoth;
  if (before == kDateDigits) return number.size() == 2 || number.size() == kTimeDigits;
  return number.size() == 2;
}

// The digits from the place where `digits` goes on, up to which they are taken from `parts`.
std::string digits_from(const std::vector<NamePart>& parts, std::size_t& at) {
  std::string digits;
  for (; at < parts.size() && digits.size() < kDigitsOfBoth; ++at) {
    if (!parts[at].is_number && digits.size() == kDateDigits && parts[at].text == "t") continue;  // the T of ISO 8601
    if (!parts[at].is_number || !may_be_cut_so(parts[at].text, digits.size())) break;
    digits += parts[at].text;
  }
  return digits;
}

// True if no other number behind the date, or before it, may be the step.
bool is_only_number(const std::vector<NamePart>& parts, std::size_t first, std::size_t end) {
  for (std::size_t at = 0; at < parts.size(); ++at) {
    if (!parts[at].is_number || (at >= first && at < end)) continue;
    const WordFor what = at == 0 || at == end ? WordFor::Unknown : meaning_of(parts[at - 1].text);
    if (what != WordFor::Ranks && what != WordFor::Versions) return false;
  }
  return true;
}

bool is_date_alone(const std::vector<NamePart>& parts, std::size_t first, std::size_t end, const std::string& digits) {
  std::size_t fields = 0;
  for (std::size_t at = first; at < end; ++at) fields += parts[at].is_number ? 1 : 0;
  const std::size_t expected = digits.size() == kDateDigits       ? kFieldsOfDate
                               : digits.size() == kDigitsOfMinute ? kFieldsOfMinute
                                                                  : 0;
  return fields == expected && is_only_number(parts, first, end);
}

}  // namespace

bool is_day(std::string_view digits) {
  return digits.size() == kDateDigits && digits.find_first_not_of("0123456789") == std::string_view::npos &&
         is_date_and_time(digits);
}

std::optional<std::int64_t> date_in_name(std::string_view name) {
  const std::vector<NamePart> parts = parts_of_name(name);
  for (std::size_t first = 0; first < parts.size(); ++first) {
    std::size_t at = first;
    std::string digits = digits_from(parts, at);
    if (digits.size() != kDigitsOfBoth && (digits.empty() || !is_date_alone(parts, first, at, digits))) continue;
    if (!is_date_and_time(digits)) continue;
    const bool is_whole = digits.size() == kDigitsOfBoth;
    const bool has_fraction = is_whole && at < parts.size() && parts[at].is_number && name[parts[at].begin - 1] == '.';
    digits.resize(kDigitsOfBoth, '0');
    digits += ((has_fraction ? parts[at].text : "") + "00").substr(0, 2);
    return value_of_field(digits);
  }
  return std::nullopt;
}

}  // namespace reprise::agent
