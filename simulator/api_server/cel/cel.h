// The Common Expression Language as far as rules of CustomResourceDefinitions need it: fields, has(), comparisons,
// logic, arithmetic on whole numbers, lists, exists(), all(), map(), and a few functions of texts and lists. An unknown
// part is an error that names it: a rule never counts as fulfilled because it was not understood.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/error.h"
#include "simulator/base/json.h"

namespace reprise::simulator::cel {

struct Expression {
  enum class Kind { Literal, Name, Member, Index, Function, Method, List, Not, Negate, Binary, Conditional };
  Kind kind = Kind::Literal;
  std::string text = {};  // the name, member, function or operator
  Value literal = {};
  std::vector<Expression> parts = {};  // operands; of a method the object first
};

// Invalid: not an expression, or one that is not known here.
[[nodiscard]] runtime::Result<Expression> parse(std::string_view rule);

// A variable and those around it.
struct Scope {
  std::string_view name;
  const Value* value = nullptr;
  const Scope* around = nullptr;
};

// Invalid: a field that is not there, a value of another type, an unknown function.
[[nodiscard]] runtime::Result<Value> evaluate(const Expression& expression, const Scope& scope);

// True when a variable of that name is read.
[[nodiscard]] bool mentions(const Expression& expression, std::string_view name);

}  // namespace reprise::simulator::cel
