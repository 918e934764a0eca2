// The agent's way to a simulated volume, from one machine: each call takes its time, hangs while the storage does, and
// has its effect at its end. A process may stand still, or end, before any of them.
#pragma once

#include <functional>
#include <string>

#include "agent/core/run/environment.h"
#include "agent/volume/volume_files.h"
#include "simulator/actors/agent/agent_threads.h"
#include "simulator/actors/agent/fibers.h"
#include "simulator/actors/storage/volumes.h"
#include "simulator/volumes/disk_tree.h"

namespace reprise::simulator {

struct DiskAccess {
  Cluster& cluster;
  Volumes& volumes;
  Fibers& fibers;
  AgentThreads& threads;
  const agent::Environment& env;
  std::string volume, machine;
  // Files outside the volume, by their whole paths.
  std::map<std::string, std::string>& local_files;
  std::function<void()> local_written;  // one of them
  std::function<void()> fence_seen;     // the fence shows this attempt as owner
};

class DiskFiles final : public agent::VolumeFiles {
 public:
  // `access` lives as long as the fibers.
  explicit DiskFiles(DiskAccess access) : access_(std::move(access)) {}

  [[nodiscard]] runtime::Result<void> write(const Path& path, std::string_view text, agent::Sync sync) const override;
  [[nodiscard]] runtime::Result<std::optional<std::string>> read(const Path& path) const override;
  [[nodiscard]] runtime::Result<std::string> read_range(const Path& path, std::uint64_t offset,
                                                        std::size_t length) const override;
  [[nodiscard]] runtime::Result<void> read_all(
      const std::vector<Path>& paths,
      const std::function<void(std::size_t at, const std::optional<std::string>& text)>& take) const override;
  [[nodiscard]] runtime::Result<std::optional<agent::FileInfo>> look(const Path& path,
                                                                     agent::Links links) const override;
  [[nodiscard]] runtime::Result<void> remove(const Path& file) const override;
  [[nodiscard]] runtime::Result<void> remove_directory(const Path& empty) const override;
  [[nodiscard]] runtime::Result<void> remove_tree(const Path& directory) const override;
  [[nodiscard]] runtime::Result<void> move(const Path& from, const Path& to) const override;
  [[nodiscard]] runtime::Result<std::vector<std::string>> list(const Path& directory) const override;
  [[nodiscard]] runtime::Result<std::vector<agent::DirectoryEntry>> list_entries(const Path& directory) const override;
  [[nodiscard]] runtime::Result<std::set<std::string>> linked_from(const Path& root, const Path& directory,
                                                                   agent::Depth depth) const override;
  [[nodiscard]] runtime::Result<agent::Durability> sync_volume(const Path& root, const Path& checkpoint) const override;
  [[nodiscard]] agent::WriteErrors write_errors() const override { return errors_; }
  [[nodiscard]] std::optional<runtime::WallTime> oldest_birth(const Path& checkpoint) const override;
  [[nodiscard]] runtime::Result<std::vector<agent::FileBelow>> list_below(const Path& path,
                                                                          std::size_t most) const override;
  [[nodiscard]] std::optional<agent::MountKind> kind() const override;
  [[nodiscard]] std::int64_t size_of(const Path& directory) const override;
  [[nodiscard]] std::optional<agent::FreeSpace> free_space(const Path& root) const override;

 private:
  // Returns when the call has taken its time; an error: there is no such volume, or no such process any more.
  [[nodiscard]] runtime::Result<const Disk*> reach(Duration at_least) const;
  // The same, to change it.
  [[nodiscard]] runtime::Result<Disk*> change(Duration at_least) const;
  void notify(Notify whom) const;
  [[nodiscard]] DiskView view() const;
  // The path from the root of the volume; empty: not on it.
  [[nodiscard]] std::optional<std::string> on_volume(const Path& path) const;
  void count_in_look(const Disk& disk, std::size_t files) const;
  void heed_fence(const std::string& path, const std::optional<std::string>& text) const;

  DiskAccess access_;
  mutable agent::WriteErrors errors_;
  mutable std::int64_t look_ = 0;  // files read since the attempts were listed
};

}  // namespace reprise::simulator
