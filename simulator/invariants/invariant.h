// An invariant that holds after every step of every scenario. Invariants look at the API server's objects, at the
// disks, at the trainers' deeds and at the operators' requests; never at an operator's log or memory.
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

// The namespace of a tenant who labels his objects like those of others; he may not use their pool.
inline constexpr std::string_view kForeignNamespace = "mallory";

// Marks everything that he makes, in any namespace.
inline constexpr std::string_view kForgedAnnotation = "example.com/forged";
[[nodiscard]] inline bool is_forged(const Value& object) {
  return namespace_of(object) == kForeignNamespace ||
         !text(object, {"metadata", "annotations", kForgedAnnotation}).empty();
}

// A step in reports of his pods, and in nobody else's.
inline constexpr std::int64_t kForgedStep = 900'000'001;

// Disks by name of their PersistentVolume.
using Disks = std::map<std::string, Disk>;

// Takes the sentence that says how an invariant was broken.
using Objection = std::function<void(std::string)>;

class Invariant {
 public:
  virtual ~Invariant() = default;
  // "single-writer"
  [[nodiscard]] virtual std::string_view name() const = 0;
  // True: also called at changes of forged objects.
  [[nodiscard]] virtual bool looks_at_forgeries() const { return false; }
  // Called after each change of an object.
  virtual void on_change(const ObjectChange& /*change*/, const Objection& /*object_to*/) {}
  // Called when a request leaves an operator process.
  virtual void on_request(std::string_view /*who*/, const runtime::Request& /*request*/,
                          const Objection& /*object_to*/) {}
  // Called after each step of the loop in which an object or a disk may have changed.
  virtual void on_step(const Disks& /*disks*/, const TrainingLog& /*training*/, const Objection& /*object_to*/) {}
};

}  // namespace reprise::simulator
