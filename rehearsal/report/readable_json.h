// JSON that a person can read and compare line by line: a member of the whole a line, an element of its lists a line.
//
// The one writer of such JSON, since no library's does this: Boost.JSON writes all in one line and 4.2 as 4.2E0,
// jsoncpp sorts the keys and takes eight lines for a span of a timeline that is read as one.
#pragma once

#include <boost/json/value.hpp>
#include <string>

namespace reprise::rehearsal {

[[nodiscard]] std::string readable_json(const boost::json::value& value);

}  // namespace reprise::rehearsal
