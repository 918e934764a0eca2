// Python pickles (protocols 0 to 5 as far as torch writes them), read as plain data: no code of theirs is run, classes
// are names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace reprise::agent {

struct PickleNode {
  enum class Kind { Other, Number, Text, Sequence, Mapping, Class, Object };
  Kind kind = Kind::Other;
  std::int64_t number = 0;         // 1 for True, 0 for False
  std::string_view text;           // name of a class, without the module
  std::vector<std::size_t> items;  // a mapping's key, value, key, value …; an object's class, then its arguments
  std::optional<std::size_t> state;
};

// All nodes, in the order of their appearance; items and states are places in it. Views lead into the text.
using Pickle = std::vector<PickleNode>;

// Empty when the text is no pickle, is cut off, or has an opcode that is not known here.
[[nodiscard]] std::optional<Pickle> read_pickle(std::string_view text);

// The value of that key, when the node is a mapping and has it.
[[nodiscard]] const PickleNode* member(const Pickle& pickle, std::size_t mapping, std::string_view key);

// The same of a number that is not negative.
[[nodiscard]] std::optional<std::int64_t> number_in(const Pickle& pickle, std::size_t mapping, std::string_view key);

}  // namespace reprise::agent
