#include "agent/core/run/volume_workers.h"

#include <system_error>
#include <utility>

#include "agent/core/fencing/former_attempts.h"
#include "agent/core/space/reserve.h"
#include "agent/core/space/temporary_files.h"

namespace reprise::agent {

std::unique_ptr<Worker> tidy_volume(Session& session) {
  if (!session.env.is_volume_leader()) return nullptr;
  const auto former = std::make_shared<FormerAttempts>(
      session.volume, session.clock,
      FormerAttempts::Options{.self = session.self,
                              .heartbeat_period = session.env.heartbeat_period,
                              .may_write = [heartbeat = session.heartbeat] { return heartbeat->may_write(); }});
  return session.host.threads().repeat(
      session.env.heartbeat_period / 4, [former, volume = session.volume, pod_uid = session.self.pod_uid,
                                         heartbeat = session.heartbeat, begun = false, over = false]() mutable {
        if (!std::exchange(begun, true)) {
          remove_temporary_files(*volume, pod_uid, [&] { return heartbeat->may_write(); });
          // Before the trainer takes the room.
          if (const auto free = volume->files.free_space(volume->layout.root)) keep_reserve(*volume, free->bytes);
        }
        if (!over) over = !former->step();
      });
}

std::unique_ptr<Worker> write_down_names(Session& session, const std::shared_ptr<CheckpointWatch>& watch) {
  if (!session.env.is_volume_leader()) return nullptr;
  try {
    return session.host.threads().repeat(session.env.watch, [watch] { watch->write_down_names(); });
  } catch (const std::system_error&) {
    return nullptr;
  }
}

}  // namespace reprise::agent
