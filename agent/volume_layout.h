// Where the agent keeps its own files on the checkpoint volume: below .reprise/, nowhere else.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace reprise::agent {

struct VolumeLayout {
  std::filesystem::path root;

  [[nodiscard]] std::filesystem::path own() const { return root / ".reprise"; }
  [[nodiscard]] std::filesystem::path fence() const { return own() / "fence.json"; }
  [[nodiscard]] std::filesystem::path attempts() const { return own() / "attempts"; }
  [[nodiscard]] std::filesystem::path attempt(std::int32_t number) const { return attempts() / std::to_string(number); }
  [[nodiscard]] std::filesystem::path resume_point(std::int32_t number) const {
    return attempt(number) / "resume.json";
  }
  [[nodiscard]] std::filesystem::path record(std::int32_t number, std::int32_t index) const {
    return attempt(number) / (std::to_string(index) + ".json");
  }
  [[nodiscard]] std::filesystem::path alive(std::int32_t number, std::int32_t index) const {
    return attempt(number) / (std::to_string(index) + ".alive");
  }
  // Torn checkpoints, and what a start from scratch put aside; never deleted by the agent.
  [[nodiscard]] std::filesystem::path quarantine() const { return own() / "quarantine"; }
  // Pruned checkpoints on their way out: a half-deleted one never carries its old name.
  [[nodiscard]] std::filesystem::path trash() const { return own() / "trash"; }
};

}  // namespace reprise::agent
