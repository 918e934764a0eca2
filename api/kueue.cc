#include "api/kueue.h"

#include <algorithm>

#include "runtime/kube/conditions.h"
#include "runtime/kube/internal/meta_fields.h"
#include "runtime/kube/internal/tree.h"
#include "runtime/kube/object_writer.h"

namespace reprise::api {

using kube::internal::Field;

namespace {

// All pods of a job are alike.
constexpr const char* kPodSet = "ranks";

std::vector<std::string> flavors_of(const Field& admission) {
  std::vector<std::string> flavors;
  static_cast<void>(admission["podSetAssignments"].list([&](const Field& assignment) {
    for (const auto& [resource, flavor] : assignment["flavors"].string_map()) {
      if (std::ranges::find(flavors, flavor) == flavors.end()) flavors.emplace_back(flavor);
    }
    return true;
  }));
  return flavors;
}

Toleration read_toleration(const Field& field) {
  return {.key = field["key"].text().value_or(""),
          .op = field["operator"].text().value_or("Equal"),
          .value = field["value"].text().value_or(""),
          .effect = field["effect"].text().value_or(""),
          .toleration_seconds = field["tolerationSeconds"].int64()};
}

}  // namespace

const kube::Condition* Workload::condition(std::string_view type) const {
  return kube::find_condition(conditions, type);
}

bool Workload::is_true(std::string_view type) const {
  return kube::is_true(conditions, type);
}

std::expected<std::string, kube::DecodeError> encode(const WorkloadRequest& request) {
  auto pod = render_pod(request.pod);
  if (!pod) return std::unexpected(std::move(pod).error());
  Json::Value tree = kube::internal::start_object(kube::KindOf<Workload>::info(), request.meta);
  tree["spec"] = kube::internal::Out::write(request.spec, kube::internal::Absent::LeaveOut);
  Json::Value pod_set(Json::objectValue);
  pod_set["name"] = kPodSet;
  pod_set["count"] = request.count;
  pod_set["template"]["spec"] = kube::internal::parse_trusted(*pod)["spec"];
  tree["spec"]["podSets"].append(std::move(pod_set));
  return kube::internal::to_text(tree);
}

std::string encode_workload_status(const std::vector<kube::Condition>& conditions, KeepAdmission keep,
                                   std::string_view resource_version) {
  kube::ObjectWriter writer;
  writer.text("metadata.resourceVersion", resource_version).conditions("status.conditions", conditions);
  if (keep == KeepAdmission::No) writer.null("status.admission");
  return writer.json();
}

}  // namespace reprise::api

namespace reprise::kube {

std::expected<api::Workload, DecodeError> KindOf<api::Workload>::decode(std::string_view json) {
  return internal::decode_with(json, [](const internal::Field& object) {
    const internal::Field status = object["status"];
    const internal::Field admission = status["admission"];
    return api::Workload{.meta = internal::read_meta(object),
                         .spec = internal::In::read<api::WorkloadSpec>(object["spec"]),
                         .has_admission = admission.present(),
                         .assigned_flavors = api::flavors_of(admission),
                         .conditions = status["conditions"].list(internal::In::read<Condition>)};
  });
}

std::expected<api::ResourceFlavor, DecodeError> KindOf<api::ResourceFlavor>::decode(std::string_view json) {
  return internal::decode_with(json, [](const internal::Field& object) {
    const internal::Field spec = object["spec"];
    return api::ResourceFlavor{.meta = internal::read_meta(object),
                               .node_labels = spec["nodeLabels"].string_map(),
                               .tolerations = spec["tolerations"].list(api::read_toleration)};
  });
}

std::expected<api::WorkloadPriorityClass, DecodeError> KindOf<api::WorkloadPriorityClass>::decode(
    std::string_view json) {
  return internal::decode_with(json, [](const internal::Field& object) {
    return api::WorkloadPriorityClass{.meta = internal::read_meta(object),
                                      .value = object["value"].int32().value_or(0)};
  });
}

std::expected<api::PriorityClass, DecodeError> KindOf<api::PriorityClass>::decode(std::string_view json) {
  return internal::decode_with(json, [](const internal::Field& object) {
    return api::PriorityClass{.meta = internal::read_meta(object),
                              .value = object["value"].int32().value_or(0),
                              .global_default = object["globalDefault"].boolean().value_or(false)};
  });
}

}  // namespace reprise::kube
