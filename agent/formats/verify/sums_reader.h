// A reader that reads a checkpoint to its last byte where only the right sums make it complete
// (Judgement::needs_reading).
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "agent/formats/structure/flaw.h"
#include "agent/formats/verify/read_everything.h"
#include "agent/volume/volume_files.h"

namespace reprise::agent {

struct SumsRead {
  bool is_read = true;  // false: there was no time for it, and the structure alone counts
  std::optional<Flaw> flaw = std::nullopt;
};

class SumsReader {
 public:
  SumsReader() = default;
  SumsReader(const SumsReader&) = delete;
  SumsReader& operator=(const SumsReader&) = delete;
  virtual ~SumsReader() = default;
  // Reads as read_everything() says. `name`: a path below `root`. From any thread.
  [[nodiscard]] virtual runtime::Result<SumsRead> read(const VolumeFiles& files, const std::filesystem::path& root,
                                                       const std::string& name, const FileInfo& info) const = 0;
};

// Reads by itself, each time.
class ReadsByItself final : public SumsReader {
 public:
  [[nodiscard]] runtime::Result<SumsRead> read(const VolumeFiles& files, const std::filesystem::path& root,
                                               const std::string& name, const FileInfo& info) const override {
    auto flaw = read_everything(files, root / name, info);
    if (!flaw) return std::unexpected(flaw.error());
    return SumsRead{.flaw = *std::move(flaw)};
  }
};

}  // namespace reprise::agent
