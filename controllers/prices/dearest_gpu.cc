#include "controllers/prices/dearest_gpu.h"

#include <algorithm>
#include <set>

#include "controllers/gpupool/providers/catalog.h"
#include "controllers/gpupool/providers/machine_types.h"
#include "controllers/gpupool/providers/provider_keys.h"
#include "controllers/gpupool/providers/requirements.h"

namespace reprise::controllers::prices {
namespace {

using gpupool::catalog;
using gpupool::counted_gpus;
using gpupool::find_instance_type;
using gpupool::find_machine_type;
using gpupool::InstanceType;
using gpupool::MachineType;

std::int64_t fewest_gpus(const api::GpuPoolSpec& spec) {
  const auto& counts = spec.gpu.counts_per_node;
  return counts.empty() ? 1 : std::max(*std::ranges::min_element(counts), 1);
}

// True for a type that all fields of the pool admit, by the tables of machines. Nobody knows of one that is in none.
bool may_be_rented(const api::GpuPoolSpec& spec, std::string_view type) {
  const MachineType* machine = find_machine_type(type);
  return machine == nullptr || (gpupool::admits(spec, {machine->name, machine->gpu_model, counted_gpus(*machine),
                                                       machine->gpu_memory_mib, 0}) &&
                                gpupool::meets_requirements(*machine, spec));
}

// Those that the pool names and that have no price in the catalogue.
std::vector<std::string_view> further_types(const api::GpuPoolSpec& spec) {
  std::vector<std::string_view> found;
  const auto add = [&](std::string_view name) {
    if (find_instance_type(name) == nullptr && may_be_rented(spec, name)) found.push_back(name);
  };
  for (const std::string& name : spec.instance_types) add(name);
  if (spec.instance_types.empty())
    for (const api::InstancePrice& price : spec.prices) add(price.instance_type);
  return found;
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

// Those of the catalogue.
std::vector<const InstanceType*> admitted(const api::GpuPoolSpec& spec) {
  const auto keys = spec.node_class_ref ? gpupool::provider_keys(spec.node_class_ref->group) : std::nullopt;
  if (!keys || !keys->types_are_in_catalogue) return {};
  std::vector<const InstanceType*> found;
  for (const InstanceType& known : catalog())
    if (may_be_rented(spec, known.name)) found.push_back(&known);
  return found;
}

bool has_price(const api::GpuPoolSpec& spec, std::string_view instance_type, api::CapacityType type) {
  return std::ranges::any_of(spec.prices, [&](const api::InstancePrice& price) {
    return price.capacity_type == type && price.instance_type == instance_type;
  });
}

// What the pool may rent and somebody knows a price of.
std::vector<Priced> all_priced(const api::GpuPoolSpec& spec, api::CapacityType type, PriceTable table) {
  std::vector<Priced> found;
  const auto add = [&](std::string_view name, std::int64_t gpus) {
    const bool is_new = std::ranges::find(found, name, &Priced::instance_type) == found.end();
    const auto price = price_of_machine(spec, name, type, table, dearest_stated);
    if (is_new && price) found.push_back({name, *price, gpus});
  };
  for (const InstanceType* known : admitted(spec)) add(known->name, known->gpus);
  for (const std::string_view name : further_types(spec)) {
    if (spec.instance_types.empty() && !has_price(spec, name, type)) continue;
    const MachineType* machine = find_machine_type(name);
    add(name, machine == nullptr ? fewest_gpus(spec) : counted_gpus(*machine));
  }
  return found;
}

}  // namespace

std::vector<std::int64_t> gpus_of_machines(const api::GpuPoolSpec& spec) {
  std::set<std::int64_t> found;
  bool all_known = true;
  for (const InstanceType* known : admitted(spec)) found.insert(known->gpus);
  for (const std::string_view name : further_types(spec)) {
    const MachineType* machine = find_machine_type(name);
    if (machine != nullptr) found.insert(counted_gpus(*machine));
    all_known = all_known && (machine != nullptr || spec.instance_types.empty());
  }
  if (found.empty() || !all_known) {
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
