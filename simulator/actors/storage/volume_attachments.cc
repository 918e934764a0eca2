#include "simulator/actors/storage/volume_attachments.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <cstdio>
#include <utility>

#include "simulator/actors/support/finalizers.h"
#include "simulator/base/digest.h"

namespace reprise::simulator {

std::string VolumeAttachments::name(std::string_view volume, std::string_view driver, std::string_view node) {
  Digest digest;
  for (const std::string_view part : {volume, driver, node}) digest.add(part);
  std::array<char, 24> text{};
  std::snprintf(text.data(), text.size(), "csi-%016llx", static_cast<unsigned long long>(digest.value()));
  return text.data();
}

std::string VolumeAttachments::finalizer(std::string_view driver) {
  std::string plain(driver);
  std::ranges::replace_if(
      plain, [](unsigned char each) { return std::isalnum(each) == 0; }, '-');
  return "external-attacher/" + plain;
}

VolumeAttachments::VolumeAttachments(const World& world, Volumes& volumes) : world_(world) {
  volumes.on_attachment([this](const std::string& volume, const std::string& node, AttachState state) {
    switch (state) {
      case AttachState::Attaching:
        return attach(volume, node);
      case AttachState::Attached:
        return attached(volume, node);
      case AttachState::Detaching:
        return detach(volume, node);
      case AttachState::Detached:
        return detached(volume, node);
    }
  });
}

std::string VolumeAttachments::driver_of(const std::string& volume) const {
  const ObjectPtr found = world_.cluster.api.get({world_.kinds.volumes, "", volume});
  return found ? std::string(text(*found, {"spec", "csi", "driver"})) : std::string();
}

ObjectPtr VolumeAttachments::find(const std::string& volume, const std::string& node) const {
  for (const ObjectPtr& each : world_.cluster.api.list(world_.kinds.volume_attachments))
    if (text(*each, {"spec", "nodeName"}) == node && volume_of_attachment(*each) == volume) return each;
  return nullptr;
}

void VolumeAttachments::attach(const std::string& volume, const std::string& node) {
  const std::string driver = driver_of(volume);
  if (driver.empty()) return;  // only volumes of CSI drivers have one
  Value made;
  set(made, {"metadata", "name"}, Value(name(volume, driver, node)));
  set(made, {"spec", "attacher"}, Value(driver));
  set(made, {"spec", "nodeName"}, Value(node));
  set(made, {"spec", "source", "persistentVolumeName"}, Value(volume));
  set(made, {"status", "attached"}, Value(false));
  const auto stored = world_.cluster.api.create(world_.kinds.volume_attachments, std::move(made), &random_);
  if (!stored) return;
  static_cast<void>(
      world_.cluster.api.update({world_.kinds.volume_attachments, "", name_of(**stored)}, [&](Value& object) {
        JsonArray finalizers;
        finalizers.emplace_back(finalizer(driver));
        set(object, {"metadata", "finalizers"}, std::move(finalizers));
      }));
}

void VolumeAttachments::show(const Value& attachment, bool is_attached) {
  static_cast<void>(world_.cluster.api.update(
      {world_.kinds.volume_attachments, "", name_of(attachment)},
      [&](Value& object) {
        set(object, {"status", "attached"}, Value(is_attached));
      },
      "status"));
}

void VolumeAttachments::attached(const std::string& volume, const std::string& node) {
  if (const ObjectPtr found = find(volume, node)) show(*found, true);
}

void VolumeAttachments::detach(const std::string& volume, const std::string& node) {
  if (const ObjectPtr found = find(volume, node); found && !being_deleted(*found))
    static_cast<void>(world_.cluster.api.remove({world_.kinds.volume_attachments, "", name_of(*found)}));
}

// The finalizer goes after the status: the object must not be gone before (external-attacher: markAsDetached).
void VolumeAttachments::detached(const std::string& volume, const std::string& node) {
  detach(volume, node);
  const ObjectPtr found = find(volume, node);
  if (!found) return;
  show(*found, false);
  remove_finalizer(world_.cluster.api, {world_.kinds.volume_attachments, "", name_of(*found)},
                   finalizer(text(*found, {"spec", "attacher"})));
}

std::string_view volume_of_attachment(const Value& attachment) {
  return text(attachment, {"spec", "source", "persistentVolumeName"});
}

bool is_attached(const ApiServer& api, std::string_view volume) {
  const auto all = api.list(api.resource("storage.k8s.io", "volumeattachments"));
  return std::ranges::any_of(all, [&](const ObjectPtr& each) { return volume_of_attachment(*each) == volume; });
}

}  // namespace reprise::simulator
