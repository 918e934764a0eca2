#include "controllers/gpupool/limits/rents_nothing.h"

#include <algorithm>

#include "controllers/gpupool/machines/rented.h"
#include "controllers/gpupool/providers/machine_types.h"

namespace reprise::controllers::gpupool {
namespace {

bool has_newer_machine(const Observation& seen) {
  return std::ranges::any_of(seen.node_claims, [&](const auto& claim) {
    const std::string_view type = claim->meta.label("node.kubernetes.io/instance-type");
    return !type.empty() && is_rented(seen, *claim) && find_machine_type(type) == nullptr;
  });
}

std::string_view reason_of_lack(rentable::Lack lack) {
  switch (lack) {
    case rentable::Lack::InstanceType:
      return "NoInstanceType";
    case rentable::Lack::Limit:
      return "LimitBelowOneNode";
    case rentable::Lack::Cost:
      return "CostLimitBelowOneNode";
  }
  return {};
}

}  // namespace

std::optional<RentsNothing> rents_nothing(const Observation& seen) {
  const auto misfit = rentable::pool_misfit(seen.pool->spec, seen.price_table);
  if (!misfit || has_newer_machine(seen)) return std::nullopt;
  return RentsNothing{misfit->lack, reason_of_lack(misfit->lack), misfit->misfit.text()};
}

}  // namespace reprise::controllers::gpupool
