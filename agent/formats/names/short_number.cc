#include "agent/formats/names/short_number.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <utility>

namespace reprise::agent {
namespace {

constexpr std::string_view kFigures = "0123456789";
constexpr std::size_t kOfThousands = 3;

bool is_figure(std::string_view text, std::size_t at) {
  return at < text.size() && kFigures.contains(text[at]);
}

bool is_in_word(std::string_view text, std::size_t at) {
  return at < text.size() && ((text[at] >= 'a' && text[at] <= 'z') || (text[at] >= 'A' && text[at] <= 'Z'));
}

std::size_t end_of_figures(std::string_view text, std::size_t at) {
  return std::min(text.find_first_not_of(kFigures, at), text.size());
}

std::string letters_at(std::string_view text, std::size_t at) {
  std::string letters;
  for (; is_in_word(text, at); ++at) letters += static_cast<char>(text[at] | 0x20);
  return letters;
}

// Zeros for which the word stands; empty: the word is none, and some that are not clear have -1.
std::optional<int> zeros_of(std::string_view word) {
  constexpr std::array<std::pair<std::string_view, int>, 14> kWords{{{"k", 3},
                                                                     {"m", 6},
                                                                     {"g", 9},
                                                                     {"b", 9},
                                                                     {"thousand", 3},
                                                                     {"million", 6},
                                                                     {"mio", 6},
                                                                     {"kk", 6},
                                                                     {"ki", -1},
                                                                     {"mi", -1},
                                                                     {"gi", -1},
                                                                     {"kib", -1},
                                                                     {"kb", -1},
                                                                     {"mb", -1}}};
  const auto found = std::ranges::find(kWords, word, &std::pair<std::string_view, int>::first);
  return found == kWords.end() ? std::nullopt : std::optional(found->second);
}

// Digits with a fraction of at most that many places; empty: more, or beyond 63 bits.
std::optional<std::int64_t> scaled(std::string_view whole, std::string_view fraction, int zeros) {
  while (fraction.ends_with('0')) fraction.remove_suffix(1);
  if (zeros < 0 || fraction.size() > static_cast<std::size_t>(zeros)) return std::nullopt;
  const std::string digits =
      std::string(whole) + std::string(fraction) + std::string(static_cast<std::size_t>(zeros) - fraction.size(), '0');
  std::int64_t value = 0;
  const auto [stop, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return problem == std::errc{} && stop == digits.data() + digits.size() ? std::optional(value) : std::nullopt;
}

// "1,000,000"
std::optional<ShortNumber> with_commas(std::string_view text, std::size_t begin) {
  std::size_t end = end_of_figures(text, begin);
  if (end - begin > kOfThousands || text[begin] == '0') return std::nullopt;
  std::string digits(text.substr(begin, end - begin));
  bool any = false;
  while (end < text.size() && text[end] == ',' && end_of_figures(text, end + 1) == end + 1 + kOfThousands) {
    digits += text.substr(end + 1, kOfThousands);
    end += 1 + kOfThousands;
    any = true;
  }
  return any ? std::optional(ShortNumber{.value = scaled(digits, "", 0), .end = end}) : std::nullopt;
}

// "9e2", "1e+3"; with letters behind it ("9e2f") it is no number at all.
std::optional<ShortNumber> with_exponent(std::string_view text, std::string_view whole, std::string_view fraction,
                                         std::size_t at) {
  constexpr std::size_t kLongestExponent = 2;
  if (at >= text.size() || (text[at] | 0x20) != 'e') return std::nullopt;
  const bool has_plus = at + 1 < text.size() && text[at + 1] == '+';
  const std::size_t first = at + (has_plus ? 2 : 1);
  if (!is_figure(text, first)) return std::nullopt;
  const std::size_t end = end_of_figures(text, first);
  ShortNumber number{.end = end};
  while (is_in_word(text, number.end) || is_figure(text, number.end)) ++number.end;
  int zeros = 0;
  std::from_chars(text.data() + first, text.data() + end, zeros);
  const bool is_clear = number.end == end && end - first <= kLongestExponent;
  if (is_clear) number.value = scaled(whole, fraction, zeros);
  return number;
}

}  // namespace

std::optional<ShortNumber> read_short_number(std::string_view text, std::size_t begin) {
  if (auto number = with_commas(text, begin)) return number;
  const std::size_t end = end_of_figures(text, begin);
  const std::string_view whole = text.substr(begin, end - begin);
  const bool has_point = end < text.size() && text[end] == '.' && is_figure(text, end + 1);
  const std::size_t end_of_fraction = has_point ? end_of_figures(text, end + 1) : end;
  const std::string_view fraction = has_point ? text.substr(end + 1, end_of_fraction - end - 1) : std::string_view();
  if (auto number = with_exponent(text, whole, fraction, end_of_fraction)) return number;
  const std::string word = letters_at(text, end_of_fraction);
  const auto zeros = zeros_of(word);
  if (!zeros) return std::nullopt;
  return ShortNumber{.value = scaled(whole, fraction, *zeros), .end = end_of_fraction + word.size()};
}

}  // namespace reprise::agent
