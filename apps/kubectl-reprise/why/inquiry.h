// One look along the chain: the phases record what they saw, and stop at the first finding that needs a person. Private
// to this folder.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "apps/kubectl-reprise/why/reading/objects.h"

namespace reprise::plugin::why {

class Inquiry {
 public:
  Inquiry(const Objects& objects, kube::Time time) : seen(objects), now(time) {}
  const Objects& seen;
  const kube::Time now;

  void ok(const ObjectRef& object, std::string said) { step(object.text(), Mark::Ok, std::move(said)); }
  // Notes an object that is as it should be for now; the cause of the wait comes further along.
  void waits(const ObjectRef& object, std::string said) { step(object.text(), Mark::Waits, std::move(said)); }
  void unseen(std::string_view kind, std::string why) { step(std::string(kind), Mark::Unseen, std::move(why)); }
  void found(Finding finding);
  // Ends the look: no object blocks, and no later phase matters.
  void close() { closed_ = true; }
  [[nodiscard]] bool has_finding() const { return finding_.has_value(); }
  [[nodiscard]] bool over() const { return closed_; }
  [[nodiscard]] kube::Time::duration since(kube::Time then) const { return now - then; }

  [[nodiscard]] Explanation explanation() &&;

 private:
  void step(std::string looked_at, Mark mark, std::string said) {
    chain_.push_back({std::move(looked_at), mark, std::move(said)});
  }
  std::vector<Step> chain_;
  std::optional<Finding> finding_;
  bool closed_ = false;
};

}  // namespace reprise::plugin::why
