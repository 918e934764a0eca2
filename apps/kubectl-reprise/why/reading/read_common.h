// Short ways to read a member of an object; private to this folder. A missing member, or one of another type, is
// absent.
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <initializer_list>
#include <optional>
#include <string>

#include "apps/kubectl-reprise/why/reading/objects.h"

namespace reprise::plugin::why {

using Path = std::initializer_list<std::string_view>;

// nullptr when it is not there.
[[nodiscard]] const boost::json::value* find_at(const boost::json::value& object, Path path);
[[nodiscard]] std::string string_at(const boost::json::value& object, Path path);
[[nodiscard]] std::int64_t number_at(const boost::json::value& object, Path path, std::int64_t otherwise = 0);
[[nodiscard]] bool flag_at(const boost::json::value& object, Path path);
[[nodiscard]] const boost::json::array& items_at(const boost::json::value& object, Path path);
[[nodiscard]] std::optional<kube::Time> time_at(const boost::json::value& object, Path path);
[[nodiscard]] std::vector<Taint> read_taints(const boost::json::value& object, Path path);
// The members that are texts or whole numbers.
[[nodiscard]] Texts texts_at(const boost::json::value& object, Path path);

}  // namespace reprise::plugin::why
