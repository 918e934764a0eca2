#include "simulator/api_server/store/version.h"

#include <boost/json/serialize.hpp>

#include "simulator/api_server/store/envelope.h"

namespace reprise::simulator {

const std::string& Version::text() const {
  if (text_.empty()) text_ = boost::json::serialize(object_);
  return text_;
}

const std::string& Version::metadata_text() const {
  if (metadata_text_.empty()) metadata_text_ = partial_metadata(object_);
  return metadata_text_;
}

std::string partial_metadata(const Value& object) {
  const Value* metadata = find(object, {"metadata"});
  return enclosed(JsonObject{{"kind", "PartialObjectMetadata"}, {"apiVersion", "meta.k8s.io/v1"}}, "metadata",
                  metadata == nullptr ? "{}" : boost::json::serialize(*metadata));
}

}  // namespace reprise::simulator
