#include "apps/kubectl-reprise/terminal/output.h"

namespace reprise::plugin {
namespace {

// "resumablejob.reprise.dev/finetune"
std::string name_of(const Json& object) {
  std::string kind = text_at(object, {"kind"});
  for (char& each : kind) {
    if (each >= 'A' && each <= 'Z') each = static_cast<char>(each | 0x20);
  }
  const std::string version = text_at(object, {"apiVersion"});
  const std::size_t slash = version.find('/');
  const std::string group = slash == std::string::npos ? "" : "." + version.substr(0, slash);
  return kind + group + "/" + text_at(object, {"metadata", "name"});
}

}  // namespace

std::optional<std::string> objects_as(const std::string& format, const std::vector<Json>& objects, bool one) {
  if (format == "name") {
    std::string names;
    for (const Json& each : objects) names += name_of(each) + "\n";
    return names;
  }
  if (format != "json" && format != "yaml") return std::nullopt;
  Json shown;
  if (one && objects.size() == 1) {
    shown = objects.front();
  } else {
    shown = boost::json::object{
        {"apiVersion", "v1"}, {"kind", "List"}, {"items", boost::json::array(objects.begin(), objects.end())}};
  }
  return format == "json" ? json_text(shown) : yaml_text(shown);
}

}  // namespace reprise::plugin
