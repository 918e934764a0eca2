// An invariant that holds after every step of every scenario. Invariants look at the API server's objects, at the
// disks, at what trainers did and at what operators ask for; never at what the operator logs or remembers.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/http/transport.h"
#include "simulator/api_server/api_server.h"
#include "simulator/volumes/disk.h"
#include "simulator/volumes/training_log.h"

namespace reprise::simulator {

// Of a tenant who labels what he makes like what is others'; he may not use their pool.
inline constexpr std::string_view kForeignNamespace = "mallory";

// Everything that he makes bears it, in whatever namespace.
inline constexpr std::string_view kForgedAnnotation = "example.com/forged";
[[nodiscard]] inline bool is_forged(const Value& object) {
  return namespace_of(object) == kForeignNamespace ||
         !text(object, {"metadata", "annotations", kForgedAnnotation}).empty();
}

// In reports of his pods, and in nobody else's.
inline constexpr std::int64_t kForgedStep = 900'000'001;

// By name of the PersistentVolume.
using Disks = std::map<std::string, Disk>;

// Takes the sentence that says how an invariant was broken.
using Objection = std::function<void(std::string)>;

class Invariant {
 public:
  virtual ~Invariant() = default;
  // "single-writer"
  [[nodiscard]] virtual std::string_view name() const = 0;
  // Also at changes of what is forged.
  [[nodiscard]] virtual bool looks_at_forgeries() const { return false; }
  // After each change of an object.
  virtual void on_change(const ObjectChange& /*change*/, const Objection& /*object_to*/) {}
  // When a request leaves an operator process.
  virtual void on_request(std::string_view /*who*/, const runtime::Request& /*request*/,
                          const Objection& /*object_to*/) {}
  // After each step of the loop in which an object or a disk may have changed.
  virtual void on_step(const Disks& /*disks*/, const TrainingLog& /*training*/, const Objection& /*object_to*/) {}
};

}  // namespace reprise::simulator
