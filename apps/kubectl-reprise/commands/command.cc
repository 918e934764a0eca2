#include "apps/kubectl-reprise/commands/command.h"

#include <algorithm>
#include <ranges>

namespace reprise::plugin {

bool Arguments::is_set(std::string_view flag, bool otherwise) const {
  const auto given = value(flag);
  return given ? *given == "true" : otherwise;
}

std::optional<std::string> Arguments::value(std::string_view flag) const {
  const auto backwards = std::views::reverse(values_);
  const auto found = std::ranges::find(backwards, flag, [](const auto& each) { return std::string_view(each.first); });
  if (found == backwards.end()) return std::nullopt;
  return found->second;
}

std::vector<std::string> Arguments::all(std::string_view flag) const {
  std::vector<std::string> found;
  for (const auto& [name, value] : values_) {
    if (name == flag) found.push_back(value);
  }
  return found;
}

std::string Session::namespace_() const {
  if (const auto given = arguments.value("namespace"); given && !given->empty()) return *given;
  const std::string own = cluster == nullptr ? std::string() : cluster->context_namespace();
  return own.empty() ? "default" : own;
}

std::string Session::scope() const {
  return arguments.is_set("all-namespaces") ? std::string() : namespace_();
}

}  // namespace reprise::plugin
