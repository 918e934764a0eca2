#include <algorithm>
#include <string>

#include "simulator/invariants/invariants.h"

namespace reprise::simulator {
namespace {

class WarmGpusAreFew final : public Invariant {
 public:
  explicit WarmGpusAreFew(const ApiServer& api)
      : api_(api), pods_(api.resource("", "pods")), pools_(api.resource("reprise.dev", "gpupools")) {}
  [[nodiscard]] std::string_view name() const override { return "warm-gpus-are-few"; }

  void on_change(const ObjectChange& change, const Objection& object_to) override {
    // When a pool wants fewer now, its existing pods go one after the other.
    if (change.resource != pods_ || change.change != Change::Added) return;
    const std::string pool_name(kept_for(*change.object));
    const ObjectPtr pool = pool_name.empty() ? nullptr : api_.get({pools_, "", pool_name});
    if (!pool) return;
    std::int64_t wanted = number(*pool, {"spec", "warm", "gpus"});
    for (const Value& each : array(*pool, {"spec", "warm", "schedules"}))
      wanted = std::max(wanted, number(each, {"gpus"}));
    std::int64_t kept = 0;
    for (const ObjectPtr& pod : api_.list(pods_))
      if (kept_for(*pod) == pool_name && !being_deleted(*pod)) ++kept;
    if (kept > wanted)
      object_to("GpuPool " + pool_name + " keeps " + std::to_string(kept) + " GPUs ready with pod " +
                std::string(name_of(*change.object)) + ", and wants " + std::to_string(wanted));
  }

 private:
  static std::string_view kept_for(const Value& pod) { return text(pod, {"metadata", "labels", "reprise.dev/warm"}); }

  const ApiServer& api_;
  ResourceId pods_, pools_;
};

}  // namespace

std::unique_ptr<Invariant> warm_gpus_are_few(const ApiServer& api) {
  return std::make_unique<WarmGpusAreFew>(api);
}

}  // namespace reprise::simulator
