// labelSelector and fieldSelector of lists and watches.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "simulator/api_server/schema/kind_rules.h"

namespace reprise::simulator {

class Selector {
 public:
  // BadRequest when a text cannot be read or the kind does not know a field.
  [[nodiscard]] static Answer<Selector> parse(const KindRules& rules, std::string_view labels, std::string_view fields);
  [[nodiscard]] bool matches(const Value& object) const;
  [[nodiscard]] bool matches_all() const { return labels_.empty() && fields_.empty(); }

 private:
  enum class Test { Equal, Unequal, In, NotIn, Present, Absent };
  struct Label {
    std::string key;
    Test test;
    std::vector<std::string> values;
  };
  struct Field {
    std::string path, value;
    bool equal;
  };
  friend class LabelReader;

  std::vector<Label> labels_;
  std::vector<Field> fields_;
};

}  // namespace reprise::simulator
