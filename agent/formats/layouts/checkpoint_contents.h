// A checkpoint as one look saw it: a directory with its entries, or a single file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "agent/formats/structure/checked_file.h"
#include "agent/formats/structure/flaw.h"
#include "agent/formats/verify/holds.h"
#include "agent/volume/volume_files.h"

namespace reprise::agent {

// Entries by name; links are followed, and one that leads nowhere is there as Kind::Other.
using Entries = std::map<std::string, FileInfo, std::less<>>;

[[nodiscard]] runtime::Result<Entries> entries_of(const VolumeFiles& files, const std::filesystem::path& directory);

struct CheckpointContents {
  const VolumeFiles& files;
  std::filesystem::path path;
  std::string name;  // name of the directory or the file itself
  FileInfo itself;
  Entries entries = {};    // empty for a file
  std::string below = {};  // in a directory within a checkpoint: prefix of its names in reasons, "optimizer_0/"
  HeldParts held = {};     // the ranks whose parts have to be here; everything that is in no rank's part is all here

  [[nodiscard]] const FileInfo* file(std::string_view entry) const;  // nullptr: not there, or no file
  [[nodiscard]] bool has_directory(std::string_view entry) const;
  [[nodiscard]] CheckedFile checked(std::string_view entry) const;  // an entry that is there
  [[nodiscard]] runtime::Result<CheckpointContents> inside(std::string_view directory) const;
};

// Incomplete when the file is not there, is empty, or is a link that leads nowhere.
[[nodiscard]] std::optional<Flaw> missing(const CheckpointContents& contents, std::string_view entry);

// The same of a file that the names of a library alone call for (Flaw::by_name, unless it is there and empty).
[[nodiscard]] std::optional<Flaw> missing_by_name(const CheckpointContents& contents, std::string_view entry);

// Checks a file by its extension: .safetensors, and what torch.save writes (.pt, .pth, .bin, .ckpt). Other files are
// not known. A file that may not be read is Corrupt.
[[nodiscard]] Flawed check_structure(const CheckpointContents& contents, std::string_view entry);
// All files directly in the directory but those in `not_needed`; the first flaw, by name.
[[nodiscard]] Flawed check_all(const CheckpointContents& contents,
                               const std::set<std::string, std::less<>>& not_needed = {});

}  // namespace reprise::agent
