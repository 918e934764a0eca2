#include "controllers/gpupool/rentable/demand.h"

#include <algorithm>
#include <boost/json/parse.hpp>

namespace reprise::controllers::rentable {
namespace {

const boost::json::value* at(const boost::json::value& from, std::initializer_list<std::string_view> path) {
  const boost::json::value* found = &from;
  for (const std::string_view key : path) {
    const auto* object = found->if_object();
    found = object == nullptr ? nullptr : object->if_contains(key);
    if (found == nullptr) return nullptr;
  }
  return found;
}

std::string text_at(const boost::json::value& object, std::string_view key) {
  const boost::json::value* found = at(object, {key});
  return found != nullptr && found->is_string() ? std::string(found->get_string()) : std::string();
}

// `list`: matchExpressions, or matchFields, of which the only key is metadata.name.
void add_of(const boost::json::value& term, std::string_view list, const std::string& field, Demands& out) {
  const boost::json::value* expressions = at(term, {list});
  if (expressions == nullptr || !expressions->is_array()) return;
  std::size_t index = 0;
  for (const auto& each : expressions->get_array()) {
    Demand demand{.field = field + "." + std::string(list) + "[" + std::to_string(index++) + "]",
                  .requirement = {text_at(each, "key"), text_at(each, "operator"), {}, {}}};
    if (const boost::json::value* values = at(each, {"values"}); values != nullptr && values->is_array())
      for (const auto& value : values->get_array())
        if (value.is_string()) demand.requirement.values.emplace_back(value.get_string());
    out.push_back(std::move(demand));
  }
}

Demands of_selector(const boost::json::value& pod) {
  Demands out;
  const boost::json::value* selector = at(pod, {"spec", "nodeSelector"});
  if (selector == nullptr || !selector->is_object()) return out;
  for (const auto& label : selector->get_object())
    if (label.value().is_string())
      out.push_back({.field = "spec.template.spec.nodeSelector." + std::string(label.key()),
                     .requirement = {std::string(label.key()), "In", {std::string(label.value().get_string())}, {}}});
  return out;
}

}  // namespace

std::string text_of(const api::NodeRequirement& requirement) {
  std::string out = requirement.key + " " + requirement.op;
  if (requirement.values.empty()) return out;
  out += " [";
  for (std::size_t i = 0; i < requirement.values.size(); ++i) out += (i == 0 ? "" : ", ") + requirement.values[i];
  return out + "]";
}

bool agree(const api::NodeRequirement& one, const api::NodeRequirement& other) {
  if (one.op == "In")
    return std::ranges::any_of(one.values, [&](const std::string& value) { return meets(value, other); });
  if (other.op == "In") return agree(other, one);
  const auto exists = [](const api::NodeRequirement& each) { return !needs_no_label(each); };
  return !(one.op == "DoesNotExist" && exists(other)) && !(other.op == "DoesNotExist" && exists(one));
}

bool needs_no_label(const api::NodeRequirement& requirement) {
  return requirement.op == "NotIn" || requirement.op == "DoesNotExist";
}

std::vector<Demands> demands_of_template(std::string_view pod_template) {
  boost::system::error_code error;
  const boost::json::value pod = boost::json::parse(pod_template, error);
  if (error) return {Demands{}};
  const Demands selector = of_selector(pod);
  const std::string field =
      "spec.template.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms";
  const boost::json::value* terms = at(
      pod, {"spec", "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms"});
  if (terms == nullptr || !terms->is_array() || terms->get_array().empty()) return {selector};
  std::vector<Demands> out;
  for (const auto& term : terms->get_array()) {
    Demands all = selector;
    for (const std::string_view list : {"matchExpressions", "matchFields"})
      add_of(term, list, field + "[" + std::to_string(out.size()) + "]", all);
    out.push_back(std::move(all));
  }
  return out;
}

}  // namespace reprise::controllers::rentable
