// Decoding and encoding by a type's description (runtime/kube/described.h), so that they cannot drift apart.
//
// Reading: an absent or null member leaves the default of the struct, which is the default of the CRD. Writing: an
// empty string, list or map and an unset optional count as absent; numbers, booleans and enums are always written.
// `Absent` says whether an absent member is left out, or written as null so that a merge patch removes it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "runtime/kube/internal/reader.h"
#include "runtime/kube/internal/tree.h"
#include "runtime/kube/memory/rare.h"

namespace reprise::kube::internal {

// The name of an enum value on the wire.
template <class E>
[[nodiscard]] std::string_view name_of(E value) {
  for (const auto& name : names_of(E{})) {
    if (name.value == value) return name.text;
  }
  return {};
}

class In {
 public:
  explicit In(const Field& here) : here_(here) {}

  void operator()(std::string_view key, std::string& v) { take(here_[key].text(), v); }
  void operator()(std::string_view key, Text& v) { take(here_[key].view(), v); }
  void operator()(std::string_view key, BasicText<16>& v) { take(here_[key].view(), v); }
  void operator()(std::string_view key, std::int32_t& v) { take(here_[key].int32(), v); }
  void operator()(std::string_view key, std::int64_t& v) { take(here_[key].int64(), v); }
  void operator()(std::string_view key, bool& v) { take(here_[key].boolean(), v); }
  void operator()(std::string_view key, Time& v) { take(here_[key].time(), v); }
  void operator()(std::string_view key, StringMap& v) { v = here_[key].string_map(); }
  void operator()(std::string_view key, std::vector<std::string>& v) { v = here_[key].strings(); }
  void operator()(std::string_view key, List<Text>& v) { v = here_[key].strings(); }
  void operator()(std::string_view key, std::vector<std::int32_t>& v) {
    v = here_[key].list([](const Field& item) { return item.int32().value_or(0); });
  }
  template <class T>
  requires std::is_class_v<T>
  void operator()(std::string_view key, std::vector<T>& v) {
    v = here_[key].list([](const Field& item) { return read<T>(item); });
  }
  template <class T>
  void operator()(std::string_view key, List<T>& v) {
    v = here_[key].list([](const Field& item) { return read<T>(item); });
  }
  template <class T>
  void operator()(std::string_view key, std::optional<T>& v) {
    if (!here_[key].present()) return;
    (*this)(key, v.emplace());
  }
  template <class T>
  void operator()(std::string_view key, Rare<T>& v) {
    if (!here_[key].present()) return;
    (*this)(key, v.emplace());
  }
  template <class E>
  requires std::is_enum_v<E>
  void operator()(std::string_view key, E& v) { take(here_[key].one_of(names_of(E{})), v); }
  template <class T>
  requires std::is_class_v<T>
  void operator()(std::string_view key, T& v) { v = read<T>(here_[key]); }
  void always(std::string_view key, auto& v) { (*this)(key, v); }
  void unless_zero(std::string_view key, auto& v) { (*this)(key, v); }
  void quantities(std::string_view key, StringMap& v) { v = here_[key].quantity_map(); }
  void verbatim(std::string_view key, Text& v) { v = here_[key].object_text(); }
  void peek(std::string_view key, std::string_view below, auto& v) {
    In passed_through(here_[key]);
    passed_through(below, v);
  }
  template <class Shape, class T>
  void as(std::string_view key, std::vector<T>& v) {
    v = here_[key].list([](const Field& item) { return T(read<Shape>(item)); });
  }
  void unmapped(auto&...) {}
  template <class F>
  void nest(std::string_view key, F describe) {
    In below(here_[key]);
    describe(below);
  }

  template <class T>
  [[nodiscard]] static T read(const Field& field) {
    T value{};
    In in(field);
    T::fields(value, in);
    return value;
  }

 private:
  template <class Found, class T>
  static void take(std::optional<Found> found, T& v) {
    if (found) v = *std::move(found);
  }
  Field here_;
};

enum class Absent { LeaveOut, Null };

class Out {
 public:
  explicit Out(Absent absent) : absent_(absent) {}
  void operator()(std::string_view key, const std::string& v) { put_unless(v.empty(), key, v); }
  template <std::size_t Bytes>
  void operator()(std::string_view key, const BasicText<Bytes>& v) {
    put_unless(v.empty(), key, std::string(v));
  }
  void operator()(std::string_view key, std::int32_t v) { put(key, Json::Value(v)); }
  void operator()(std::string_view key, std::int64_t v) { put(key, Json::Value(static_cast<Json::Int64>(v))); }
  void operator()(std::string_view key, bool v) { put(key, Json::Value(v)); }
  void operator()(std::string_view key, Time v) { put(key, Json::Value(format_time(v))); }
  void operator()(std::string_view key, const StringMap& v) { put_unless(v.empty(), key, to_tree(v)); }
  void operator()(std::string_view key, const std::vector<std::string>& v) { put_list(key, v); }
  void operator()(std::string_view key, const std::vector<std::int32_t>& v) { put_list(key, v); }
  void operator()(std::string_view key, const List<Text>& v) { put_list(key, std::vector<std::string>(v)); }
  template <class T>
  requires std::is_class_v<T>
  void operator()(std::string_view key, const std::vector<T>& v) {
    Json::Value list(Json::arrayValue);
    for (const T& item : v) list.append(write(item, Absent::LeaveOut));
    put_unless(v.empty(), key, std::move(list));
  }
  template <class T>
  void operator()(std::string_view key, const List<T>& v) {
    (*this)(key, std::vector<T>(v));
  }
  template <class T>
  void operator()(std::string_view key, const Rare<T>& v) {
    (*this)(key, std::optional<T>(v));
  }
  template <class T>
  void operator()(std::string_view key, const std::optional<T>& v) {
    if (v) {
      (*this)(key, *v);
    } else if (absent_ == Absent::Null) {
      put(key, Json::Value());
    }
  }
  template <class E>
  requires std::is_enum_v<E>
  void operator()(std::string_view key, E v) { put(key, Json::Value(std::string(name_of(v)))); }
  template <class T>
  requires std::is_class_v<T>
  void operator()(std::string_view key, const T& v) { put(key, write(v, absent_)); }
  void always(std::string_view key, const Text& v) { put(key, Json::Value(std::string(v))); }
  template <class T>
  void unless_zero(std::string_view key, const T& v) {
    if (v != T{}) (*this)(key, v);
  }
  void quantities(std::string_view key, const StringMap& v) { (*this)(key, v); }
  void verbatim(std::string_view key, const Text& v) { put(key, parse_trusted(v)); }
  void peek(std::string_view, std::string_view, const auto&) {}
  template <class Shape, class T>
  void as(std::string_view key, const std::vector<T>& v) {
    (*this)(key, std::vector<Shape>(v.begin(), v.end()));
  }
  void unmapped(const auto&...) {}
  template <class F>
  void nest(std::string_view key, F describe) {
    Out below(absent_);
    describe(below);
    const bool nothing = below.tree_.empty();
    put_unless(nothing, key, std::move(below.tree_));
  }
  template <class T>
  [[nodiscard]] static Json::Value write(const T& value, Absent absent) {
    Out out(absent);
    T::fields(value, out);
    return std::move(out.tree_);
  }

 private:
  void put(std::string_view key, Json::Value value) { tree_[std::string(key)] = std::move(value); }
  void put_unless(bool is_absent, std::string_view key, Json::Value value) {
    if (!is_absent) {
      put(key, std::move(value));
    } else if (absent_ == Absent::Null) {
      put(key, Json::Value());
    }
  }
  template <class T>
  void put_list(std::string_view key, const std::vector<T>& v) {
    Json::Value list(Json::arrayValue);
    for (const T& item : v) list.append(item);
    put_unless(v.empty(), key, std::move(list));
  }

  Absent absent_;
  Json::Value tree_{Json::objectValue};
};

}  // namespace reprise::kube::internal
