#include "simulator/scenarios/workload/warm_gpus.h"

#include "simulator/faults/own_stream.h"

namespace reprise::simulator {

void draw_warm_gpus(std::uint64_t seed, Workload& workload) {
  if (seed < kFirstSeedWithWarmGpus || seed > kLastSeedWithWarmGpus) return;
  runtime::SeededRandom random = own_stream(seed, "workload/warm-gpus");
  workload.warm_gpus = 1 + static_cast<int>(3 * random.uniform());
  if (seed < kFirstSeedWithWarmSchedule) return;
  constexpr std::chrono::minutes kShortest(10);
  constexpr std::chrono::days kMonth(30);
  const auto part = [&](Duration of) { return std::chrono::floor<std::chrono::minutes>(random.uniform() * of); };
  WarmSchedulePlan& schedule = workload.warm_schedule;
  schedule.gpus = workload.warm_gpus + 1;
  schedule.begins = part(workload.length - 3 * kShortest);
  schedule.goes_on = random.uniform() < 0.5;
  schedule.length = schedule.goes_on ? kMonth : kShortest + part(workload.length - schedule.begins - 2 * kShortest);
}

void end_warm_schedule(Workload& workload) {
  workload.warm_schedule.begins = Duration{0};
  if (!workload.warm_schedule.goes_on) workload.warm_schedule = {};
}

Value warm_of(const Workload& workload) {
  JsonObject warm{{"gpus", workload.warm_gpus}};
  const WarmSchedulePlan& schedule = workload.warm_schedule;
  if (schedule.gpus == 0) return warm;
  const std::chrono::hh_mm_ss begins(std::chrono::floor<std::chrono::minutes>(schedule.begins));
  const std::string text = std::to_string(begins.minutes().count()) + " " + std::to_string(begins.hours().count()) +
                           " 1 jan *";  // the day on which scenarios begin
  const auto length = std::chrono::floor<std::chrono::seconds>(schedule.length).count();
  warm["schedules"] = JsonArray{JsonObject{{"schedule", text}, {"durationSeconds", length}, {"gpus", schedule.gpus}}};
  return warm;
}

void judge_warm_gpus(const ApiServer& api, const Workload& workload,
                     const std::function<void(std::string invariant, std::string what)>& object_to) {
  const int wanted = workload.warm_schedule.goes_on ? workload.warm_schedule.gpus : workload.warm_gpus;
  int ready = 0;
  for (const ObjectPtr& pod : api.list(api.resource("", "pods"))) {
    const bool is_warm = !text(*pod, {"metadata", "labels", "reprise.dev/warm"}).empty();
    if (is_warm && text(*pod, {"status", "phase"}) == "Running" && !being_deleted(*pod)) ++ready;
  }
  const ObjectPtr pool = api.get({api.resource("reprise.dev", "gpupools"), "", std::string(kPoolName)});
  const std::int64_t said = pool ? number(*pool, {"status", "warmGpus"}) : 0;
  if (ready == wanted && said == ready) return;
  object_to("warm-gpus-are-ready", "GpuPool " + std::string(kPoolName) + " keeps " + std::to_string(ready) + " of " +
                                       std::to_string(wanted) + " GPUs ready, and says " + std::to_string(said));
}

}  // namespace reprise::simulator
