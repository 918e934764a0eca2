#include "api/resumable_job.h"

#include <algorithm>
#include <iterator>

#include "api/internal/enum_names.h"
#include "api/internal/reserved_fields.h"
#include "runtime/kube/internal/archive.h"
#include "runtime/kube/internal/meta_fields.h"

namespace reprise::api {

std::string_view name(EndProof proof) {
  return kube::internal::name_of(proof);
}
std::string_view name(AttemptEndCause cause) {
  return kube::internal::name_of(cause);
}
std::string_view name(CheckpointFormat format) {
  return kube::internal::name_of(format);
}
bool is_checkpoint_format(std::string_view name) {
  const auto& names = names_of(CheckpointFormat{});
  return std::any_of(std::begin(names), std::end(names), [&](const auto& each) { return each.text == name; });
}

namespace {

TemplateContainer read_container(const kube::internal::Field& field) {
  TemplateContainer container{.name = field["name"].view().value_or(""),
                              .image = field["image"].view().value_or(""),
                              .command = field["command"].strings(),
                              .limits = field["resources"]["limits"].quantity_map(),
                              .requests = field["resources"]["requests"].quantity_map(),
                              .mount_paths = {},
                              .kubelet_may_end = field["livenessProbe"].present() || field["startupProbe"].present() ||
                                                 field["lifecycle"]["postStart"].present(),
                              .restarts_always = field["restartPolicy"].view().value_or("") == "Always"};
  container.mount_paths = field["volumeMounts"].list(
      [](const kube::internal::Field& mount) { return mount["mountPath"].view().value_or(""); });
  return container;
}

PodTemplate read_template(const kube::internal::Field& field) {
  const kube::internal::Field meta = field["metadata"];
  const kube::internal::Field spec = field["spec"];
  return {.json = field.object_text(),
          .labels = meta["labels"].string_map(),
          .annotations = meta["annotations"].string_map(),
          .containers = spec["containers"].list(read_container),
          .init_containers = spec["initContainers"].list(read_container),
          .node_selector = spec["nodeSelector"].string_map(),
          .termination_grace_period_seconds = spec["terminationGracePeriodSeconds"].int64(),
          .restart_policy = spec["restartPolicy"].view().value_or(""),
          .service_account_name = spec["serviceAccountName"].view().value_or(""),
          .priority_class_name = spec["priorityClassName"].view().value_or(""),
          .reserved = internal::reserved_fields(spec)};
}

ResumableJobSpec read_spec(const kube::internal::Field& field) {
  auto spec = kube::internal::In::read<ResumableJobSpec>(field);
  spec.pod_template = read_template(field["template"]);
  return spec;
}

Json::Value write_spec(const ResumableJobSpec& spec) {
  Json::Value tree = kube::internal::Out::write(spec, kube::internal::Absent::LeaveOut);
  if (!spec.pod_template.json.empty()) tree["template"] = kube::internal::parse_trusted(spec.pod_template.json.text());
  return tree;
}

ResumableJob read_job(const kube::internal::Field& object) {
  return {.meta = kube::internal::read_meta(object),
          .spec = read_spec(object["spec"]),
          .status = kube::internal::In::read<ResumableJobStatus>(object["status"])};
}

std::expected<ResumableJob, kube::DecodeError> decode_job(std::string_view json) {
  return kube::internal::decode_with(json, read_job);
}

}  // namespace
std::optional<kube::Time> newest_checkpoint_time(const ResumableJobStatus& status) {
  std::optional<kube::Time> newest;
  if (status.checkpoint) newest = status.checkpoint->time;
  if (status.progress && status.progress->checkpoint)
    newest = std::max(newest, status.progress->checkpoint->time);  // an empty time is less than any other
  return newest;
}

}  // namespace reprise::api

std::expected<reprise::api::ResumableJob, reprise::kube::DecodeError>
reprise::kube::KindOf<reprise::api::ResumableJob>::decode(std::string_view json) {
  return api::decode_job(json);
}

namespace reprise::api {

std::string encode_status_patch(const ResumableJobStatus& status, std::string_view resource_version) {
  return kube::internal::to_text(
      kube::internal::status_patch(kube::internal::Out::write(status, kube::internal::Absent::Null), resource_version));
}

std::string encode(const ResumableJob& job) {
  Json::Value tree = kube::internal::start_object(kube::KindOf<ResumableJob>::info(), job.meta);
  tree["spec"] = write_spec(job.spec);
  tree["status"] = kube::internal::Out::write(job.status, kube::internal::Absent::LeaveOut);
  return kube::internal::to_text(tree);
}

}  // namespace reprise::api
