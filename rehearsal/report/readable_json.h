// JSON that a person can read and compare line by line: a member of the whole a line, an element of its lists a line.
// Numbers are decimal; Boost.JSON's own way to write 4.2 is 4.2E0.
#pragma once

#include <boost/json/value.hpp>
#include <string>

namespace reprise::rehearsal {

[[nodiscard]] std::string readable_json(const boost::json::value& value);

}  // namespace reprise::rehearsal
