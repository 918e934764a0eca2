#include "agent/core/watch/watch_options.h"

#include "agent/core/aside/volume_scan.h"
#include "agent/core/restore/common_step.h"
#include "agent/core/restore/resume_point.h"

namespace reprise::agent {

CheckpointWatch::Options watch_options(Session& session, const Startup& startup) {
  return {.resumed_from = startup.point.step,
          .resumed_path = startup.point.path,
          .gang = session.env.is_gang(),
          .holds = held_by_volume(session.env),
          .keep = session.env.keep,
          .measures_saves = session.env.watches_for_hangs(),
          .prunes = session.env.is_volume_leader(),
          .ignored = startup.ignored,
          .before = startup.before,
          .ignores_before = session.env.resume == ResumePolicy::Never,
          .made = startup.made,
          .expected = session.env.expected_checkpoint,
          .resume_point = startup.published ? encode_resume_point(startup.point) : std::string(),
          .self = session.self,
          .may_write = [heartbeat = session.heartbeat] { return heartbeat->may_write(); },
          .step_of_all = follow_step_of_all(session, startup.common),
          .notify = [signals = session.signals] { signals->wake(); },
          .syncs = session.syncs,
          .one_look_at_a_time = session.host.threads().make_exclusion(),
          .one_list_at_a_time = session.host.threads().make_exclusion()};
}

}  // namespace reprise::agent
