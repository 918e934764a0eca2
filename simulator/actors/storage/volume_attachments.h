// The VolumeAttachments of volumes for one machine, as the attach-detach controller and the driver's external attacher
// write them: made when attaching begins, deleted when detaching does, gone when the volume is detached. A share has
// none: its driver has attachRequired false.
//
// Karpenter waits for them before it ends a machine, and a volume is not deleted while it has one.
#pragma once

#include <string>
#include <string_view>

#include "simulator/actors/storage/volumes.h"
#include "simulator/actors/support/pod_writes.h"

namespace reprise::simulator {

class VolumeAttachments final : public Actor {
 public:
  // `volumes` outlives it.
  VolumeAttachments(const World& world, Volumes& volumes);

  // csi-<digest of volume, driver and node> (pkg/volume/csi/csi_attacher.go; there the digest is SHA-256).
  [[nodiscard]] static std::string name(std::string_view volume, std::string_view driver, std::string_view node);
  // external-attacher/<driver> with - for characters that no name may hold (external-attacher: GetFinalizerName).
  [[nodiscard]] static std::string finalizer(std::string_view driver);

 private:
  void attach(const std::string& volume, const std::string& node);
  void attached(const std::string& volume, const std::string& node);
  void detach(const std::string& volume, const std::string& node);
  void detached(const std::string& volume, const std::string& node);
  [[nodiscard]] std::string driver_of(const std::string& volume) const;
  [[nodiscard]] ObjectPtr find(const std::string& volume, const std::string& node) const;
  void show(const Value& attachment, bool is_attached);

  World world_;
  // Draws uids of attachments alone, so that those of all other objects stay as they were; no cluster has this seed.
  runtime::SeededRandom random_{0xa77ac4ed};
};

// The PersistentVolume's name of a VolumeAttachment.
[[nodiscard]] std::string_view volume_of_attachment(const Value& attachment);
// True when the volume is attached to any node, or being attached or detached.
[[nodiscard]] bool is_attached(const ApiServer& api, std::string_view volume);

}  // namespace reprise::simulator
