// Metadata alone of a kind, for callers that look at nothing else of its objects. The server is asked for
// PartialObjectMetadata, also of custom resources, which is a fraction of the bytes for it to send and for us to hold.
//
//   auto& jobs = manager.add_informer<kube::Metadata<Job>>();   // jobs.store().get(ns, name)->meta.labels
#pragma once

#include <expected>
#include <string_view>
#include <utility>

#include "runtime/kube/meta.h"

namespace reprise::kube {

// KindOf<T> needs info() only.
template <class T>
struct Metadata {
  ObjectMeta meta;
  static void fields(auto& self, auto& field) { field.unmapped(self.meta); }
};

// Reads the metadata of an object of any kind; the rest of it is not looked at.
[[nodiscard]] std::expected<ObjectMeta, DecodeError> decode_metadata(std::string_view json);
[[nodiscard]] std::expected<ObjectMeta, DecodeError> decode_protobuf_metadata(std::string_view bytes);

template <class T>
struct KindOf<Metadata<T>> {
  static constexpr bool metadata_only = true;
  static constexpr KindInfo info() { return KindOf<T>::info(); }
  [[nodiscard]] static std::expected<Metadata<T>, DecodeError> decode(std::string_view json) {
    return wrap(decode_metadata(json));
  }
  [[nodiscard]] static std::expected<Metadata<T>, DecodeError> decode_protobuf(std::string_view bytes) {
    return wrap(decode_protobuf_metadata(bytes));
  }

 private:
  static std::expected<Metadata<T>, DecodeError> wrap(std::expected<ObjectMeta, DecodeError> meta) {
    if (!meta) return std::unexpected(std::move(meta.error()));
    return Metadata<T>{*std::move(meta)};
  }
};

}  // namespace reprise::kube
