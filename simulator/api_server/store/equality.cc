#include "simulator/api_server/store/equality.h"

#include <algorithm>

namespace reprise::simulator {

bool equal(const JsonObject& left, const JsonObject& right) {
  if (left.size() != right.size()) return false;
  const auto* other = right.begin();
  for (const auto& member : left) {
    const Value* same = nullptr;
    if (other->key() == member.key()) {
      same = &other->value();
    } else {
      same = right.if_contains(member.key());
    }
    if (same == nullptr || !equal(member.value(), *same)) return false;
    ++other;
  }
  return true;
}

bool equal(const Value& left, const Value& right) {
  if (left.is_object() && right.is_object()) return equal(left.get_object(), right.get_object());
  if (left.is_array() && right.is_array()) {
    return std::ranges::equal(left.get_array(), right.get_array(),
                              [](const Value& a, const Value& b) { return equal(a, b); });
  }
  return left == right;
}

}  // namespace reprise::simulator
