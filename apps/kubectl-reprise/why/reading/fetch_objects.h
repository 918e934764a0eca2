// Fetches the objects for explain() from a cluster. Kinds that the user may not read are left out and named in
// Objects::unseen.
#pragma once

#include <boost/json/value.hpp>
#include <string_view>
#include <vector>

#include "apps/kubectl-reprise/why/reading/objects.h"
#include "runtime/client/client.h"

namespace reprise::plugin::why {

// Reads objects as JSON.
class ObjectSource {
 public:
  virtual ~ObjectSource() = default;
  [[nodiscard]] virtual runtime::Result<boost::json::value> get(const kube::KindInfo& kind, std::string_view ns,
                                                                std::string_view name) = 0;
  // All pages. `ns` empty: all namespaces.
  [[nodiscard]] virtual runtime::Result<std::vector<boost::json::value>> list(const kube::KindInfo& kind,
                                                                              std::string_view ns,
                                                                              runtime::ListOptions options) = 0;
};

// Errors: the job itself cannot be read, or the API server does not answer.
[[nodiscard]] runtime::Result<Objects> fetch_for_job(ObjectSource& source, std::string_view ns, std::string_view name);
[[nodiscard]] runtime::Result<Objects> fetch_for_pool(ObjectSource& source, std::string_view name);

}  // namespace reprise::plugin::why
