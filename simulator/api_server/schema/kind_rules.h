// The API server's rules for one kind: defaults, admission, and the fields that may change.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/base/clock.h"
#include "simulator/api_server/store/version.h"
#include "simulator/api_server/wire/rejection.h"

namespace reprise::simulator {

// The part of an object that a request writes.
enum class Part {
  Main,      // everything but status, where status is a part of its own
  Status,    // status
  Binding,   // pods: spec.nodeName
  Finalize,  // namespaces: spec.finalizers
};

// The state that rules may look at.
struct Surroundings {
  const runtime::Clock& clock;
  std::function<VersionPtr(std::string_view group, std::string_view plural, std::string_view key)> get;
};

// The rules here are those of a built-in kind without peculiarities.
class KindRules {
 public:
  explicit KindRules(ResourceType type) : type_(std::move(type)) {}
  virtual ~KindRules() = default;
  KindRules(const KindRules&) = delete;
  KindRules& operator=(const KindRules&) = delete;

  [[nodiscard]] const ResourceType& type() const { return type_; }

  // Turns a new object into its stored form. metadata is stamped already.
  virtual Answer<void> prepare_new(const Surroundings& around, Value& object) const;
  // Likewise for a changed object; metadata is carried over already.
  virtual Answer<void> prepare_change(const Surroundings& around, const Value& before, Value& after, Part part) const;

  // The length of a deletion; empty: objects of this kind go at once.
  [[nodiscard]] virtual std::optional<std::int64_t> grace_seconds(const Value& object,
                                                                  std::optional<std::int64_t> asked) const;
  // True when something besides finalizers keeps a deleted object.
  [[nodiscard]] virtual bool held(const Value& object) const;
  // Marks the object when its deletion has begun.
  virtual void mark_deleted(Value& object) const;
  // True for kinds of a CustomResourceDefinition: a PUT must say which version it was made of, a body its kind.
  [[nodiscard]] virtual bool is_custom() const { return false; }
  // A deletion is answered with the object, not with a Status.
  [[nodiscard]] virtual bool deletion_shows_object() const { return false; }
  [[nodiscard]] virtual bool selectable(std::string_view field) const;
  // The message for a field that is not.
  [[nodiscard]] virtual std::string not_selectable(std::string_view field) const;

 protected:
  // Keeps the parts of the object that this request does not write.
  void keep_other_parts(const Value& before, Value& after, Part part) const;

 private:
  ResourceType type_;
};

// Pods, namespaces, nodes ... each with its own rules.
[[nodiscard]] std::unique_ptr<KindRules> rules_of_built_in(ResourceType type);

}  // namespace reprise::simulator
