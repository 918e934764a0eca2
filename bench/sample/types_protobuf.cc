// The built-in kinds in the wire format; the numbers are those of k8s.io/api and k8s.io/apimachinery.
#include <charconv>

#include "bench/sample/types.h"
#include "runtime/kube/protobuf/protobuf.h"

namespace bench {
namespace {

using kube::protobuf::Message;

std::string text(const Message& field) {
  return std::string(field.bytes());  // names and labels are ASCII
}

// One field of `metadata`.
void read_meta(Meta& meta, const Message& field) {
  if (field.field() == 1) meta.name = text(field);
  if (field.field() == 3) meta.namespace_ = text(field);
  if (field.field() == 5) meta.uid = text(field);
  if (field.field() == 6) meta.resource_version = text(field);
  if (field.field() == 9) meta.deletion_timestamp = field.time();
}

struct Entry {
  std::string_view key, value;
};

// A label, or type and status of a condition: in both, fields 1 and 2.
Entry read_entry(const Message& field) {
  Entry entry;
  for (Message part = field.message(); part.next();) {
    if (part.field() == 1) entry.key = part.bytes();
    if (part.field() == 2) entry.value = part.bytes();
  }
  return entry;
}

void read_label(Pod& pod, const Entry& label) {
  if (label.key == "bench.reprise.dev/job") pod.job = std::string(label.value);
  if (label.key == "bench.reprise.dev/attempt") {
    std::from_chars(label.value.data(), label.value.data() + label.value.size(), pod.attempt);
  }
}

void read(const Message& part, Pod& pod) {
  for (Message field = part.message(); field.next();) {
    if (part.field() == 1) {
      read_meta(pod.meta, field);
      if (field.field() == 11) read_label(pod, read_entry(field));
    } else if (part.field() == 2 && field.field() == 10) {
      pod.node_name = text(field);
    } else if (part.field() == 3 && field.field() == 2) {
      const Entry condition = read_entry(field);
      if (condition.key == "Ready") pod.ready = condition.value == "True";
      if (condition.key == "DisruptionTarget") pod.disrupted = condition.value == "True";
    }
  }
}

void read(const Message& part, Node& node) {
  for (Message field = part.message(); field.next();) {
    if (part.field() == 1) read_meta(node.meta, field);
    if (part.field() == 2 && field.field() == 5 && read_entry(field).key == "bench.reprise.dev/interrupted") {
      node.tainted = true;
    }
  }
}

void read_owner(Job& job, const Message& reference) {
  std::string_view name;
  bool controller = false;
  for (Message field = reference.message(); field.next();) {
    if (field.field() == 3) name = field.bytes();
    if (field.field() == 6) controller = field.boolean();
  }
  if (controller) job.owner = std::string(name);
}

void read(const Message& part, Job& job) {
  if (part.field() != 1) return;
  for (Message field = part.message(); field.next();) {
    read_meta(job.meta, field);
    if (field.field() == 13) read_owner(job, field);
  }
}

template <class T>
std::expected<T, kube::DecodeError> decode(std::string_view bytes) {
  return kube::protobuf::decode<T>(bytes, [](Message& object, T& into) {
    while (object.next()) {
      if (object.field() <= 3) read(object, into);
    }
  });
}

}  // namespace
}  // namespace bench

namespace reprise::kube {

std::expected<bench::Pod, DecodeError> KindOf<bench::Pod>::decode_protobuf(std::string_view bytes) {
  return bench::decode<bench::Pod>(bytes);
}
std::expected<bench::Node, DecodeError> KindOf<bench::Node>::decode_protobuf(std::string_view bytes) {
  return bench::decode<bench::Node>(bytes);
}
std::expected<bench::Job, DecodeError> KindOf<bench::Job>::decode_protobuf(std::string_view bytes) {
  return bench::decode<bench::Job>(bytes);
}

}  // namespace reprise::kube
