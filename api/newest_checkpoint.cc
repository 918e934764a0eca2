#include "api/newest_checkpoint.h"

namespace reprise::api {

const LiveCheckpointStatus* newer_live_checkpoint(const ResumableJobStatus& status) {
  if (!status.progress || !status.progress->checkpoint) return nullptr;
  const LiveCheckpointStatus& live = *status.progress->checkpoint;
  if (!status.checkpoint) return &live;
  const CheckpointStatus& recorded = *status.checkpoint;
  if (live.step == recorded.step && live.path == recorded.path) return nullptr;  // the record tells more of it
  // A job that has begun anew counts its steps anew: steps decide where times are not known.
  const bool newer = live.time && recorded.time ? *live.time > *recorded.time : live.step > recorded.step;
  return newer ? &live : nullptr;
}

}  // namespace reprise::api
