// `reprise-agent list-checkpoints`, an init container of ranks with a volume each: from which steps could this one
// resume? (protocol/common_checkpoint.h). It reads the volume, and changes nothing on it: it has no fence.
#pragma once

#include <memory>

#include "agent/core/run/environment.h"
#include "agent/core/run/host.h"
#include "agent/core/run/identity.h"
#include "agent/core/run/run_agent.h"
#include "agent/core/run/volume.h"
#include "agent/core/unreadable/before_resume.h"
#include "protocol/common_checkpoint.h"

namespace reprise::agent {

// The meaning of an older checkpoint that cannot be read, where newer ones are listed.
enum class UnreadOlder { IsAnError, EndsTheList };

// Lists the checkpoints that restore (restore.h) may resume from, newest first; none where this volume starts from
// scratch. The other ranks delete older ones as soon as they resume. So, down to the one that the operator expects,
// sums have been compared where only the right ones make a checkpoint complete, and the volume has been synced: a
// checkpoint that does not show then that it is on the storage is listed as not durable. A checkpoint for which the
// storage gives an error is an error, too, and at the last try (EndsTheList) left out where another one can be listed.
// An error means that the volume could not be read.
[[nodiscard]] runtime::Result<protocol::ListedCheckpoints> list_checkpoints(
    const Volume& volume, const Environment& env, const Identity& self, UnreadOlder unread_older, const Now& now = {});

// Writes that to the termination log, and ends with 0. What cannot be read is tried again for a while; then the list
// ends before it, or where there is none it says why and ends with 1. A stop request ends it at once.
[[nodiscard]] Ended list_for_operator(const Environment& env, std::shared_ptr<const Volume> volume, Host& host);

}  // namespace reprise::agent
