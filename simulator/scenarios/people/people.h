// People's deeds to their jobs beside applying them: start one from scratch, suspend it and let it go on, raise a limit
// that it has reached, accept an older checkpoint than was lost, make room on a full volume, confirm what they have
// looked at; and change the pool. They go on when the faults are over: a job may wait for them.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "simulator/actors/actors.h"
#include "simulator/scenarios/workload/workload.h"

namespace reprise::simulator {

class People {
 public:
  // Both outlive it.
  People(Actors& actors, const Workload& workload);

  // Lets them act from now on; call it when the first job is applied.
  void begin();
  // True when the job waits, and one of them will see to it.
  [[nodiscard]] bool will_see_to(const Value& job) const;
  // Ends the changes of the pool.
  void leave_the_pool_alone() { changes_pool_ = false; }

 private:
  void see(const ObjectChange& change);
  void start_from_scratch(const std::string& name);
  void accept_loss_of_all(const std::string& name);
  void suspend(const std::string& name, bool suspended);
  void see_to_limit(const Value& job);
  void see_to_cost_limit(const Value& job);
  void see_to_lost_checkpoint(const Value& job);
  [[nodiscard]] bool lies_hollow(const std::string& name);
  void see_to_full_volume(const Value& job);
  void let_claims_grow(const std::string& name);
  void see_to_silent_writer(const Value& job);
  void look_and_confirm(const std::string& name, const std::string& uid);
  void change_template(std::size_t which);
  void edit(const std::string& name, const std::string& doing, const std::function<void(Value&)>& change);

  Actors& actors_;
  const Workload& workload_;
  ResourceId jobs_;
  std::set<std::pair<std::string, std::string>> seen_;  // uid of a job, and the matter that they are about to see to
  bool changes_pool_ = true;
  Timers timers_;
  std::unique_ptr<ApiServer::Subscription> subscription_;
};

}  // namespace reprise::simulator
