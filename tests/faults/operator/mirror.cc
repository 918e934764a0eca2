#include "tests/faults/operator/mirror.h"

#include <array>
#include <charconv>
#include <cstdint>
#include <utility>

namespace reprise::faults {
namespace {

constexpr std::string_view role = "reprise.dev/faults-role";
constexpr std::string_view source_name = "reprise.dev/faults-source";
constexpr std::string_view text = "reprise.dev/faults-text";

std::string text_of(const kube::ConfigMap& source) {
  const auto found = source.data.find("text");
  return found == source.data.end() ? std::string() : std::string(found->second);
}

kube::ObjectMeta wanted(const kube::ConfigMap& source) {
  kube::ObjectMeta meta;
  meta.namespace_ = source.meta.namespace_;
  meta.labels.emplace(role, "copy");
  meta.annotations.emplace(source_name, source.meta.name);
  meta.annotations.emplace(text, text_of(source));
  return meta;
}

std::string encode(const kube::ObjectMeta& meta) {
  return kube::encode_headless_service(meta, {{std::string(role), "nobody"}});
}

std::string fresh_suffix(runtime::Random& random) {
  std::array<char, 16> digits{};
  const auto value = static_cast<std::uint32_t>(random.uniform() * 4294967296.0);
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value, 16);
  return std::string(digits.data(), end.ptr);
}

runtime::Counter& counter(runtime::MetricsRegistry& metrics, const std::string& verb) {
  return metrics.counter("mirror_writes_total", "Copies written, by verb.", {{"verb", verb}});
}

}  // namespace

runtime::ObjectKey source_of(const kube::Service& copy) {
  return {copy.meta.namespace_, std::string(copy.meta.annotation(source_name))};
}

Mirror::Mirror(const runtime::Store<kube::ConfigMap>& sources, const runtime::Store<kube::Service>& copies,
               CopyNames names, runtime::Random& random, runtime::MetricsRegistry& metrics)
    : sources_(sources),
      copies_(copies),
      names_(names),
      random_(random),
      created_(counter(metrics, "create")),
      changed_(counter(metrics, "patch")),
      deleted_(counter(metrics, "delete")) {}

runtime::Result<runtime::Next> Mirror::reconcile(runtime::ReconcileContext& context, const runtime::ObjectKey& key) {
  const auto source = sources_.get(key);
  const Copies copies = copies_.by_index(copies_of, to_string(key));
  runtime::Result<void> done;
  if (!source) {
    done = remove_all(context, copies);
  } else {
    context.set_owner(source->meta.uid);
    // A second copy is left for everybody to see: it must never come about.
    done = copies.empty() ? create(context, *source) : bring_up_to_date(context, *source, *copies.front());
  }
  if (!done) return std::unexpected(std::move(done.error()));
  return runtime::Next::done();
}

runtime::Result<void> Mirror::remove_all(runtime::ReconcileContext& context, const Copies& copies) {
  for (const auto& copy : copies) {
    if (auto removed = context.remove(*copy); !removed) return removed;
    deleted_.add();
  }
  return {};
}

runtime::Result<void> Mirror::create(runtime::ReconcileContext& context, const kube::ConfigMap& source) {
  kube::ObjectMeta meta = wanted(source);
  meta.name = source.meta.name + "-copy";
  if (names_ == CopyNames::Fresh) meta.name = source.meta.name + "-" + fresh_suffix(random_);
  auto made = context.create<kube::Service>(meta.namespace_, encode(meta));
  if (!made) return std::unexpected(std::move(made.error()));
  created_.add();
  context.logger().info("Made a copy", {{"copy", made->meta.name}, {"version", made->meta.resource_version}});
  return {};
}

runtime::Result<void> Mirror::bring_up_to_date(runtime::ReconcileContext& context, const kube::ConfigMap& source,
                                               const kube::Service& copy) {
  if (copy.meta.annotation(text) == text_of(source)) return {};
  kube::ObjectMeta meta = wanted(source);
  meta.name = copy.meta.name;
  meta.resource_version = copy.meta.resource_version;
  auto patched = context.patch<kube::Service>(meta.namespace_, meta.name, runtime::PatchType::Merge, encode(meta));
  if (!patched) return std::unexpected(std::move(patched.error()));
  changed_.add();
  context.logger().info("Changed a copy", {{"copy", copy.meta.name}, {"version", patched->meta.resource_version}});
  return {};
}

}  // namespace reprise::faults
