// A jsoncpp tree as compact text. Json::writeString makes a writer, a stream and a locale for each text, which costs
// several times as much as the text itself.
#pragma once

#include <string>

namespace Json {
class Value;
}

namespace reprise::runtime {

// One line, members in the order of their names, UTF-8 as it is; numbers as jsoncpp writes them.
[[nodiscard]] std::string compact_json(const Json::Value& tree);

}  // namespace reprise::runtime
