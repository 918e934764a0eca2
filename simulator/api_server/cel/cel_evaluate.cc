#include <re2/re2.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "simulator/api_server/cel/cel.h"
#include "simulator/api_server/store/equality.h"

namespace reprise::simulator::cel {
namespace {

using Kind = Expression::Kind;
using Outcome = runtime::Result<Value>;

std::unexpected<runtime::Error> wrong(std::string what) {
  return runtime::fail(runtime::ErrorClass::Invalid, std::move(what));
}

std::unexpected<runtime::Error> no_overload(std::string_view of) {
  return wrong("no such overload: " + std::string(of));
}

std::string_view text_of(const Value& value) {
  const auto* found = value.if_string();
  return found == nullptr ? std::string_view{} : std::string_view(found->data(), found->size());
}

std::optional<std::int64_t> whole(const Value& value) {
  if (const auto* number = value.if_int64()) return *number;
  if (const auto* number = value.if_uint64()) return static_cast<std::int64_t>(*number);
  return {};
}

Value from_text(std::string_view text) {
  return Value(boost::json::string_view(text.data(), text.size()));
}

Outcome size_of(const Value& value) {
  if (const JsonArray* list = value.if_array()) return Value(static_cast<std::int64_t>(list->size()));
  if (const JsonObject* map = value.if_object()) return Value(static_cast<std::int64_t>(map->size()));
  if (!value.is_string()) return no_overload("size");
  return Value(static_cast<std::int64_t>(
      std::ranges::count_if(text_of(value), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; })));
}

Outcome to_int(const Value& value) {
  if (whole(value)) return value;
  std::int64_t number = 0;
  const std::string_view text = text_of(value);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return wrong("int: no number");
  return Value(number);
}

Outcome split(std::string_view text, std::string_view by) {
  if (by.empty()) return no_overload("split by nothing");
  JsonArray parts;
  for (auto at = text.find(by); at != std::string_view::npos; at = text.find(by)) {
    parts.push_back(from_text(text.substr(0, at)));
    text.remove_prefix(at + by.size());
  }
  parts.push_back(from_text(text));
  return Value(std::move(parts));
}

Outcome substring(std::string_view text, const std::vector<Value>& bounds) {
  const auto from = whole(bounds[0]);
  const auto to = bounds.size() > 1 ? whole(bounds[1]) : static_cast<std::int64_t>(text.size());
  if (!from || !to || *from < 0 || *to < *from || *to > static_cast<std::int64_t>(text.size()))
    return wrong("substring: out of range");
  return from_text(text.substr(static_cast<std::size_t>(*from), static_cast<std::size_t>(*to - *from)));
}

Outcome sum(const JsonArray& list) {
  std::int64_t total = 0;
  for (const Value& each : list) {
    const auto number = whole(each);
    if (!number) return no_overload("sum");
    total += *number;
  }
  return Value(total);
}

Outcome matches(std::string_view text, std::string_view pattern) {
  const re2::RE2 matcher(re2::StringPiece(pattern.data(), pattern.size()), re2::RE2::Quiet);
  if (!matcher.ok()) return wrong("matches: " + matcher.error());
  return Value(re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), matcher));
}

Outcome text_method(std::string_view name, std::string_view text, const std::vector<Value>& given) {
  if (given.empty()) return no_overload(name);
  if (name == "substring") return substring(text, given);
  if (!given[0].is_string()) return no_overload(name);
  const std::string_view other = text_of(given[0]);
  if (name == "matches") return matches(text, other);
  if (name == "startsWith") return Value(text.starts_with(other));
  if (name == "endsWith") return Value(text.ends_with(other));
  if (name == "contains") return Value(text.find(other) != std::string_view::npos);
  if (name == "split") return split(text, other);
  return wrong("unknown function " + std::string(name));
}

Outcome arithmetic(char sign, std::int64_t left, std::int64_t right) {
  if ((sign == '/' || sign == '%') && right == 0) return wrong("division by zero");
  switch (sign) {
    case '+':
      return Value(left + right);
    case '-':
      return Value(left - right);
    case '*':
      return Value(left * right);
    case '/':
      return Value(left / right);
    default:
      return Value(left % right);
  }
}

template <class Operand>
bool holds(std::string_view sign, const Operand& left, const Operand& right) {
  if (sign == "<") return left < right;
  if (sign == "<=") return left <= right;
  if (sign == ">") return left > right;
  return left >= right;
}

Outcome is_in(const Value& what, const Value& where) {
  if (const JsonArray* list = where.if_array())
    return Value(std::ranges::any_of(*list, [&](const Value& each) { return equal(each, what); }));
  if (where.is_object() && what.is_string()) return Value(where.get_object().contains(text_of(what)));
  return no_overload("in");
}

Outcome binary(std::string_view sign, const Value& left, const Value& right) {
  if (sign == "==") return Value(equal(left, right));
  if (sign == "!=") return Value(!equal(left, right));
  if (sign == "in") return is_in(left, right);
  const bool order = sign.front() == '<' || sign.front() == '>';
  if (left.is_string() && right.is_string()) {
    if (order) return Value(holds(sign, text_of(left), text_of(right)));
    if (sign == "+") return from_text(std::string(text_of(left)) + std::string(text_of(right)));
  }
  if (order && left.is_number() && right.is_number() && (left.is_double() || right.is_double()))
    return Value(holds(sign, left.to_number<double>(), right.to_number<double>()));
  const auto a = whole(left);
  const auto b = whole(right);
  if (!a || !b) return no_overload(sign);
  return order ? Outcome(Value(holds(sign, *a, *b))) : arithmetic(sign.front(), *a, *b);
}

// && and ||: an error on one side does not matter where the other decides.
Outcome logic(const Expression& expression, const Scope& scope) {
  const bool decides = expression.text == "||";
  std::optional<runtime::Error> error;
  for (const Expression& part : expression.parts) {
    auto side = evaluate(part, scope);
    if (side && side->is_bool() && side->get_bool() == decides) return Value(decides);
    if (!side)
      error = std::move(side).error();
    else if (!side->is_bool())
      error = no_overload(expression.text).error();
  }
  if (error) return std::unexpected(*std::move(error));
  return Value(!decides);
}

Outcome member(const Expression& expression, const Scope& scope) {
  auto of = evaluate(expression.parts[0], scope);
  if (!of) return of;
  const Value* found = find(*of, {expression.text});
  if (found == nullptr) return wrong("no such key: " + expression.text);
  return Value(*found);
}

Outcome has(const Expression& expression, const Scope& scope) {
  if (expression.parts.size() != 1 || expression.parts[0].kind != Kind::Member) return no_overload("has");
  auto of = evaluate(expression.parts[0].parts[0], scope);
  if (!of) return of;
  const Value* found = find(*of, {expression.parts[0].text});
  return Value(found != nullptr && !found->is_null());
}

Outcome index(const Value& of, const Value& at) {
  if (const JsonArray* list = of.if_array()) {
    const auto number = whole(at);
    if (!number || *number < 0 || *number >= static_cast<std::int64_t>(list->size()))
      return wrong("index out of bounds");
    return Value((*list)[static_cast<std::size_t>(*number)]);
  }
  const Value* found = at.is_string() ? find(of, {text_of(at)}) : nullptr;
  if (found == nullptr) return wrong("no such key");
  return Value(*found);
}

// exists(x, condition), all(x, condition), map(x, value): over the elements of a list or the keys of a map.
Outcome comprehension(const Expression& expression, const Scope& scope) {
  auto of = evaluate(expression.parts[0], scope);
  if (!of) return of;
  JsonArray elements;
  if (const JsonArray* list = of->if_array())
    elements = *list;
  else if (const JsonObject* map = of->if_object())
    for (const auto& each : *map) elements.push_back(from_text(each.key()));
  else
    return no_overload(expression.text);
  const bool exists = expression.text == "exists";
  std::optional<runtime::Error> error;
  JsonArray mapped;
  for (const Value& element : elements) {
    const Scope inner{.name = expression.parts[1].text, .value = &element, .around = &scope};
    auto outcome = evaluate(expression.parts[2], inner);
    if (!outcome) {
      error = std::move(outcome).error();
    } else if (expression.text == "map") {
      mapped.push_back(*std::move(outcome));
    } else if (outcome->is_bool() && outcome->get_bool() == exists) {
      return Value(exists);
    }
  }
  if (error) return std::unexpected(*std::move(error));
  if (expression.text == "map") return Value(std::move(mapped));
  return Value(!exists);
}

Outcome method(const Expression& expression, const Scope& scope) {
  const std::string& name = expression.text;
  if ((name == "exists" || name == "all" || name == "map") && expression.parts.size() == 3 &&
      expression.parts[1].kind == Kind::Name)
    return comprehension(expression, scope);
  auto of = evaluate(expression.parts[0], scope);
  if (!of) return of;
  std::vector<Value> given;
  for (std::size_t i = 1; i < expression.parts.size(); ++i) {
    auto argument = evaluate(expression.parts[i], scope);
    if (!argument) return argument;
    given.push_back(*std::move(argument));
  }
  if (name == "size" && given.empty()) return size_of(*of);
  if (name == "sum" && given.empty() && of->is_array()) return sum(of->get_array());
  if (of->is_string()) return text_method(name, text_of(*of), given);
  return wrong("unknown function " + name);
}

Outcome function(const Expression& expression, const Scope& scope) {
  if (expression.text == "has") return has(expression, scope);
  if (expression.parts.size() != 1) return wrong("unknown function " + expression.text);
  auto of = evaluate(expression.parts[0], scope);
  if (!of) return of;
  if (expression.text == "size") return size_of(*of);
  if (expression.text == "int") return to_int(*of);
  return wrong("unknown function " + expression.text);
}

Outcome variable(const Expression& expression, const Scope& scope) {
  for (const Scope* at = &scope; at != nullptr; at = at->around)
    if (at->name == expression.text) return Value(*at->value);
  return wrong("unknown name " + expression.text);
}

Outcome negated(const Expression& expression, const Scope& scope) {
  auto of = evaluate(expression.parts[0], scope);
  if (!of) return of;
  if (expression.kind == Kind::Not && of->is_bool()) return Value(!of->get_bool());
  const auto number = whole(*of);
  if (expression.kind == Kind::Negate && number) return Value(-*number);
  return no_overload(expression.kind == Kind::Not ? "!" : "-");
}

Outcome pair(const Expression& expression, const Scope& scope) {
  auto left = evaluate(expression.parts[0], scope);
  if (!left) return left;
  auto right = evaluate(expression.parts[1], scope);
  if (!right) return right;
  return expression.kind == Kind::Index ? index(*left, *right) : binary(expression.text, *left, *right);
}

Outcome list(const Expression& expression, const Scope& scope) {
  JsonArray elements;
  for (const Expression& part : expression.parts) {
    auto element = evaluate(part, scope);
    if (!element) return element;
    elements.push_back(*std::move(element));
  }
  return Value(std::move(elements));
}

Outcome conditional(const Expression& expression, const Scope& scope) {
  auto condition = evaluate(expression.parts[0], scope);
  if (!condition) return condition;
  if (!condition->is_bool()) return no_overload("?:");
  return evaluate(expression.parts[condition->get_bool() ? 1 : 2], scope);
}

}  // namespace

Outcome evaluate(const Expression& expression, const Scope& scope) {
  switch (expression.kind) {
    case Kind::Literal:
      return Value(expression.literal);
    case Kind::Name:
      return variable(expression, scope);
    case Kind::Member:
      return member(expression, scope);
    case Kind::Function:
      return function(expression, scope);
    case Kind::Method:
      return method(expression, scope);
    case Kind::List:
      return list(expression, scope);
    case Kind::Not:
    case Kind::Negate:
      return negated(expression, scope);
    case Kind::Conditional:
      return conditional(expression, scope);
    case Kind::Binary:
      if (expression.text == "&&" || expression.text == "||") return logic(expression, scope);
      return pair(expression, scope);
    case Kind::Index:
      return pair(expression, scope);
  }
  return wrong("unknown expression");
}

}  // namespace reprise::simulator::cel
