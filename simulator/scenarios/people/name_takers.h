// Somebody who may make what he likes in the jobs' own namespace, but no reference that makes a job the controller: he
// takes names that a job needs before it does, with all its labels, and makes copies of its objects. An object in the
// way goes after some minutes; until then the job waits and says so, and takes none of it for its own.
#pragma once

#include <memory>
#include <string>

#include "runtime/base/random.h"
#include "simulator/actors/actors.h"
#include "simulator/scenarios/workload/workload.h"

namespace reprise::simulator {

class NameTakers {
 public:
  // `actors` outlives it. From now on, where the workload has such people.
  NameTakers(Actors& actors, const Workload& workload, std::uint64_t seed);
  // Removes all that stands in the way.
  void end();

 private:
  // A job has just been made.
  void take_names(const std::string& job);
  // Takes names of the next attempt, and of the objects that the cluster keeps in place of a job that trains.
  void take_names_of_next(const Value& job);
  void act();
  void make(ResourceId resource, Value object);
  void report(const Value& job, const Value& pod);

  Actors& actors_;
  runtime::SeededRandom random_;
  ResourceId jobs_, services_, claims_;
  bool queued_;
  Timers timers_, removals_;
  std::unique_ptr<ApiServer::Subscription> made_jobs_;
};

}  // namespace reprise::simulator
