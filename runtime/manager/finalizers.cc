#include "runtime/manager/finalizers.h"

#include <algorithm>

#include "runtime/base/json_tree.h"
#include "runtime/internal/json.h"

namespace reprise::runtime::internal {
namespace {

Json::Value operation(const char* name, const std::string& path, Json::Value value) {
  Json::Value made(Json::objectValue);
  made["op"] = name;
  made["path"] = path;
  made["value"] = std::move(value);
  return made;
}

}  // namespace

std::string add_finalizer_patch(const kube::ObjectMeta& meta, std::string_view finalizer) {
  Json::Value all(Json::arrayValue);
  for (const kube::Text& there : meta.finalizers) all.append(std::string(there));
  Json::Value patch(Json::arrayValue);
  patch.append(operation("test", "/metadata/uid", std::string(meta.uid)));
  // An absent list tests as null.
  patch.append(operation("test", "/metadata/finalizers", all.empty() ? Json::Value() : all));
  all.append(std::string(finalizer));
  patch.append(operation("add", "/metadata/finalizers", all));
  return compact_json(patch);
}

std::string remove_finalizer_patch(const kube::ObjectMeta& meta, std::string_view finalizer) {
  const auto found = std::ranges::find(meta.finalizers, finalizer);
  if (found == meta.finalizers.end()) return {};
  const std::string path = "/metadata/finalizers/" + std::to_string(found - meta.finalizers.begin());
  Json::Value remove(Json::objectValue);
  remove["op"] = "remove";
  remove["path"] = path;
  Json::Value patch(Json::arrayValue);
  patch.append(operation("test", "/metadata/uid", std::string(meta.uid)));
  patch.append(operation("test", path, std::string(finalizer)));
  patch.append(remove);
  return compact_json(patch);
}

}  // namespace reprise::runtime::internal
