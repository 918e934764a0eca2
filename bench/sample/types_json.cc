#include "bench/sample/types.h"

#include <simdjson.h>

#include <charconv>

namespace bench {
namespace {

namespace json = simdjson::ondemand;

// Calls `read` for each member, in the order of the text.
template <class Read>
void each(json::object object, Read read) {
  for (auto field : object) read(field.unescaped_key().value(), field.value().value());
}

// The value lives in the object, which outlives the text.
void take(std::string& into, json::value value) {
  into = std::string(value.get_string().value());  // no room to grow
}

bool is_text(json::value value, std::string_view wanted) {
  return value.get_string().value() == wanted;
}

kube::Time time_of(json::value value) {
  return kube::parse_time(value.get_string().value()).value_or(kube::Time{});
}

// One member of `metadata`; false: none of those that every kind has.
bool read_meta(Meta& meta, std::string_view key, json::value value) {
  if (key == "name") {
    take(meta.name, value);
  } else if (key == "namespace") {
    take(meta.namespace_, value);
  } else if (key == "uid") {
    take(meta.uid, value);
  } else if (key == "resourceVersion") {
    take(meta.resource_version, value);
  } else if (key == "deletionTimestamp") {
    meta.deletion_timestamp = time_of(value);
  } else {
    return false;
  }
  return true;
}

void read_condition(Status& status, json::object condition) {
  bool ours = false, healthy = false;
  std::int64_t generation = 0;
  kube::Time since{};
  each(condition, [&](std::string_view key, json::value value) {
    if (key == "type") ours = is_text(value, "NodesHealthy");
    if (key == "status") healthy = is_text(value, "True");
    if (key == "observedGeneration") generation = value.get_int64();
    if (key == "lastTransitionTime") since = time_of(value);
  });
  if (!ours) return;
  status.nodes_healthy = healthy;
  status.observed_generation = generation;
  status.healthy_since = since;
}

void read_status(Status& status, json::object object) {
  each(object, [&](std::string_view key, json::value value) {
    if (key == "attempt") status.attempt = static_cast<std::int32_t>(value.get_int64().value());
    if (key == "pods") status.pods = static_cast<std::int32_t>(value.get_int64().value());
    if (key == "ready") status.ready = static_cast<std::int32_t>(value.get_int64().value());
    if (key == "conditions") {
      for (json::object condition : value.get_array()) read_condition(status, condition);
    }
  });
}

void read(BenchJob& job, std::string_view key, json::object part) {
  if (key == "metadata") {
    each(part, [&](std::string_view name, json::value value) {
      if (!read_meta(job.meta, name, value) && name == "generation") job.generation = value.get_int64();
    });
  } else if (key == "status") {
    read_status(job.status, part);
  }
}

void read_label(Pod& pod, std::string_view key, json::value value) {
  if (key == "bench.reprise.dev/job") {
    take(pod.job, value);
  } else if (key == "bench.reprise.dev/attempt") {
    const std::string_view text = value.get_string();
    std::from_chars(text.data(), text.data() + text.size(), pod.attempt);
  }
}

void read(Pod& pod, std::string_view key, json::object part) {
  if (key == "metadata") {
    each(part, [&](std::string_view name, json::value value) {
      if (read_meta(pod.meta, name, value) || name != "labels") return;
      each(value.get_object(), [&](std::string_view label, json::value text) { read_label(pod, label, text); });
    });
  } else if (key == "spec") {
    const auto node = part.find_field_unordered("nodeName");
    if (node.error() == simdjson::SUCCESS) take(pod.node_name, node.value_unsafe());
  } else if (key == "status") {
    json::array conditions;
    if (part.find_field_unordered("conditions").get_array().get(conditions) != simdjson::SUCCESS) return;
    for (json::object condition : conditions) {
      const std::string_view type = condition["type"].get_string();
      const bool holds = condition["status"].get_string().value() == "True";
      if (type == "Ready") pod.ready = holds;
      if (type == "DisruptionTarget") pod.disrupted = holds;
    }
  }
}

void read(Node& node, std::string_view key, json::object part) {
  if (key == "metadata") {
    each(part, [&](std::string_view name, json::value value) { read_meta(node.meta, name, value); });
  } else if (key == "spec") {
    json::array taints;
    if (part.find_field_unordered("taints").get_array().get(taints) != simdjson::SUCCESS) return;
    for (json::object taint : taints) {
      if (taint["key"].get_string().value() == "bench.reprise.dev/interrupted") node.tainted = true;
    }
  }
}

void read(Job& job, std::string_view key, json::object part) {
  if (key != "metadata") return;
  each(part, [&](std::string_view name, json::value value) {
    if (read_meta(job.meta, name, value) || name != "ownerReferences") return;
    for (json::object owner : value.get_array()) {
      bool controller = false;
      std::string owner_name;
      each(owner, [&](std::string_view field, json::value text) {
        if (field == "name") take(owner_name, text);
        if (field == "controller") controller = text.get_bool();
      });
      if (controller) job.owner = std::move(owner_name);
    }
  });
}

template <class T>
std::expected<T, kube::DecodeError> decode(std::string_view text) {
  thread_local json::parser parser;
  try {
    const simdjson::padded_string padded(text);
    json::document document = parser.iterate(padded);
    T object;
    each(document.get_object(), [&](std::string_view key, json::value value) {
      if (key == "metadata" || key == "spec" || key == "status") read(object, key, value.get_object());
    });
    return object;
  } catch (const simdjson::simdjson_error& error) {
    return std::unexpected(kube::DecodeError{.path = {}, .message = error.what()});
  }
}

}  // namespace
}  // namespace bench

namespace reprise::kube {

std::expected<bench::BenchJob, DecodeError> KindOf<bench::BenchJob>::decode(std::string_view json) {
  return bench::decode<bench::BenchJob>(json);
}
std::expected<bench::Pod, DecodeError> KindOf<bench::Pod>::decode(std::string_view json) {
  return bench::decode<bench::Pod>(json);
}
std::expected<bench::Node, DecodeError> KindOf<bench::Node>::decode(std::string_view json) {
  return bench::decode<bench::Node>(json);
}
std::expected<bench::Job, DecodeError> KindOf<bench::Job>::decode(std::string_view json) {
  return bench::decode<bench::Job>(json);
}

}  // namespace reprise::kube
