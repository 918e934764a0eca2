// Places of the agent's own files on the checkpoint volume: below .reprise/, nowhere else.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace reprise::agent {

struct VolumeLayout {
  std::filesystem::path root;

  static constexpr std::string_view kOwn = ".reprise";
  [[nodiscard]] std::filesystem::path own() const { return root / kOwn; }
  [[nodiscard]] std::filesystem::path fence() const { return own() / "fence.json"; }
  // Numbers kept of attempts whose directories were removed.
  [[nodiscard]] std::filesystem::path former() const { return own() / "former.json"; }
  [[nodiscard]] std::filesystem::path attempts() const { return own() / "attempts"; }
  [[nodiscard]] std::filesystem::path attempt(std::int32_t number) const { return attempts() / std::to_string(number); }
  [[nodiscard]] std::filesystem::path resume_point(std::int32_t number) const {
    return attempt(number) / "resume.json";
  }
  // Torn checkpoints that its restore has left where they lie.
  [[nodiscard]] std::filesystem::path torn_in_place(std::int32_t number) const { return attempt(number) / "torn.json"; }
  [[nodiscard]] std::filesystem::path record(std::int32_t number, std::int32_t index) const {
    return attempt(number) / (std::to_string(index) + ".json");
  }
  [[nodiscard]] std::filesystem::path alive(std::int32_t number, std::int32_t index) const {
    return attempt(number) / (std::to_string(index) + ".alive");
  }
  // Marks that the pod of this rank was told to stop (core/stop/told_together.h).
  [[nodiscard]] std::filesystem::path told(std::int32_t number, std::int32_t index) const {
    return attempt(number) / (std::to_string(index) + ".told");
  }
  // Room that becomes a rank's record where nothing else is free (core/room_of_rank.h).
  [[nodiscard]] std::filesystem::path room(std::int32_t number, std::int32_t index) const {
    return attempt(number) / (std::to_string(index) + ".room");
  }
  // Its word about the step at which all ranks save (core/save_step/save_word.h).
  [[nodiscard]] std::filesystem::path save_word(std::int32_t number, std::int32_t index) const {
    return attempt(number) / (std::to_string(index) + ".save");
  }
  // Checkpoints that were made while an agent watched: a file each, never written twice.
  [[nodiscard]] std::filesystem::path made() const { return own() / "made"; }
  [[nodiscard]] std::filesystem::path made(std::int64_t order) const {
    return made() / (std::to_string(order) + ".json");
  }
  // Places where ranks have seen their trainers write (core/own_places.h): a file each.
  [[nodiscard]] std::filesystem::path places() const { return own() / "places"; }
  // The name of a checkpoint where it is put aside, also one that lies in a directory.
  [[nodiscard]] static std::string aside(std::string checkpoint) {
    constexpr std::size_t kLongest = 200;  // a name has 255 bytes at most
    std::ranges::replace(checkpoint, '/', '+');
    if (checkpoint.size() > kLongest) checkpoint.erase(0, checkpoint.size() - kLongest);
    return checkpoint;
  }
  // And what it was called, without the directories in which it lay, behind aside(...) + "." + attempt.
  [[nodiscard]] static std::string before_aside(const std::string& aside) {
    const std::size_t dot = aside.rfind('.'), plus = aside.rfind('+', dot);
    return aside.substr(plus == std::string::npos ? 0 : plus + 1, dot - (plus == std::string::npos ? 0 : plus + 1));
  }
  // Behind aside(...): its path below the root, in which a '+' may have been one.
  [[nodiscard]] static std::string path_of_aside(std::string aside) {
    std::ranges::replace(aside, '+', '/');
    return aside;
  }
  // Torn checkpoints that this job's trainers have made: they go when a newer one is complete and durable.
  [[nodiscard]] std::filesystem::path torn() const { return own() / "torn"; }
  // Torn checkpoints of unknown origin, and what a start from scratch put aside; never deleted by the agent.
  [[nodiscard]] std::filesystem::path quarantine() const { return own() / "quarantine"; }
  // Checkpoints that this rank alone had saved where all ranks resumed from an older step.
  [[nodiscard]] std::filesystem::path ahead() const { return own() / "ahead"; }
  // The last saves that were seen, also those that are gone (core/generations/halves/known_saves.h).
  [[nodiscard]] std::filesystem::path known_saves() const { return own() / "saves.json"; }
  // Its time is that of the last start from scratch: what is older is of the training before.
  [[nodiscard]] std::filesystem::path began_anew() const { return own() / "anew.json"; }
  // Checkpoints that a sync has shown to be on the disk (core/proofs/proven_list.h).
  [[nodiscard]] std::filesystem::path proven() const { return own() / "proven"; }
  // Words of the agents that sync for several ranks, and their results (core/proofs/sync_word.h).
  [[nodiscard]] std::filesystem::path synced() const { return own() / "synced"; }
  // Checkpoints that nothing has shown to be there after an end that no agent saw; never deleted by the agent.
  [[nodiscard]] std::filesystem::path unproven() const { return own() / "unproven"; }
  // Lists of what could not be moved there.
  [[nodiscard]] std::filesystem::path set_aside() const { return own() / "set-aside"; }
  // Sums of checkpoints that were read to their last byte (core/sums/).
  [[nodiscard]] std::filesystem::path sums() const { return own() / "sums"; }
  // Small files by which is found out what the volume allows (core/probe_volume.h).
  [[nodiscard]] std::filesystem::path probe() const { return own() / "probe"; }
  // The reserve that is given up where nothing else fits (core/reserve.h).
  [[nodiscard]] std::filesystem::path reserve() const { return own() / "reserve"; }
  // Pruned checkpoints on their way out: a half-deleted one never carries its old name.
  [[nodiscard]] std::filesystem::path trash() const { return own() / "trash"; }
};

}  // namespace reprise::agent
