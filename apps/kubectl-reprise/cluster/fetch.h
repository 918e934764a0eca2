// Reading objects: whole as JSON, or as the typed kinds of api/ and runtime/kube.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "apps/kubectl-reprise/terminal/json.h"
#include "runtime/client/client.h"

namespace reprise::plugin {

// Adds apiVersion and kind, which items of a list lack.
[[nodiscard]] runtime::Result<Json> get_json(runtime::Client& client, const kube::KindInfo& kind, std::string_view ns,
                                             std::string_view name);
// All pages. `ns` empty: all namespaces.
[[nodiscard]] runtime::Result<std::vector<Json>> list_json(runtime::Client& client, const kube::KindInfo& kind,
                                                           std::string_view ns, runtime::ListOptions options = {});

template <class T>
[[nodiscard]] runtime::Result<T> decoded(const Json& object) {
  auto value = kube::KindOf<T>::decode(compact_json(object));
  if (value) return *std::move(value);
  return runtime::fail(runtime::ErrorClass::Terminal, std::string(kube::KindOf<T>::info().kind) + " " +
                                                          text_at(object, {"metadata", "name"}) + ": " +
                                                          value.error().path + ": " + value.error().message);
}

template <class T>
[[nodiscard]] runtime::Result<T> get(runtime::Client& client, std::string_view ns, std::string_view name) {
  auto object = get_json(client, kube::KindOf<T>::info(), ns, name);
  if (!object) return std::unexpected(std::move(object).error());
  return decoded<T>(*object);
}

template <class T>
[[nodiscard]] runtime::Result<std::vector<T>> decoded_all(const std::vector<Json>& objects) {
  std::vector<T> all;
  for (const Json& object : objects) {
    auto value = decoded<T>(object);
    if (!value) return std::unexpected(std::move(value).error());
    all.push_back(*std::move(value));
  }
  return all;
}

template <class T>
[[nodiscard]] runtime::Result<std::vector<T>> list(runtime::Client& client, std::string_view ns,
                                                   runtime::ListOptions options = {}) {
  auto objects = list_json(client, kube::KindOf<T>::info(), ns, std::move(options));
  if (!objects) return std::unexpected(std::move(objects).error());
  return decoded_all<T>(*objects);
}

}  // namespace reprise::plugin
