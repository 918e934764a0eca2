#include "rehearsal/pods/pod_volumes.h"

namespace reprise::rehearsal {
namespace {

namespace fs = std::filesystem;
using simulator::array;
using simulator::find;
using simulator::flag;
using simulator::text;
using simulator::Value;

class VolumeReader {
 public:
  VolumeReader(const Value& pod, const PodPlaces& places, ContainerPlan& plan)
      : pod_(pod), places_(places), plan_(plan) {}

  LocalVolume read(const Value& mount) {
    const std::string name(text(mount, {"name"}));
    LocalVolume local{.source = places_.directory / "volumes" / name,
                      .at = std::string(text(mount, {"mountPath"})),
                      .read_only = flag(mount, {"readOnly"})};
    if (local.at.native().starts_with("/dev/")) local.leave = true;
    if (const Value* volume = volume_named(name)) fill(*volume, name, local);
    if (const auto below = text(mount, {"subPath"}); !below.empty()) local.source /= std::string(below);
    if (!local.leave) plan_.directories.push_back(local.source);
    return local;
  }

 private:
  const Value* volume_named(std::string_view name) const {
    for (const Value& each : array(pod_, {"spec", "volumes"}))
      if (text(each, {"name"}) == name) return &each;
    return nullptr;
  }

  void fill(const Value& volume, const std::string& name, LocalVolume& local) {
    if (const auto claim = text(volume, {"persistentVolumeClaim", "claimName"}); !claim.empty()) {
      local.source = places_.claim(std::string(claim));
      local.read_only = local.read_only || flag(volume, {"persistentVolumeClaim", "readOnly"});
    } else if (const auto host = text(volume, {"hostPath", "path"}); !host.empty()) {
      local.source = std::string(host);
      local.leave = local.source == local.at;
    } else if (find(volume, {"downwardAPI"}) != nullptr) {
      show_fields(array(volume, {"downwardAPI", "items"}), local);
    } else if (find(volume, {"projected"}) != nullptr) {
      for (const Value& source : array(volume, {"projected", "sources"})) {
        show_fields(array(source, {"downwardAPI", "items"}), local);
        if (find(source, {"downwardAPI"}) == nullptr) note_empty(name, local);
      }
    } else if (find(volume, {"emptyDir"}) == nullptr) {
      note_empty(name, local);
    }
  }

  void note_empty(const std::string& name, const LocalVolume& local) {
    plan_.notes.push_back("volume " + name + " is an empty directory at " + local.at.string() +
                          ": a rehearsal has neither ConfigMaps nor Secrets nor other storage");
  }

  void show_fields(const simulator::JsonArray& items, const LocalVolume& local) {
    for (const Value& item : items) {
      const auto field = text(item, {"fieldRef", "fieldPath"});
      const fs::path file = local.source / std::string(text(item, {"path"}));
      plan_.files.emplace_back(file, pod_field(pod_, field));
      if (field == "metadata.annotations") plan_.annotations_file = file;
    }
  }

  const Value& pod_;
  const PodPlaces& places_;
  ContainerPlan& plan_;
};

}  // namespace

std::vector<LocalVolume> local_volumes(const Value& pod, const Value& container, const PodPlaces& places,
                                       ContainerPlan& plan) {
  VolumeReader reader(pod, places, plan);
  std::vector<LocalVolume> volumes;
  for (const Value& mount : array(container, {"volumeMounts"})) volumes.push_back(reader.read(mount));
  return volumes;
}

}  // namespace reprise::rehearsal
