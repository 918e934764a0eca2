#include "api/gpu_pool.h"

#include "api/internal/enum_names.h"
#include "runtime/kube/internal/archive.h"
#include "runtime/kube/internal/meta_fields.h"

namespace reprise::api {

std::string_view name(CapacityType type) {
  return kube::internal::name_of(type);
}
std::string_view name(SharingMode mode) {
  return kube::internal::name_of(mode);
}
std::string_view name(ExternalPreset preset) {
  return kube::internal::name_of(preset);
}

}  // namespace reprise::api

std::expected<reprise::api::GpuPool, reprise::kube::DecodeError> reprise::kube::KindOf<reprise::api::GpuPool>::decode(
    std::string_view json) {
  return internal::decode_with(json, [](const internal::Field& object) {
    return api::GpuPool{.meta = internal::read_meta(object),
                        .spec = internal::In::read<api::GpuPoolSpec>(object["spec"]),
                        .status = internal::In::read<api::GpuPoolStatus>(object["status"])};
  });
}

namespace reprise::api {

std::string encode_status_patch(const GpuPoolStatus& status, std::string_view resource_version) {
  return kube::internal::to_text(
      kube::internal::status_patch(kube::internal::Out::write(status, kube::internal::Absent::Null), resource_version));
}

std::string encode(const GpuPool& pool) {
  Json::Value tree = kube::internal::start_object(kube::KindOf<GpuPool>::info(), pool.meta);
  tree["spec"] = kube::internal::Out::write(pool.spec, kube::internal::Absent::LeaveOut);
  tree["status"] = kube::internal::Out::write(pool.status, kube::internal::Absent::LeaveOut);
  return kube::internal::to_text(tree);
}

}  // namespace reprise::api
