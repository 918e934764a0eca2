// A sample object's JSON from its parts.
#pragma once

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <string>
#include <string_view>
#include <utility>

namespace bench {

[[nodiscard]] inline std::string object_text(std::string_view api_version, std::string_view kind,
                                             boost::json::object metadata, boost::json::object spec,
                                             boost::json::object status) {
  return boost::json::serialize(boost::json::object{{"apiVersion", api_version},
                                                    {"kind", kind},
                                                    {"metadata", std::move(metadata)},
                                                    {"spec", std::move(spec)},
                                                    {"status", std::move(status)}});
}

}  // namespace bench
