#include "simulator/scenarios/faults/useless_machines.h"

#include <algorithm>

#include "simulator/faults/own_stream.h"
#include "simulator/scenarios/run/chance.h"

namespace reprise::simulator {
namespace {

constexpr std::string_view kRetry = "reprise.dev/retry";

}  // namespace

void draw_useless_machines(std::uint64_t seed, Workload& workload) {
  if (seed < kFirstSeedWithUselessMachines || seed > kLastSeedWithUselessMachines) return;
  runtime::SeededRandom random = own_stream(seed, "workload/useless-machines");
  constexpr std::chrono::minutes kLatest(20), kShortest(150), kLongest(480);
  UselessMachinesPlan& plan = workload.useless_machines;
  plan.begin = std::chrono::floor<std::chrono::seconds>(random.uniform() * Duration(kLatest));
  plan.length =
      Duration(kShortest) + std::chrono::floor<std::chrono::seconds>(random.uniform() * Duration(kLongest - kShortest));
  plan.register_ever = random.uniform() < 0.5;
  plan.tainted = seed >= kFirstSeedWithTaintedMachines;
  plan.spot_alone = random.uniform() < 0.3;
  plan.retried = random.uniform() < 0.5;
  workload.length = std::max(workload.length, plan.begin + plan.length + Duration(kLatest));
}

void begin_useless_machines(Actors& actors, const Workload& workload) {
  const UselessMachinesPlan& plan = workload.useless_machines;
  if (plan.length == Duration{0}) return;
  EventLoop& loop = actors.cluster.loop;
  loop.after(plan.begin, [&actors, &plan] {
    actors.cluster.log.add("fault", "machines are of no use from now on");
    actors.cloud.trouble_launches(plan.tainted         ? LaunchTrouble::NobodyTolerates
                                  : plan.register_ever ? LaunchTrouble::NeverInitialises
                                                       : LaunchTrouble::NeverRegisters,
                                  plan.spot_alone ? "spot" : "");
  });
  loop.after(plan.begin + plan.length, [&actors, &plan] {
    mend_machines(actors);
    if (plan.retried) retry_pools(actors);
  });
}

void mend_machines(Actors& actors) {
  actors.cloud.trouble_launches(LaunchTrouble::None, "");
}

bool retry_pools(Actors& actors) {
  ApiServer& api = actors.cluster.api;
  const ResourceId pools = api.resource("reprise.dev", "gpupools");
  bool any = false;
  for (const ObjectPtr& pool : api.list(pools)) {
    const bool fails = !array(*pool, {"status", "startup", "backOff"}).empty();
    const bool starts = !array(*pool, {"status", "startup", "starting"}).empty();
    any = any || fails || starts;
    const bool asked = fails && text(*pool, {"metadata", "annotations", kRetry}) !=
                                    text(array(*pool, {"status", "startup", "backOff"})[0], {"retry"});
    if (!fails || starts || asked) continue;
    const std::string name(name_of(*pool));
    actors.cluster.log.add("person", "has pool " + name + " try again");
    static_cast<void>(api.update({pools, "", name}, [&](Value& value) {
      set(value, {"metadata", "annotations", kRetry}, Value(std::to_string(actors.cluster.loop.now().count())));
    }));
  }
  return any;
}

}  // namespace reprise::simulator
