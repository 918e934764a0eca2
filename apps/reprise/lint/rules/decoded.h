// Manifests as the operator reads them.
#pragma once

#include <boost/json/serialize.hpp>
#include <memory>
#include <utility>

#include "apps/reprise/lint/source.h"
#include "controllers/gpupool/decide/observation.h"

namespace reprise::apps::lint {

// Null: it cannot be read.
template <class Kind>
std::shared_ptr<Kind> decoded(const Manifest& manifest) {
  auto object = kube::KindOf<Kind>::decode(boost::json::serialize(manifest.object));
  return object ? std::make_shared<Kind>(*std::move(object)) : nullptr;
}

}  // namespace reprise::apps::lint
