// Lets an armed fault befall the next pod with a matching change.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "simulator/actors/actors.h"

namespace reprise::simulator {

class PodTrigger {
 public:
  // `takes` looks at a change of a pod; true: the fault befalls it, and the trigger is disarmed. It must not change
  // anything by itself. `actors` outlives it.
  PodTrigger(Actors& actors, std::function<bool(const ObjectChange& change)> takes)
      : subscription_(actors.cluster.api.subscribe(actors.kinds.pods,
                                                   [this, takes = std::move(takes)](const ObjectChange& change) {
                                                     if (armed_ && change.change == Change::Modified && takes(change))
                                                       armed_ = false;
                                                   })) {}
  PodTrigger(const PodTrigger&) = delete;
  PodTrigger& operator=(const PodTrigger&) = delete;

  void arm() { armed_ = true; }
  void disarm() { armed_ = false; }

 private:
  bool armed_ = false;
  std::unique_ptr<ApiServer::Subscription> subscription_;
};

}  // namespace reprise::simulator
