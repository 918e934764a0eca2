#include "runtime/leader/internal/lease_json.h"

#include <simdjson.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include "runtime/kube/core.h"
#include "runtime/kube/object_writer.h"
#include "runtime/kube/time.h"

namespace reprise::runtime {
namespace {

using simdjson::dom::element;

// A field that is absent or of another type reads as empty.
std::string_view text_of(const simdjson::simdjson_result<element>& field) {
  std::string_view text;
  return field.get(text) ? std::string_view{} : text;
}

// Numbers of an API server are 32 bits wide; a wider one, from whatever else answered, would overflow in arithmetic.
std::int64_t number_of(const simdjson::simdjson_result<element>& field) {
  using Range = std::numeric_limits<std::int32_t>;
  std::int64_t number = 0;
  return field.get(number) ? 0 : std::clamp<std::int64_t>(number, Range::min(), Range::max());
}

WallTime time_of(const simdjson::simdjson_result<element>& field) {
  return kube::parse_time(text_of(field)).value_or(WallTime{});
}

std::string with_spec(kube::ObjectWriter& object, const LeaseRecord& lease) {
  return object.text("spec.acquireTime", kube::format_micro_time(lease.acquired))
      .text("spec.holderIdentity", lease.holder)
      .integer("spec.leaseDurationSeconds", std::chrono::duration_cast<std::chrono::seconds>(lease.duration).count())
      .integer("spec.leaseTransitions", lease.transitions)
      .text("spec.renewTime", kube::format_micro_time(lease.renewed))
      .json();
}

std::string without_odd_bytes(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return static_cast<unsigned char>(c) >= 0x80; }, '?');
  return text;
}

}  // namespace

Result<LeaseRecord> read_lease(std::string_view json) {
  // The parser keeps its buffers, and wants one thread.
  thread_local simdjson::dom::parser parser;
  element root;
  const auto error = parser.parse(json.data(), json.size()).get(root);
  // A name that is not UTF-8 is still the name of somebody.
  if (error == simdjson::UTF8_ERROR) return read_lease(without_odd_bytes(std::string(json)));
  if (error || !root.is_object()) {
    return fail(ErrorClass::Terminal, "the Lease is not a JSON object");
  }
  const auto spec = root["spec"];
  LeaseRecord lease;
  lease.resource_version = text_of(root["metadata"]["resourceVersion"]);
  lease.holder = text_of(spec["holderIdentity"]);
  lease.duration = std::chrono::seconds(number_of(spec["leaseDurationSeconds"]));
  lease.acquired = time_of(spec["acquireTime"]);
  lease.renewed = time_of(spec["renewTime"]);
  lease.transitions = number_of(spec["leaseTransitions"]);
  return lease;
}

std::string encode_new_lease(const std::string& ns, const std::string& name, const LeaseRecord& lease) {
  kube::ObjectMeta meta;
  meta.name = name;
  meta.namespace_ = ns;
  kube::ObjectWriter object(kube::KindOf<kube::Lease>::info(), meta);
  return with_spec(object, lease);
}

std::string encode_lease_patch(const LeaseRecord& lease) {
  kube::ObjectWriter object;
  object.text("metadata.resourceVersion", lease.resource_version);
  return with_spec(object, lease);
}

}  // namespace reprise::runtime
