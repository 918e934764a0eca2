#include "controllers/prices/dearest_gpu.h"

#include <algorithm>
#include <set>

#include "controllers/gpupool/providers/catalog.h"
#include "controllers/gpupool/providers/provider_keys.h"

namespace reprise::controllers::prices {
namespace {

using gpupool::catalog;
using gpupool::find_instance_type;
using gpupool::InstanceType;

std::int64_t fewest_gpus(const api::GpuPoolSpec& spec) {
  const auto& counts = spec.gpu.counts_per_node;
  return counts.empty() ? 1 : std::max(*std::ranges::min_element(counts), 1);
}

struct Priced {
  std::string_view instance_type;
  MicroUsd per_hour = 0;
  std::int64_t gpus = 1;
};

// By the pool's own table, the cluster's and the catalogue, in this order; `stated` takes one price out of a table's.
template <class Stated>
std::optional<MicroUsd> price_of_machine(const api::GpuPoolSpec& spec, std::string_view instance_type,
                                         api::CapacityType type, PriceTable table, Stated stated) {
  const auto on_demand =
      stated(table, instance_type, api::CapacityType::OnDemand, gpupool::on_demand_micro_usd_per_hour(instance_type));
  const auto common = stated(table, instance_type, type, usual_price(instance_type, type, on_demand));
  return stated(PriceTable(spec.prices), instance_type, type, common);
}

// What the pool may rent and somebody knows a price of.
std::vector<Priced> all_priced(const api::GpuPoolSpec& spec, api::CapacityType type, PriceTable table) {
  std::vector<Priced> found;
  const auto add = [&](std::string_view name, std::int64_t gpus) {
    const bool is_new = std::ranges::find(found, name, &Priced::instance_type) == found.end();
    const auto price = price_of_machine(spec, name, type, table, dearest_stated);
    if (is_new && price) found.push_back({name, *price, gpus});
  };
  const auto keys = spec.node_class_ref ? gpupool::provider_keys(spec.node_class_ref->group) : std::nullopt;
  if (keys && keys->types_are_in_catalogue) {
    for (const InstanceType& known : catalog())
      if (gpupool::admits(spec, known)) add(known.name, known.gpus);
  }
  const auto is_unknown = [](std::string_view name) { return find_instance_type(name) == nullptr; };
  for (const std::string& name : spec.instance_types)
    if (is_unknown(name)) add(name, fewest_gpus(spec));
  if (!spec.instance_types.empty()) return found;
  for (const api::InstancePrice& price : spec.prices)
    if (price.capacity_type == type && is_unknown(price.instance_type)) add(price.instance_type, fewest_gpus(spec));
  return found;
}

}  // namespace

std::vector<std::int64_t> gpus_of_machines(const api::GpuPoolSpec& spec) {
  std::set<std::int64_t> found;
  const auto keys = spec.node_class_ref ? gpupool::provider_keys(spec.node_class_ref->group) : std::nullopt;
  if (keys && keys->types_are_in_catalogue) {
    for (const InstanceType& known : catalog())
      if (gpupool::admits(spec, known)) found.insert(known.gpus);
  }
  const auto is_unknown = [](const std::string& type) { return find_instance_type(type) == nullptr; };
  if (found.empty() || std::ranges::any_of(spec.instance_types, is_unknown)) {
    if (spec.gpu.counts_per_node.empty()) found.insert(1);
    for (const std::int64_t count : spec.gpu.counts_per_node) found.insert(std::max<std::int64_t>(count, 1));
  }
  return {found.begin(), found.end()};
}

std::int64_t gpus_of_machine_for(std::int64_t gpus, const std::vector<std::int64_t>& gpus_of_machines) {
  const auto machine = std::ranges::lower_bound(gpus_of_machines, gpus);
  return machine == gpus_of_machines.end() ? gpus : *machine;
}

std::optional<DearestGpu> dearest_gpu(const api::GpuPoolSpec& spec, api::CapacityType type, PriceTable table) {
  std::optional<DearestGpu> dearest;
  for (const Priced& each : all_priced(spec, type, table)) {
    const MicroUsd per_gpu = (each.per_hour + each.gpus - 1) / each.gpus;
    if (!dearest || per_gpu > dearest->per_hour) dearest = {per_gpu, std::string(each.instance_type)};
  }
  return dearest;
}

std::optional<MicroUsd> cheapest_machine(const api::GpuPoolSpec& spec, std::string_view instance_type,
                                         api::CapacityType type, PriceTable table) {
  return price_of_machine(spec, instance_type, type, table, cheapest_stated);
}

std::vector<std::string> types_with_price(const api::GpuPoolSpec& spec, api::CapacityType type, PriceTable table) {
  std::set<std::string> names;
  for (const Priced& each : all_priced(spec, type, table)) names.emplace(each.instance_type);
  return {names.begin(), names.end()};
}

}  // namespace reprise::controllers::prices
