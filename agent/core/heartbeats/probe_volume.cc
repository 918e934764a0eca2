#include "agent/core/heartbeats/probe_volume.h"

#include <algorithm>
#include <string>
#include <system_error>

#include "agent/core/aside/volume_findings.h"

namespace reprise::agent {
namespace {

constexpr std::chrono::milliseconds kAgain{60'000};
constexpr int kTries = 5;

bool is_complete(const VolumeAbilities& can) {
  return can.rename && can.overwrite && can.remove;
}

// A name that nobody has used: a pod that was replaced probes again.
std::string probe_name(const Identity& self) {
  return std::to_string(self.attempt) + "-" + std::to_string(self.index) + "-" + self.pod_uid;
}

}  // namespace

std::string_view name_of(DurabilityProof proof) {
  switch (proof) {
    case DurabilityProof::Sync:
      return protocol::kDurableBySync;
    case DurabilityProof::Reopen:
      return protocol::kDurableByReopen;
    case DurabilityProof::Close:
      return protocol::kDurableByClose;
    case DurabilityProof::None:
      break;
  }
  return protocol::kNeverDurable;
}

std::chrono::milliseconds heartbeat_period(const Environment& env, const std::optional<MountKind>& kind) {
  if (!kind) return env.heartbeat_period;
  const auto period = kind->object_store ? env.object_store_heartbeat_period : env.heartbeat_period;
  return std::max(period, kind->holds_back * 3);
}

std::string said_of_reach(const std::optional<MountKind>& kind) {
  if (!kind || !kind->one_node) return {};
  return "on this volume (" + kind->type +
         ") what one node writes comes to others late or never: heartbeats and the fence protect one node only";
}

std::unique_ptr<Worker> probe_volume(Session& session) {
  const auto kind = session.volume->files.kind();
  if (!kind) return nullptr;
  const auto tick = [volume = session.volume, heartbeat = session.heartbeat, kind = *kind,
                     name = probe_name(session.self), tries = 0]() mutable {
    if (tries == kTries || !heartbeat->may_write()) return;
    const auto can = volume->files.probe(volume->layout.probe(), name + "-" + std::to_string(++tries));
    if (is_complete(can)) tries = kTries;
    volume->findings->set({.type = kind.type,
                           .rename = can.rename,
                           .overwrite = can.overwrite,
                           .remove = can.remove,
                           .durability = std::string(name_of(kind.proof))});
  };
  try {
    return session.host.threads().repeat(kAgain, tick);
  } catch (const std::system_error&) {
    return nullptr;  // the container may have no more threads: training needs none of this
  }
}

}  // namespace reprise::agent
