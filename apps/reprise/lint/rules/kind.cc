#include <algorithm>
#include <iterator>

#include "apps/common/nearest.h"
#include "apps/reprise/lint/edits.h"
#include "apps/reprise/lint/rules/rules.h"

namespace reprise::apps::lint {
namespace {

constexpr std::string_view kGroup = "reprise.dev";
constexpr const char* kVersion = "reprise.dev/v1alpha1";
constexpr std::string_view kKinds[] = {"GpuPool", "ResumableJob"};

bool is_kind_of_ours(std::string_view kind) {
  return std::ranges::find(kKinds, kind) != std::end(kKinds);
}

std::optional<std::string> meant_kind(std::string_view kind) {
  return nearest(kind, {std::begin(kKinds), std::end(kKinds)});
}

std::string_view group_in(std::string_view api_version) {
  return api_version.substr(0, api_version.find('/'));
}

// Reports a kind that the API server does not know in a group that is nobody else's.
void look_at_kind(const Manifest& manifest, Report& report) {
  const std::string found(manifest.kind());
  const auto meant = meant_kind(found);
  const std::string message = found.empty()
                                  ? "is missing, must be GpuPool or ResumableJob"
                                  : "found " + found + ", which is no kind of " + std::string(kGroup) +
                                        ", must be GpuPool or ResumableJob" + (meant ? "; write " + *meant : "");
  report.add(Severity::Error, "unknown-kind", manifest, "kind", message,
             {meant ? replace_value(manifest, "kind", *meant) : std::nullopt});
}

// Mends only when kind and group both look like ours: somebody else may have a kind of that name, or such a group.
void look_at_group(const Manifest& manifest, Report& report) {
  const bool near = nearest(group_in(manifest.api_version()), {std::string(kGroup)}).has_value();
  if (!near && !is_kind_of_ours(manifest.kind())) return;
  const bool meant = near && meant_kind(manifest.kind()).has_value();
  report.add(Severity::Warning, "unknown-group", manifest, "apiVersion",
             "found " + std::string(manifest.api_version()) + ", of which nothing is checked; if it is meant to be " +
                 std::string(kGroup) + ", write " + kVersion,
             {meant ? replace_value(manifest, "apiVersion", kVersion) : std::nullopt});
}

}  // namespace

bool is_checked(const Manifest& manifest) {
  if (manifest.kind() == "NodePool" || manifest.kind() == "Provisioner")
    return manifest.api_version().starts_with("karpenter.sh/");
  const std::string_view version = manifest.api_version();
  return is_kind_of_ours(manifest.kind()) && (version.empty() || group_in(version) == kGroup);
}

void kind_rules(const Manifest& manifest, const std::vector<Manifest>&, Report& report) {
  if (is_checked(manifest) || manifest.api_version().empty()) return;
  if (group_in(manifest.api_version()) == kGroup)
    look_at_kind(manifest, report);
  else
    look_at_group(manifest, report);
}

}  // namespace reprise::apps::lint
