#include "apps/reprise/lint/shell/condition.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "apps/reprise/lint/shell/characters.h"

namespace reprise::apps::lint::shell {
namespace {

constexpr int kDeepestBrackets = 40;

std::optional<bool> negated(std::optional<bool> value) {
  return value ? std::optional(!*value) : std::nullopt;
}

std::optional<bool> both(std::optional<bool> left, std::optional<bool> right) {
  if ((left && !*left) || (right && !*right)) return false;
  return left && right ? std::optional(true) : std::nullopt;
}

std::optional<bool> compared(const std::optional<std::string>& left, std::string_view how,
                             const std::optional<std::string>& right) {
  if (!left || !right) return std::nullopt;
  if (how == "=" || how == "==") return matches(*right, *left);
  if (how == "!=") return !matches(*right, *left);
  const auto a = number_in(*left), b = number_in(*right);
  if (!a || !b) return std::nullopt;
  if (how == "-eq") return *a == *b;
  if (how == "-ne") return *a != *b;
  if (how == "-gt") return *a > *b;
  if (how == "-ge") return *a >= *b;
  if (how == "-lt") return *a < *b;
  if (how == "-le") return *a <= *b;
  return std::nullopt;
}

class Condition {
 public:
  explicit Condition(const Terms& terms) : terms_(terms) {}

  std::optional<bool> whole() {
    const auto value = any();
    return at_ == terms_.size() ? value : std::nullopt;
  }

 private:
  [[nodiscard]] std::string_view peek(std::size_t by = 0) const {
    return at_ + by < terms_.size() && terms_[at_ + by] ? std::string_view(*terms_[at_ + by]) : std::string_view();
  }
  bool take(std::string_view first, std::string_view second) {
    const bool there = peek() == first || peek() == second;
    if (there) ++at_;
    return there;
  }

  std::optional<bool> any() {
    auto value = all();
    while (take("||", "-o")) value = negated(both(negated(value), negated(all())));
    return value;
  }
  std::optional<bool> all() {
    auto value = one();
    while (take("&&", "-a")) value = both(value, one());
    return value;
  }
  std::optional<bool> one() {
    if (at_ >= terms_.size() || ++depth_ > kDeepestBrackets) return std::nullopt;
    if (take("!", "!")) return negated(one());
    if (take("(", "(")) {
      const auto value = any();
      static_cast<void>(take(")", ")"));
      return value;
    }
    return comparison();
  }
  std::optional<bool> comparison() {
    const std::string_view first = peek(), how = peek(1);
    const bool is_pair =
        how.starts_with('-') ? how != "-a" && how != "-o" : how == "=" || how == "==" || how == "!=" || how == "=~";
    const bool is_of_one = first.size() == 2 && first[0] == '-' && at_ + 1 < terms_.size();
    if (is_of_one && !(is_pair && at_ + 2 < terms_.size())) {
      at_ += 2;
      const auto& term = terms_[at_ - 1];
      if (!term || (first != "-z" && first != "-n")) return std::nullopt;
      return term->empty() == (first == "-z");
    }
    if (is_pair && at_ + 2 < terms_.size()) {
      at_ += 3;
      return compared(terms_[at_ - 3], how, terms_[at_ - 1]);
    }
    const auto& term = terms_[at_++];
    return term ? std::optional(!term->empty()) : std::nullopt;
  }

  const Terms& terms_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

// Operators that bind alike, weakest first.
using Operators = std::array<std::string_view, 4>;
constexpr std::array<Operators, 6> kOperators{
    {{"||"}, {"&&"}, {"==", "!="}, {"<=", ">=", "<", ">"}, {"+", "-", "|", "&"}, {"*", "/", "%"}}};

class Sum {
 public:
  Sum(std::string_view text, const ValueOf& value_of) : text_(text), value_of_(value_of) {}

  std::optional<int> whole() {
    const auto value = level(0);
    skip_blanks();
    return at_ == text_.size() ? value : std::nullopt;
  }

 private:
  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n')) ++at_;
  }

  std::string_view take_operator(const Operators& operators) {
    skip_blanks();
    for (const std::string_view each : operators) {
      const std::string_view rest = text_.substr(at_);
      if (each.empty() || !rest.starts_with(each)) continue;
      const std::string_view more = rest.substr(each.size(), 1);
      if (each.size() == 1 && (more == "=" || more == each)) continue;  // "+=", "++", "&&"
      at_ += each.size();
      return each;
    }
    return {};
  }

  static std::optional<int> applied(std::optional<int> left, std::string_view how, std::optional<int> right) {
    if (how == "||" && ((left && *left != 0) || (right && *right != 0))) return 1;
    if (how == "&&" && ((left && *left == 0) || (right && *right == 0))) return 0;
    if (!left || !right) return std::nullopt;
    const std::int64_t a = *left, b = *right;
    if (how == "||" || how == "|") return how == "|" ? *left | *right : 0;
    if (how == "&&" || how == "&") return how == "&" ? *left & *right : 1;
    if (how == "==" || how == "!=") return (a == b) == (how == "==") ? 1 : 0;
    if (how == "<=" || how == ">") return (a <= b) == (how == "<=") ? 1 : 0;
    if (how == ">=" || how == "<") return (a >= b) == (how == ">=") ? 1 : 0;
    if ((how == "/" || how == "%") && b == 0) return std::nullopt;
    const std::int64_t value = how == "+"   ? a + b
                               : how == "-" ? a - b
                               : how == "*" ? a * b
                               : how == "/" ? a / b
                                            : a % b;
    return static_cast<int>(value);
  }

  std::optional<int> level(std::size_t which) {
    if (which == kOperators.size()) return one();
    auto value = level(which + 1);
    for (std::string_view how = take_operator(kOperators[which]); !how.empty(); how = take_operator(kOperators[which]))
      value = applied(value, how, level(which + 1));
    return value;
  }

  std::optional<int> one() {
    skip_blanks();
    if (at_ >= text_.size() || ++depth_ > kDeepestBrackets) return std::nullopt;
    const char c = text_[at_];
    if (c == '!' || c == '-') {
      ++at_;
      const auto value = one();
      if (!value) return std::nullopt;
      return c == '-' ? static_cast<int>(-std::int64_t{*value}) : *value == 0 ? 1 : 0;
    }
    if (c == '(') {
      ++at_;
      const auto value = level(0);
      skip_blanks();
      if (at_ < text_.size() && text_[at_] == ')') ++at_;
      return value;
    }
    return operand();
  }

  // "3", "name", "$name", "${name}", "$?".
  std::optional<int> operand() {
    if (text_[at_] == '$') ++at_;
    const std::size_t begin = at_;
    if (text_.substr(at_, 1) == "{") {
      const std::size_t close = std::min(text_.find('}', at_), text_.size());
      at_ = std::min(close + 1, text_.size());
      return number_of(text_.substr(begin + 1, close - begin - 1));
    }
    while (at_ < text_.size() && is_name_character(text_[at_])) ++at_;
    if (at_ > begin && text_.substr(at_, 1) == "[") at_ = std::min(text_.find(']', at_), text_.size() - 1) + 1;
    if (at_ == begin && at_ < text_.size()) ++at_;
    return number_of(text_.substr(begin, at_ - begin));
  }

  [[nodiscard]] std::optional<int> number_of(std::string_view name) const {
    if (const auto number = number_in(name)) return number;
    const auto value = value_of_(name);
    return value ? number_in(*value) : std::nullopt;
  }

  std::string_view text_;
  const ValueOf& value_of_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

std::optional<bool> condition_of(const Terms& terms) {
  return Condition(terms).whole();
}

// Goes back to the last "*" where the rest does not fit.
bool matches(std::string_view pattern, std::string_view text) {
  std::size_t in_pattern = 0, in_text = 0, star = std::string_view::npos, begun = 0;
  while (in_text < text.size()) {
    const char c = in_pattern < pattern.size() ? pattern[in_pattern] : '\0';
    if (c == '*') {
      star = in_pattern++;
      begun = in_text;
    } else if (c == '?' || c == '[' || (c != '\0' && c == text[in_text])) {
      const std::size_t close = c == '[' ? pattern.find(']', in_pattern) : in_pattern;
      in_pattern = close == std::string_view::npos ? pattern.size() : close + 1;
      ++in_text;
    } else if (star != std::string_view::npos) {
      in_pattern = star + 1;
      in_text = ++begun;
    } else {
      return false;
    }
  }
  while (in_pattern < pattern.size() && pattern[in_pattern] == '*') ++in_pattern;
  return in_pattern == pattern.size();
}

std::optional<int> sum_of(std::string_view text, const ValueOf& value_of) {
  return Sum(text, value_of).whole();
}

}  // namespace reprise::apps::lint::shell
