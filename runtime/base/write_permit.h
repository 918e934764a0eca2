// A WritePermit is the right to change the cluster, up to an instant. Every mutating call of the client takes one and
// looks at it again right before the bytes leave: a process that slept through its lease writes nothing when it wakes.
#pragma once

#include "runtime/base/clock.h"
#include "runtime/base/error.h"

namespace reprise::runtime {

// A value; only a PermitSource makes one.
class WritePermit {
 public:
  [[nodiscard]] Instant valid_until() const { return valid_until_; }
  [[nodiscard]] bool valid_at(Instant now) const { return now < valid_until_; }

 private:
  friend class PermitSource;
  explicit WritePermit(Instant valid_until) : valid_until_(valid_until) {}
  Instant valid_until_;
};

// Callable from any thread. NoPermit when this process does not lead.
class PermitSource {
 public:
  virtual ~PermitSource() = default;
  [[nodiscard]] virtual Result<WritePermit> permit() const = 0;

 protected:
  [[nodiscard]] static WritePermit issue(Instant valid_until) { return WritePermit(valid_until); }
};

// For `--leader-elect=false`: the only process there is.
class AlwaysPermitted final : public PermitSource {
 public:
  [[nodiscard]] Result<WritePermit> permit() const override { return issue(Instant::max()); }
};

}  // namespace reprise::runtime
