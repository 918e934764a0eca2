// Checkpoint formats that this version does not serve, as the seam has to bear them: steps in folders of their own,
// single files, and a tracker file that names the newest.
#pragma once

#include <algorithm>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "agent/formats/checkpoint_name.h"
#include "agent/formats/recognise/marker_format.h"

namespace reprise::agent::testing_support {

inline void highest_first(Checkpoints& found) {
  std::ranges::sort(found, std::ranges::greater{}, &Checkpoint::step);
}

// run/step-N/, complete with a marker.
class NestedSteps final : public CheckpointFormat {
 public:
  [[nodiscard]] runtime::Result<Checkpoints> discover(const VolumeFiles& files, const Path& root) const override {
    Checkpoints found;
    const auto runs = files.list(root);
    if (!runs) return std::unexpected(runs.error());
    for (const std::string& run : *runs) {
      const auto info = files.look(root / run, Links::Stay);
      if (!info) return std::unexpected(info.error());
      if (run.starts_with('.') || !*info || (*info)->kind != FileInfo::Kind::Directory) continue;
      auto steps = scan_run(files, root / run);
      if (!steps) return steps;
      for (Checkpoint& each : *steps) {
        each.name.insert(0, run + "/");
        found.push_back(std::move(each));
      }
    }
    highest_first(found);
    return found;
  }
  [[nodiscard]] runtime::Result<std::optional<runtime::WallTime>> completed(const VolumeFiles& files,
                                                                            const Path& checkpoint) const override {
    return steps_.completed(files, checkpoint);
  }
  [[nodiscard]] runtime::Result<void> invalidate(const VolumeFiles& files, const Path& checkpoint) const override {
    return steps_.invalidate(files, checkpoint);
  }

 private:
  [[nodiscard]] runtime::Result<Checkpoints> scan_run(const VolumeFiles& files, const Path& run) const {
    return steps_.discover(files, run);
  }
  MarkerFormat steps_;
};

// save-N.pt, complete with a save-N.pt.done beside it.
class SingleFiles final : public CheckpointFormat {
 public:
  [[nodiscard]] runtime::Result<Checkpoints> discover(const VolumeFiles& files, const Path& root) const override {
    const auto names = files.list(root);
    if (!names) return std::unexpected(names.error());
    Checkpoints found;
    for (const std::string& name : *names) {
      const auto info = files.look(root / name, Links::Stay);
      if (!info) return std::unexpected(info.error());
      if (!name.ends_with(".pt") || !*info || (*info)->kind != FileInfo::Kind::File) continue;
      const auto time = completed(files, root / name);
      if (!time) return std::unexpected(time.error());
      found.push_back({.name = name,
                       .step = step_of(name).value_or(0),
                       .complete = time->has_value(),
                       .time = time->value_or(runtime::WallTime{})});
    }
    highest_first(found);
    return found;
  }
  // Also of the directory into which it was put aside.
  [[nodiscard]] runtime::Result<std::optional<runtime::WallTime>> completed(const VolumeFiles& files,
                                                                            const Path& checkpoint) const override {
    const auto names = files.list(checkpoint);
    if (!names && names.error().error_class != runtime::ErrorClass::Invalid) return std::unexpected(names.error());
    Path done = beside(checkpoint);
    if (names) {
      for (const std::string& name : *names)
        if (name.ends_with(".done")) done = checkpoint / name;
    }
    const auto info = files.look(done, Links::Follow);
    if (!info) return std::unexpected(info.error());
    return *info ? std::optional((*info)->modified) : std::nullopt;
  }
  [[nodiscard]] runtime::Result<void> put_aside(const VolumeFiles& files, const Path& root, const std::string& name,
                                                const Path& to) const override {
    const Path file = root / name;
    const auto done = files.look(beside(file), Links::Follow);
    if (!done) return std::unexpected(done.error());
    if (auto moved = files.move(file, to / name); !moved) {
      static_cast<void>(files.remove_directory(to));  // the attempt has made this directory
      return moved;
    }
    if (!*done) return {};
    auto moved = files.move(beside(file), beside(to / name));
    if (!moved) static_cast<void>(files.move(to / name, file));
    return moved;
  }
  [[nodiscard]] runtime::Result<void> invalidate(const VolumeFiles& files, const Path& checkpoint) const override {
    return files.remove(beside(checkpoint));
  }

 private:
  [[nodiscard]] static Path beside(const Path& file) { return file.string() + ".done"; }
};

// iter_N/ with a common.pt; newest_iteration.txt names the newest that is complete.
class Tracker final : public CheckpointFormat {
 public:
  static constexpr const char* kFile = "newest_iteration.txt";
  [[nodiscard]] runtime::Result<Checkpoints> discover(const VolumeFiles& files, const Path& root) const override {
    const auto names = files.list(root);
    if (!names) return std::unexpected(names.error());
    Checkpoints found;
    for (const std::string& name : *names) {
      if (!name.starts_with("iter_")) continue;
      const auto time = completed(files, root / name);
      if (!time) return std::unexpected(time.error());
      found.push_back({.name = name,
                       .step = step_of(name).value_or(0),
                       .complete = time->has_value(),
                       .time = time->value_or(runtime::WallTime{})});
    }
    highest_first(found);
    return found;
  }
  [[nodiscard]] runtime::Result<std::optional<runtime::WallTime>> completed(const VolumeFiles& files,
                                                                            const Path& checkpoint) const override {
    const auto latest = tracked(files, checkpoint.parent_path());
    const auto info = files.look(checkpoint / "common.pt", Links::Follow);
    if (!latest) return std::unexpected(latest.error());
    if (!info) return std::unexpected(info.error());
    const auto step = step_of(checkpoint.filename().string());
    return *info && *latest && step && *step <= **latest ? std::optional((*info)->modified) : std::nullopt;
  }
  // The next save must not be taken for complete because the tracker names more.
  [[nodiscard]] runtime::Result<void> put_aside(const VolumeFiles& files, const Path& root, const std::string& name,
                                                const Path& to) const override {
    if (auto moved = files.move(root / name, to); !moved) return moved;
    auto lowered = lower(files, root);
    if (!lowered) static_cast<void>(files.move(to, root / name));
    return lowered;
  }
  [[nodiscard]] runtime::Result<void> invalidate(const VolumeFiles& files, const Path& checkpoint) const override {
    if (auto removed = files.remove(checkpoint / "common.pt"); !removed) return removed;
    return lower(files, checkpoint.parent_path());
  }

 private:
  [[nodiscard]] static runtime::Result<std::optional<std::int64_t>> tracked(const VolumeFiles& files,
                                                                            const Path& root) {
    const auto text = files.read(root / kFile);
    if (!text) return std::unexpected(text.error());
    return *text ? step_of(**text) : std::nullopt;
  }
  [[nodiscard]] runtime::Result<void> lower(const VolumeFiles& files, const Path& root) const {
    const auto found = discover(files, root);
    if (!found) return std::unexpected(found.error());
    for (const Checkpoint& each : *found) {
      if (!each.complete) continue;
      const auto latest = tracked(files, root);
      if (!latest || *latest == each.step) return latest ? runtime::Result<void>() : std::unexpected(latest.error());
      return files.write(root / kFile, std::to_string(each.step), Sync::Yes);
    }
    return files.remove(root / kFile);
  }
};

}  // namespace reprise::agent::testing_support
