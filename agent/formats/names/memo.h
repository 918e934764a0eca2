// Memo keeps the results of a pure function of a name: a volume at rest has the same names at each look.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace reprise::agent {

// Holds at most `most` names; begins anew when one more comes. For one thread.
template <class Value>
class Memo {
 public:
  explicit Memo(std::size_t most) : most_(most) {}

  // The reference holds until the next call. `read` calls no memo of the same kind.
  template <class Read>
  const Value& of(std::string_view name, Read&& read) {
    if (const auto known = values_.find(name); known != values_.end()) return known->second;
    Value value = std::forward<Read>(read)(name);
    if (values_.size() >= most_) values_.clear();
    return values_.emplace(name, std::move(value)).first->second;
  }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view name) const { return std::hash<std::string_view>{}(name); }
  };
  std::size_t most_;
  std::unordered_map<std::string, Value, Hash, std::equal_to<>> values_;
};

}  // namespace reprise::agent
