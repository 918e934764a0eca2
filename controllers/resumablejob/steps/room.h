// The room that the checkpoint volume has for what the job saves, as its agents report it.
#pragma once

#include <string>
#include <vector>

#include "controllers/resumablejob/decide/phases.h"

namespace reprise::controllers::resumablejob {

[[nodiscard]] api::RoomStatus room_of(const protocol::ReportedRoom& told, const std::string& claim);
// "12.0 MiB are free, a save takes 4.0 GiB, and 5 checkpoints of this job lie there"
[[nodiscard]] std::string describe_room(const api::RoomStatus& room);
// Says what a person can do about it.
[[nodiscard]] std::string how_to_make_room(const api::RoomStatus& room);

// The volume that is nearest to being full, by the ranks that report, where one is near it. `before`: what was said
// last; it stands until there is ample room again, and small changes do not count.
[[nodiscard]] kube::Rare<api::RoomStatus> short_room(const Observation& seen,
                                                     const std::vector<const reports::RankReport*>& reports,
                                                     const kube::Rare<api::RoomStatus>& before);
// The condition VolumeNearlyFull, from status.progress.room as it will be written.
void judge_room(PlanBuilder& builder);

}  // namespace reprise::controllers::resumablejob
