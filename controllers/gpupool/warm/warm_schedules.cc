#include "controllers/gpupool/warm/warm_schedules.h"

#include <algorithm>
#include <vector>

#include "runtime/base/cron/cron.h"

namespace reprise::controllers::gpupool {
namespace {

// Schedules that take turns are looked at so often; until then at least it stays so.
constexpr int kMostTurns = 100;

struct Schedule {
  runtime::Cron begins;
  std::chrono::seconds length;
  std::int32_t gpus = 0;
  [[nodiscard]] runtime::Cron::Spell at(kube::Time time) const { return begins.spell_at(time, length); }
};

std::vector<Schedule> read(const std::vector<api::WarmSchedule>& schedules) {
  std::vector<Schedule> read;
  for (const api::WarmSchedule& each : schedules) {
    if (const auto begins = runtime::Cron::parse(each.schedule))
      read.push_back({*begins, kube::bounded_seconds(each.duration_seconds), each.gpus});
  }
  return read;
}

std::optional<kube::Time> earlier(std::optional<kube::Time> left, std::optional<kube::Time> right) {
  if (!left || !right) return left ? left : right;
  return std::min(*left, *right);
}

// The time when no schedule with as many GPUs applies any more. Empty: one of them always does.
std::optional<kube::Time> end_of(const std::vector<Schedule>& schedules, std::int32_t gpus, kube::Time now) {
  kube::Time end = now;
  for (int turn = 0; turn < kMostTurns; ++turn) {
    kube::Time last = end;
    for (const Schedule& each : schedules) {
      const runtime::Cron::Spell spell = each.gpus == gpus ? each.at(end) : runtime::Cron::Spell{};
      if (!spell.is_active) continue;
      if (!spell.changes_at) return std::nullopt;
      last = std::max(last, *spell.changes_at);
    }
    if (last == end) return end;
    end = last;
  }
  return end;
}

}  // namespace

bool keeps_gpus_ready(const api::GpuPoolSpec& spec) {
  return spec.warm_gpus > 0 || !spec.warm_schedules.empty();
}

std::optional<std::string> warm_schedules_misfit(const api::GpuPoolSpec& spec) {
  for (std::size_t i = 0; i < spec.warm_schedules.size(); ++i) {
    const std::string& text = spec.warm_schedules[i].schedule;
    if (const auto begins = runtime::Cron::parse(text); !begins)
      return "spec.warm.schedules[" + std::to_string(i) + "].schedule: found " + text + ", " + begins.error();
  }
  return std::nullopt;
}

// A schedule of fewer GPUs changes nothing.
WarmSpell warm_spell(const api::GpuPoolSpec& spec, kube::Time now) {
  const std::vector<Schedule> schedules = read(spec.warm_schedules);
  WarmSpell spell{.gpus = spec.warm_gpus};
  for (const Schedule& each : schedules)
    if (each.at(now).is_active) spell.gpus = std::max(spell.gpus, each.gpus);
  if (spell.gpus > spec.warm_gpus) spell.until = end_of(schedules, spell.gpus, now);
  for (const Schedule& each : schedules)
    if (each.gpus > spell.gpus) spell.until = earlier(spell.until, each.at(now).changes_at);
  return spell;
}

}  // namespace reprise::controllers::gpupool
