#include "runtime/kube/meta.h"

#include <algorithm>

namespace reprise::kube {

namespace {

std::string_view find(const StringMap& map, std::string_view key) {
  const auto found = map.find(key);
  return found == map.end() ? std::string_view{} : std::string_view(found->second);
}

bool is_unreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
         c == '_' || c == '~' || c == ':';
}

// One more segment. False for the two names that clients and proxies resolve as directories however they are encoded.
bool append_segment(std::string& path, std::string_view segment) {
  if (segment == "." || segment == "..") return false;
  constexpr std::string_view kHex = "0123456789ABCDEF";
  path += '/';
  for (const char c : segment) {
    if (is_unreserved(c)) {
      path += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    path += '%';
    path += kHex[byte >> 4U];
    path += kHex[byte & 0xFU];
  }
  return true;
}

}  // namespace

const OwnerReference* ObjectMeta::controller() const {
  const auto found = std::ranges::find_if(owner_references, &OwnerReference::controller);
  return found == owner_references.end() ? nullptr : &*found;
}

bool ObjectMeta::has_finalizer(std::string_view finalizer) const {
  return std::ranges::find(finalizers, finalizer) != finalizers.end();
}

std::string_view ObjectMeta::label(std::string_view key) const {
  return find(labels, key);
}

std::string_view ObjectMeta::annotation(std::string_view key) const {
  return find(annotations, key);
}

void compact(ObjectMeta& meta) {
  meta.annotations.erase("kubectl.kubernetes.io/last-applied-configuration");
}

void keep_only(StringMap& map, std::span<const std::string_view> prefixes) {
  erase_if(map, [&](const StringMap::value_type& entry) {
    return std::ranges::none_of(prefixes, [&](std::string_view prefix) { return entry.first.starts_with(prefix); });
  });
}

std::string KindInfo::api_version() const {
  return group.empty() ? std::string(version) : std::string(group).append("/").append(version);
}

std::string KindInfo::path(std::string_view namespace_, std::string_view name, std::string_view subresource) const {
  std::string out = group.empty() ? "/api" : "/apis/" + std::string(group);
  out.append("/").append(version);
  if (namespaced && !namespace_.empty()) {
    out += "/namespaces";
    if (!append_segment(out, namespace_)) return {};
  }
  out.append("/").append(plural);
  if (!name.empty() && !append_segment(out, name)) return {};
  if (!subresource.empty() && !append_segment(out, subresource)) return {};
  return out;
}

}  // namespace reprise::kube
