// Checkpoints as layouts/ know them, anywhere below the root of the volume: directories and single files.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "agent/formats/layouts/all_layouts.h"
#include "agent/formats/recognise/checkpoint_format.h"
#include "agent/formats/search/checkpoint_search.h"
#include "agent/formats/verify/emptied_files.h"
#include "agent/formats/verify/sums_reader.h"

namespace reprise::agent {

class LayoutFormat final : public CheckpointFormat {
 public:
  explicit LayoutFormat(Layouts layouts) : layouts_(std::move(layouts)) {}

  // What a look has found complete the next one does not read again (checkpoint_search.h). Of those that are complete
  // only with the right sums (Judgement::needs_reading) the newest is read to its last byte, once, and the next older
  // one when it has a flaw, or may be data by its name.
  [[nodiscard]] runtime::Result<Checkpoints> discover(const VolumeFiles& files, const Path& root) const override;
  [[nodiscard]] std::string unsearched() const override;
  [[nodiscard]] std::string uncounted() const override;
  [[nodiscard]] Checkpoints stand_ins() const override;
  [[nodiscard]] Unreadable unreadable() const override;
  [[nodiscard]] std::string not_taken() const override;
  [[nodiscard]] std::vector<std::string> other_states() const override;
  [[nodiscard]] bool may_have_been_there(const std::string& name) const override;
  // With several layouts, torn ones that are like no complete one are left out; with Marker alone, those of them that
  // lie below the root (unlike_complete.h). What the storage has lost of a checkpoint by its name stays.
  [[nodiscard]] Checkpoints certain(Checkpoints discovered) const override;
  // In the root, and where the last look has found checkpoints.
  [[nodiscard]] runtime::Result<Checkpoints> glance(const VolumeFiles& files, const Path& root,
                                                    const Known& known) const override;
  [[nodiscard]] runtime::Result<bool> sums_hold(const VolumeFiles& files, const Path& root,
                                                const std::string& name) const override;
  void expect_pieces(std::set<std::string> kinds) override {
    const std::lock_guard lock(mutex_);
    memory_.search.expected_pieces = std::move(kinds);
  }
  // Counts them as looks: some things are judged or listed anew after so many.
  void note_equal_looks(int looks) override {
    const std::lock_guard lock(mutex_);
    count_looks(memory_.search, looks);
  }
  void read_sums_by(std::shared_ptr<const SumsReader> reader) override { sums_ = std::move(reader); }
  // Sums that the last discover() has found wrong are a flaw here too.
  [[nodiscard]] runtime::Result<std::optional<CloseLook>> look_closely(const VolumeFiles& files, const Path& root,
                                                                       const std::string& name) const override;
  [[nodiscard]] std::string of_others() const override;
  // Read anew each time. Also of what was put aside, by the name that it had.
  [[nodiscard]] runtime::Result<std::optional<runtime::WallTime>> completed(const VolumeFiles& files,
                                                                            const Path& checkpoint) const override;
  // A tracker file beside it that names it then names the newest complete one, or goes (tracker_file.h).
  [[nodiscard]] runtime::Result<void> put_aside(const VolumeFiles& files, const Path& root, const std::string& name,
                                                const Path& to) const override;
  // Removes the file that makes it complete, and the next one if it is complete without that.
  [[nodiscard]] runtime::Result<void> invalidate(const VolumeFiles& files, const Path& checkpoint) const override;

 private:
  [[nodiscard]] bool may_have_signs() const;
  [[nodiscard]] runtime::Result<std::optional<FoundCheckpoint>> look(const VolumeFiles& files,
                                                                     const Path& checkpoint) const;
  [[nodiscard]] FoundCheckpoint lost_by_name(const VolumeFiles& files, const Path& checkpoint, Flaw flaw) const;
  // A checkpoint whose bytes were read, since its sums count.
  struct Read {
    FileInfo mark;  // as it was then
    std::optional<Flaw> flaw;
    // The same list of sums.
    [[nodiscard]] bool was_of(const FileInfo& now) const {
      return mark.modified == now.modified && mark.size == now.size;
    }
  };
  using ReadByPath = std::map<std::string, Read>;
  struct Memory {  // of the last look
    SearchMemory search;
    ReadByPath read;
    EmptiedByPath emptied;                    // judged by what older ones have (emptied_files.h)
    std::map<std::string, std::string> lost;  // checkpoints, and why
    bool any_complete = false;
    std::string flaw;  // of the newest one of a library's, where none is complete
  };
  [[nodiscard]] Memory remembered() const;
  [[nodiscard]] bool asks_for_marks_alone() const;
  [[nodiscard]] Checkpoints take_lost(Checkpoints& discovered) const;
  // Puts the flaws that it finds into `found`; `before` is what was read by the last look.
  [[nodiscard]] runtime::Result<ReadByPath> read_newest(const VolumeFiles& files, const Path& root,
                                                        std::vector<FoundCheckpoint>& found,
                                                        const ReadByPath& before) const;

  [[nodiscard]] Flawed read_sums(const VolumeFiles& files, const Path& root, const FoundCheckpoint& found,
                                 bool& is_read) const;

  Layouts layouts_;
  std::shared_ptr<const SumsReader> sums_ = std::make_shared<const ReadsByItself>();
  mutable std::mutex mutex_;  // never held while the volume is asked
  mutable Memory memory_;
};

}  // namespace reprise::agent
