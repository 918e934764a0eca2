#include "controllers/gpupool/rentable/machines.h"

#include <algorithm>
#include <set>
#include <utility>

#include "controllers/gpupool/providers/provider_keys.h"
#include "runtime/kube/quantity.h"

namespace reprise::controllers::rentable {
namespace {

using gpupool::find_machine_type;
using gpupool::MachineType;

constexpr std::string_view kTypeLabel = "node.kubernetes.io/instance-type";

std::string listed(const std::vector<std::string>& values) {
  std::string out = "[";
  for (std::size_t i = 0; i < values.size(); ++i) out += (i == 0 ? "" : ", ") + values[i];
  return out + "]";
}

// One thing that a machine has to meet.
struct Bound {
  std::string field, found;
  api::NodeRequirement requirement;
};

std::vector<Bound> bounds_of(const api::GpuPoolSpec& spec, const gpupool::ProviderKeys& keys, const Demands& also) {
  std::vector<Bound> out;
  const auto add = [&](std::string field, std::string found, api::NodeRequirement requirement) {
    out.push_back({std::move(field), std::move(found), std::move(requirement)});
  };
  if (!spec.gpu.models.empty())
    add("spec.gpu.models", listed(spec.gpu.models), {keys.gpu_name, "In", spec.gpu.models, {}});
  if (spec.gpu.min_memory_mib) {
    const std::string least = std::to_string(*spec.gpu.min_memory_mib);
    add("spec.gpu.minMemoryMiB", least, {keys.gpu_memory, "Gte", {least}, {}});
  }
  if (!spec.gpu.counts_per_node.empty()) {
    std::vector<std::string> counts;
    for (const std::int32_t count : spec.gpu.counts_per_node) counts.push_back(std::to_string(count));
    add("spec.gpu.countsPerNode", listed(counts), {keys.gpu_count, "In", counts, {}});
  }
  if (!spec.instance_types.empty())
    add("spec.instanceTypes", listed(spec.instance_types), {std::string(kTypeLabel), "In", spec.instance_types, {}});
  for (std::size_t i = 0; i < spec.requirements.size(); ++i)
    add("spec.requirements[" + std::to_string(i) + "]", text_of(spec.requirements[i]), spec.requirements[i]);
  for (const auto& [key, value] : spec.labels) add("spec.labels." + key, value, {key, "In", {std::string(value)}, {}});
  for (const Demand& each : also) add(each.field, text_of(each.requirement), each.requirement);
  std::erase_if(out, [&](const Bound& bound) { return !gpupool::is_told(spec, bound.requirement.key); });
  return out;
}

using Types = std::vector<const MachineType*>;

// Machines of which EC2 reports no whole GPU are meant only where they are named.
Types candidates(const api::GpuPoolSpec& spec) {
  Types out;
  for (const MachineType& type : gpupool::machine_types())
    if (type.gpus > 0 || std::ranges::find(spec.instance_types, type.name) != spec.instance_types.end())
      out.push_back(&type);
  return out;
}

Types meeting(const Types& types, const Bound& bound) {
  Types out;
  std::ranges::copy_if(types, std::back_inserter(out),
                       [&](const MachineType* type) { return meets(*type, bound.requirement); });
  return out;
}

bool is_type(std::string_view key) {
  return key == kTypeLabel || key == "beta.kubernetes.io/instance-type";
}

// A value that a newer machine may have, and that no machine of the table has: another spelling of a model is none.
bool may_be_newer(const api::NodeRequirement& requirement, const std::string& value,
                  const gpupool::ProviderKeys& keys) {
  if (requirement.key == keys.gpu_name && !gpupool::meant_model(value).empty()) return false;
  if (is_type(requirement.key) && !gpupool::meant_type(value).empty()) return false;
  return std::ranges::none_of(gpupool::machine_types(), [&](const MachineType& type) {
    const auto label = gpupool::label_of(type, requirement.key);
    return label && std::ranges::find(*label, value) != label->end();
  });
}

// By these newer machines, and those of other makers, differ from those of the table.
bool names_kinds(std::string_view key, const gpupool::ProviderKeys& keys) {
  return key == keys.gpu_name || is_type(key) || key.ends_with("/instance-family") ||
         key.ends_with("/instance-generation") || key.ends_with("/instance-category");
}

// Each machine of such a kind is like those that the table has of it: a generation, or a category, has more in it.
bool names_one_kind(std::string_view key, const gpupool::ProviderKeys& keys) {
  return key == keys.gpu_name || is_type(key) || key.ends_with("/instance-family");
}

// A later generation may have the model, too.
bool asks_beyond_the_table(const api::NodeRequirement& requirement) {
  const bool later = requirement.op == "Gt" || requirement.op == "Gte";
  return later && requirement.key.ends_with("/instance-generation");
}

// The table may only tell where each machine, or each kind, that is named is in it, and some are named: any GPU may be
// another maker's, or newer.
bool can_claim(const std::vector<Bound>& bounds, const gpupool::ProviderKeys& keys) {
  bool all_types_known = false, all_kinds_known = true, names_any = false;
  for (const Bound& bound : bounds) {
    const api::NodeRequirement& requirement = bound.requirement;
    if (asks_beyond_the_table(requirement)) return false;
    if (requirement.op != "In" || !names_kinds(requirement.key, keys)) continue;
    const bool known = std::ranges::none_of(
        requirement.values, [&](const std::string& value) { return may_be_newer(requirement, value, keys); });
    all_types_known = all_types_known || (known && is_type(requirement.key));
    all_kinds_known = all_kinds_known && known;
    names_any = names_any || names_one_kind(requirement.key, keys);
  }
  return all_types_known || (all_kinds_known && names_any);
}

std::string values_of(const Types& types, std::string_view key) {
  constexpr std::size_t kShown = 6;
  std::vector<std::string> values;
  for (const MachineType* type : types) {
    const auto label = gpupool::label_of(*type, key);
    if (label && std::ranges::find(values, label->front()) == values.end()) values.push_back(label->front());
  }
  std::string out;
  for (std::size_t i = 0; i < std::min(values.size(), kShown); ++i) out += (i == 0 ? "" : ", ") + values[i];
  return values.size() > kShown ? out + ", ..." : out;
}

// The spellings that were meant, of values that no machine's label has; empty: none.
std::string meant_by(const Bound& bound) {
  std::string meant;
  for (const std::string& value : bound.requirement.values)
    if (const std::string name = is_type(bound.requirement.key) ? std::string(gpupool::meant_type(value))
                                                                : std::string(gpupool::meant_model(value));
        !name.empty())
      meant += (meant.empty() ? "" : ", ") + name;
  return meant;
}

// Of a model, or of a family, there may be a newer size.
std::string way_out(const api::GpuPoolSpec& spec, std::initializer_list<const Bound*> bounds) {
  if (!spec.instance_types.empty()) return {};
  const bool of_a_job =
      std::ranges::any_of(bounds, [](const Bound* each) { return each->field.starts_with("spec.template."); });
  return std::string(of_a_job ? ", or let the pool name in spec.instanceTypes" : ", or name in spec.instanceTypes") +
         " a newer type that this version does not know";
}

Misfit alone(const Bound& bound, const api::GpuPoolSpec& spec, const std::string& model_key) {
  const bool names =
      (bound.requirement.key == model_key || is_type(bound.requirement.key)) && bound.requirement.op == "In";
  const std::string meant = names ? meant_by(bound) : std::string();
  const std::string todo = !meant.empty() ? "write " + meant : "change it" + way_out(spec, {&bound});
  return {bound.field, "found " + bound.found + ", which no instance type that this version knows meets; " + todo};
}

Misfit together(const api::GpuPoolSpec& spec, const Bound& one, const Bound& other, const Types& of_other) {
  return {one.field, "found " + one.found + ", which no instance type that this version knows meets together with " +
                         other.field + " " + other.found + ": those that meet the latter have " +
                         values_of(of_other, one.requirement.key) + "; change one of the two" +
                         way_out(spec, {&one, &other})};
}

// Why no candidate meets all of these: the first alone that nothing meets, else the first two that nothing meets
// together, else all.
Misfit explain(const api::GpuPoolSpec& spec, const std::vector<Bound>& bounds, const Types& all,
               const std::string& model_key) {
  for (const Bound& bound : bounds)
    if (meeting(all, bound).empty()) return alone(bound, spec, model_key);
  // The later field is the narrower one, by which the first is explained.
  for (std::size_t later = 1; later < bounds.size(); ++later)
    for (std::size_t i = 0; i < later; ++i) {
      const Types of_first = meeting(all, bounds[i]);
      if (meeting(of_first, bounds[later]).empty()) return together(spec, bounds[later], bounds[i], of_first);
    }
  std::string fields;
  for (const Bound& bound : bounds) fields += (fields.empty() ? "" : ", ") + bound.field + " " + bound.found;
  return {"spec.gpu", "no instance type that this version knows meets all of " + fields + "; change one of them" +
                          way_out(spec, {})};
}

std::vector<std::int64_t> sizes_of(const Types& types) {
  std::set<std::int64_t> sizes;
  for (const MachineType* type : types) sizes.insert(counted_gpus(*type));
  return {sizes.begin(), sizes.end()};
}

// As the pool, or a requirement of its own, says them.
std::optional<std::vector<std::int64_t>> counts_of(const api::GpuPoolSpec& spec, std::string_view count_key) {
  std::set<std::int64_t> counts;
  for (const std::int32_t count : spec.gpu.counts_per_node) counts.insert(std::max(count, 1));
  for (const api::NodeRequirement& each : spec.requirements) {
    if (each.key != count_key || each.op != "In" || !counts.empty()) continue;
    for (const std::string& value : each.values)
      if (const auto count = kube::whole_number(value); count && *count > 0) counts.insert(*count);
  }
  if (counts.empty()) return std::nullopt;
  return std::vector<std::int64_t>(counts.begin(), counts.end());
}

struct Question {
  gpupool::ProviderKeys keys;
  std::vector<Bound> bounds;
};

// Nothing: of its machines the table tells nothing.
std::optional<Question> question_of(const api::GpuPoolSpec& spec, const Demands& also) {
  const auto keys = spec.node_class_ref ? gpupool::provider_keys(spec.node_class_ref->group) : std::nullopt;
  if (!keys || !keys->types_are_in_catalogue) return std::nullopt;
  return Question{*keys, bounds_of(spec, *keys, also)};
}

}  // namespace

Machines machines_of(const api::GpuPoolSpec& spec, const Demands& also) {
  Machines out;
  const auto keys = spec.node_class_ref ? gpupool::provider_keys(spec.node_class_ref->group) : std::nullopt;
  if (!keys) return out;
  out.sizes = counts_of(spec, keys->gpu_count);
  const auto question = question_of(spec, also);
  if (!question) return out;
  const Types all = candidates(spec);
  out.types = all;
  for (const Bound& bound : question->bounds) out.types = meeting(out.types, bound);
  out.complete = can_claim(question->bounds, question->keys);
  if (!out.complete) return out;
  if (out.types.empty()) {
    out.misfit = explain(spec, question->bounds, all, question->keys.gpu_name);
  } else {
    out.sizes = sizes_of(out.types);
  }
  return out;
}

std::vector<Misfit> types_left_out(const api::GpuPoolSpec& spec) {
  const auto question = question_of(spec, {});
  if (!question || machines_of(spec).misfit) return {};
  std::vector<Misfit> out;
  for (std::size_t i = 0; i < spec.instance_types.size(); ++i) {
    const MachineType* type = find_machine_type(spec.instance_types[i]);
    if (type == nullptr) continue;
    const auto against =
        std::ranges::find_if(question->bounds, [&](const Bound& bound) { return !meets(*type, bound.requirement); });
    if (against == question->bounds.end()) continue;
    out.push_back({"spec.instanceTypes[" + std::to_string(i) + "]",
                   "found " + spec.instance_types[i] + ", which is never rented: its " + against->requirement.key +
                       " is " + gpupool::label_of(*type, against->requirement.key)->front() + ", and " +
                       against->field + " has " + against->found + "; change one of the two"});
  }
  return out;
}

std::vector<Misspelt> misspelt_names(const api::GpuPoolSpec& spec) {
  const auto question = question_of(spec, {});
  if (!question) return {};
  std::vector<Misspelt> out;
  const auto look_at = [&](const std::string& field, const std::string& written, std::string_view meant) {
    if (!meant.empty()) out.push_back({field, written, std::string(meant)});
  };
  const auto at = [](const std::string& list, std::size_t index) { return list + "[" + std::to_string(index) + "]"; };
  for (std::size_t i = 0; i < spec.gpu.models.size(); ++i)
    look_at(at("spec.gpu.models", i), spec.gpu.models[i], gpupool::meant_model(spec.gpu.models[i]));
  for (std::size_t i = 0; i < spec.instance_types.size(); ++i)
    look_at(at("spec.instanceTypes", i), spec.instance_types[i], gpupool::meant_type(spec.instance_types[i]));
  for (std::size_t i = 0; i < spec.requirements.size(); ++i) {
    const api::NodeRequirement& each = spec.requirements[i];
    const bool model = each.key == question->keys.gpu_name;
    if (!model && !is_type(each.key)) continue;
    for (std::size_t value = 0; value < each.values.size(); ++value)
      look_at(at(at("spec.requirements", i) + ".values", value), each.values[value],
              model ? gpupool::meant_model(each.values[value]) : gpupool::meant_type(each.values[value]));
  }
  return out;
}

}  // namespace reprise::controllers::rentable
