#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <optional>
#include <utility>

#include "simulator/api_server/cel/cel.h"

namespace reprise::simulator::cel {
namespace {

using Kind = Expression::Kind;

struct Token {
  enum class Type { Name, Number, Text, Sign, End };
  Type type = Type::End;
  std::string text = {};
};

struct SyntaxError {
  std::string what;
};

constexpr std::array<std::string_view, 6> kLongSigns{"||", "&&", "==", "!=", "<=", ">="};
constexpr int kMostDeep = 200;

bool is_name_part(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

class Lexer {
 public:
  explicit Lexer(std::string_view rule) : rest_(rule) {}

  Token next() {
    while (!rest_.empty() && std::isspace(static_cast<unsigned char>(rest_.front())) != 0) rest_.remove_prefix(1);
    if (rest_.empty()) return {};
    const char first = rest_.front();
    if (first == '\'' || first == '"') return quoted(first);
    if (is_name_part(first)) {
      const auto end = std::ranges::find_if_not(rest_, is_name_part);
      const bool number = std::isdigit(static_cast<unsigned char>(first)) != 0;
      return {number ? Token::Type::Number : Token::Type::Name, take(static_cast<std::size_t>(end - rest_.begin()))};
    }
    for (const std::string_view sign : kLongSigns)
      if (rest_.starts_with(sign)) return {Token::Type::Sign, take(2)};
    return {Token::Type::Sign, take(1)};
  }

 private:
  std::string take(std::size_t size) {
    std::string taken(rest_.substr(0, size));
    rest_.remove_prefix(size);
    return taken;
  }

  Token quoted(char quote) {
    std::string text;
    for (std::size_t i = 1; i < rest_.size(); ++i) {
      if (rest_[i] == quote) {
        rest_.remove_prefix(i + 1);
        return {Token::Type::Text, text};
      }
      if (rest_[i] != '\\') {
        text += rest_[i];
        continue;
      }
      if (++i == rest_.size()) break;
      constexpr std::string_view kPlain = "\\'\"?`";
      if (kPlain.find(rest_[i]) == std::string_view::npos) throw SyntaxError{std::string("an escape \\") + rest_[i]};
      text += rest_[i];
    }
    throw SyntaxError{"a text that does not end"};
  }

  std::string_view rest_;
};

class Parser {
 public:
  explicit Parser(std::string_view rule) : lexer_(rule), token_(lexer_.next()) {}

  Expression whole() {
    Expression found = conditional();
    if (token_.type != Token::Type::End) throw SyntaxError{"'" + token_.text + "' behind the end"};
    return found;
  }

 private:
  bool sees(std::string_view sign) const {
    return (token_.type == Token::Type::Sign || token_.type == Token::Type::Name) && token_.text == sign;
  }
  bool accept(std::string_view sign) {
    if (!sees(sign)) return false;
    token_ = lexer_.next();
    return true;
  }
  void expect(std::string_view sign) {
    if (!accept(sign)) throw SyntaxError{"'" + token_.text + "', must be '" + std::string(sign) + "'"};
  }
  std::string name() {
    if (token_.type != Token::Type::Name) throw SyntaxError{"'" + token_.text + "', must be a name"};
    return std::exchange(token_, lexer_.next()).text;
  }

  Expression conditional() {
    if (++depth_ > kMostDeep) throw SyntaxError{"too much nesting"};
    Expression found = binary(0);
    if (accept("?")) {
      Expression yes = conditional();
      expect(":");
      Expression no = conditional();
      found = {.kind = Kind::Conditional, .parts = {std::move(found), std::move(yes), std::move(no)}};
    }
    --depth_;
    return found;
  }

  // Operators from the weakest to the strongest.
  Expression binary(std::size_t level) {
    static const std::vector<std::vector<std::string_view>> levels{
        {"||"}, {"&&"}, {"==", "!=", "<=", ">=", "<", ">", "in"}, {"+", "-"}, {"*", "/", "%"}};
    if (level == levels.size()) return unary();
    Expression left = binary(level + 1);
    while (true) {
      const auto sign = std::ranges::find_if(levels[level], [&](std::string_view each) { return sees(each); });
      if (sign == levels[level].end()) return left;
      token_ = lexer_.next();
      Expression right = binary(level + 1);
      left = {.kind = Kind::Binary, .text = std::string(*sign), .parts = {std::move(left), std::move(right)}};
    }
  }

  Expression unary() {
    if (accept("!")) return {.kind = Kind::Not, .parts = {unary()}};
    if (accept("-")) return {.kind = Kind::Negate, .parts = {unary()}};
    return member(primary());
  }

  Expression member(Expression of) {
    while (true) {
      if (accept(".")) {
        std::string named = name();
        const bool call = sees("(");
        of = {.kind = call ? Kind::Method : Kind::Member, .text = std::move(named), .parts = {std::move(of)}};
        if (call) arguments("(", ")", of.parts);
      } else if (accept("[")) {
        Expression at = conditional();
        expect("]");
        of = {.kind = Kind::Index, .parts = {std::move(of), std::move(at)}};
      } else {
        return of;
      }
    }
  }

  void arguments(std::string_view open, std::string_view close, std::vector<Expression>& parts) {
    expect(open);
    while (!accept(close)) {
      parts.push_back(conditional());
      if (!accept(",") && !sees(close)) expect(close);
    }
  }

  Expression primary() {
    if (token_.type == Token::Type::Text) return {.literal = Value(std::exchange(token_, lexer_.next()).text)};
    if (token_.type == Token::Type::Number) return number();
    if (accept("(")) {
      Expression inner = conditional();
      expect(")");
      return inner;
    }
    if (sees("[")) {
      Expression list{.kind = Kind::List};
      arguments("[", "]", list.parts);
      return list;
    }
    std::string named = name();
    if (named == "true" || named == "false") return {.literal = Value(named == "true")};
    if (named == "null") return {};
    if (!sees("(")) return {.kind = Kind::Name, .text = std::move(named)};
    Expression call{.kind = Kind::Function, .text = std::move(named)};
    arguments("(", ")", call.parts);
    return call;
  }

  Expression number() {
    const std::string digits = std::exchange(token_, lexer_.next()).text;
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc{} || end != digits.data() + digits.size()) throw SyntaxError{"the number " + digits};
    return {.literal = Value(value)};
  }

  Lexer lexer_;
  Token token_;
  int depth_ = 0;
};

}  // namespace

runtime::Result<Expression> parse(std::string_view rule) {
  try {
    return Parser(rule).whole();
  } catch (const SyntaxError& wrong) {
    return runtime::fail(runtime::ErrorClass::Invalid, "the rule \"" + std::string(rule) + "\": found " + wrong.what);
  }
}

bool mentions(const Expression& expression, std::string_view name) {
  return (expression.kind == Kind::Name && expression.text == name) ||
         std::ranges::any_of(expression.parts, [&](const Expression& part) { return mentions(part, name); });
}

}  // namespace reprise::simulator::cel
