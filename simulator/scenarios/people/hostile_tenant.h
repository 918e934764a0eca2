// A tenant who wishes the others ill: in a namespace of his own he makes pods, Services, claims, Workloads and jobs
// under any name and any label, with references to jobs that are not his, he reports what ranks would, and he writes
// Events about nodes and pods there and in "default", also in Karpenter's name. In the jobs' namespace somebody takes
// names that jobs need (name_takers.h). His deeds may not matter to others' jobs, machines and pool (the invariants
// `believes-its-own`, `heeds-known-reporters`, `foreign-jobs-do-not-count` and all the rest). Seeds from
// kFirstSeedWithHostileTenant to kLastSeedWithHostileTenant alone have him, and those beyond kSeedsWithoutQueues by as
// much: all others keep their scenarios.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "runtime/base/random.h"
#include "simulator/actors/actors.h"
#include "simulator/scenarios/people/name_takers.h"
#include "simulator/scenarios/workload/workload.h"

namespace reprise::simulator {

inline constexpr std::uint64_t kFirstSeedWithHostileTenant = 5'701, kLastSeedWithHostileTenant = 5'799;
// Seeds of these in which ranks report, and he in their place.
inline constexpr std::uint64_t kFirstSeedWithForgedReports = 5'750;

void draw_hostile_tenant(std::uint64_t seed, Workload& workload);

class HostileTenant {
 public:
  using Report = std::function<void(std::string invariant, std::string what)>;

  // `actors` outlives it. Does nothing where the workload has no such tenant.
  HostileTenant(Actors& actors, const Workload& workload, std::uint64_t seed, Report report);
  // Call it when all jobs have ended: removes his objects, but for his job.
  void end();
  // Call it when all is at rest.
  void judge() const;

 private:
  void act();
  void make_pods(const Value& job);
  void make_others(const Value& job);
  static void mount_claim(const Value& job, Value& pod);
  void report(const Value& job, const std::string& pod);
  void write_events(const Value& job);
  void write_event(const std::string& ns, JsonObject about, std::string_view reason, const std::string& message,
                   std::string_view component);
  void make_job();
  void create(ResourceId resource, Value object);
  [[nodiscard]] ObjectPtr some_job();

  Actors& actors_;
  Report report_;
  runtime::SeededRandom random_;
  ResourceId jobs_, pools_, services_, claims_;
  bool queued_;
  NameTakers name_takers_;
  int events_ = 0;
  Timers timers_;
};

}  // namespace reprise::simulator
