#include "rehearsal/pods/checkpoint_place.h"

namespace reprise::rehearsal {

CheckpointPlace choose_place(const CheckpointPlaceFacts& facts) {
  const bool usable = facts.is_directory && facts.writable && facts.empty && facts.shared_by_all;
  if (usable) return CheckpointPlace::AsItStands;
  if (facts.may_mount) return CheckpointPlace::Mounted;
  return facts.is_directory && !facts.empty ? CheckpointPlace::Nowhere : CheckpointPlace::Named;
}

std::string explain(CheckpointPlace place, const CheckpointPlaceFacts& facts, const std::string& path,
                    const std::string& directory) {
  const std::string why = !facts.is_directory    ? "is not there"
                          : !facts.writable      ? "cannot be written to"
                          : !facts.empty         ? "is not empty and is left alone"
                          : !facts.shared_by_all ? "is wanted for several volumes"
                                                 : "";
  switch (place) {
    case CheckpointPlace::AsItStands:
      return "checkpoints go to " + path;
    case CheckpointPlace::Mounted:
      return path + " " + why + ": the trainer sees " + directory + " there";
    case CheckpointPlace::Named:
      return path + " " + why + ", and this user may not mount: $REPRISE_CHECKPOINT_DIR is " + directory;
    case CheckpointPlace::Nowhere:
      return "spec.checkpoint.path: found " + path +
             ", which is not empty, and this user may not mount a private directory over it (no user namespaces): a "
             "script that has the path written into it would write there; name a directory that is empty or not there, "
             "or rehearse as a user who may mount";
  }
  return {};
}

}  // namespace reprise::rehearsal
