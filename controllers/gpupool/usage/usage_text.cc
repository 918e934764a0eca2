#include "controllers/gpupool/usage/usage_text.h"

#include "controllers/common/indexes.h"
#include "controllers/gpupool/sharing/sharing.h"
#include "controllers/gpupool/usage/in_quotes.h"

namespace reprise::controllers::gpupool {
namespace {

constexpr std::size_t kMostCharacters = 8192;
constexpr std::string_view kMore = "# and more than fits here: see the pool's spec\n";

// A key with a domain is taken for nothing else; "on" would be.
std::string key_text(std::string_view key) {
  return key.find('/') != std::string_view::npos ? std::string(key) : in_quotes(key);
}

// A text of bounded length, line by line.
class Lines {
 public:
  void add(std::string line) {
    line += '\n';
    if (cut_ || text_.size() + line.size() + kMore.size() > kMostCharacters) {
      cut_ = true;
      return;
    }
    text_ += line;
  }
  void add_map(std::string_view indent, std::string_view name, const kube::StringMap& entries) {
    if (entries.empty()) return;
    add(std::string(indent) + std::string(name) + ":");
    for (const auto& [key, value] : entries) add(std::string(indent) + "  " + key_text(key) + ": " + in_quotes(value));
  }
  [[nodiscard]] std::string text() const { return cut_ ? text_ + std::string(kMore) : text_; }

 private:
  std::string text_;
  bool cut_ = false;
};

void add_tolerations(const api::GpuPoolSpec& spec, Lines& lines) {
  lines.add("  tolerations:");
  lines.add("  - {key: nvidia.com/gpu, operator: Exists}");
  for (const kube::Taint& taint : spec.taints) {
    std::string line = "  - {key: " + key_text(taint.key);
    line += taint.value.empty() ? ", operator: Exists" : ", operator: Equal, value: " + in_quotes(taint.value);
    lines.add(line + ", effect: " + std::string(taint.effect) + "}");
  }
}

}  // namespace

std::string usage_text(const api::GpuPool& pool) {
  const GpuSharing sharing = sharing_of(pool.spec.sharing);
  Lines lines;
  lines.add("spec:");
  lines.add_map("  ", "nodeSelector", {{std::string(kPoolLabel), std::string(pool.meta.name)}});
  if (!pool.spec.runtime_class_name.empty())
    lines.add("  runtimeClassName: " + in_quotes(pool.spec.runtime_class_name));
  if (!sharing.scheduler_name.empty()) lines.add("  schedulerName: " + in_quotes(sharing.scheduler_name));
  const std::vector<UnitResource> asked =
      sharing.unit_resources.value_or(std::vector{UnitResource{sharing.resource_name, 1}});
  if (!asked.empty()) {
    lines.add("  containers:");
    lines.add("  - name: server");
    lines.add("    resources:");
    lines.add("      limits:");
    for (const UnitResource& each : asked) lines.add("        " + each.name + ": " + std::to_string(each.quantity));
  }
  add_tolerations(pool.spec, lines);
  Lines metadata;
  metadata.add_map("  ", "labels", sharing.pod_labels);
  metadata.add_map("  ", "annotations", sharing.pod_annotations);
  const std::string above = metadata.text().empty() ? std::string() : "metadata:\n" + metadata.text();
  if (above.size() + lines.text().size() > kMostCharacters) return lines.text();
  return above + lines.text();
}

}  // namespace reprise::controllers::gpupool
