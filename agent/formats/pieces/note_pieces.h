// The files of no checkpoint that belong to the saves of a look (pieces_of_saves.h), each judged by its own bytes. What
// an earlier look has judged is not read again.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "agent/formats/pieces/begun_attempts.h"
#include "agent/formats/pieces/loose_file.h"
#include "agent/formats/search/look_at_checkpoint.h"
#include "agent/volume/volume_files.h"

namespace reprise::agent {

using JudgedPieces = std::map<std::string, LooseFile, std::less<>>;  // by path

inline constexpr std::size_t kMostPieces = 8'192;

// `names`: below the root by directory, what lies in it and may be a piece. Adds to Judgement::pieces of what is whole
// in `found`. `judged`, `begun`: by the look before, then by this one. How many there are where they are more than
// kMostPieces: then none is looked at, and what belongs to a save is not known. Files of a kind that are numbered
// beyond all saves are data, however many, but for `expected` ones (pieces_of_saves.h). What is older than a start from
// scratch is of the training before.
[[nodiscard]] runtime::Result<std::size_t> note_pieces(const VolumeFiles& files, const std::filesystem::path& root,
                                                       const std::map<std::string, std::vector<std::string>>& names,
                                                       std::vector<FoundCheckpoint>& found, JudgedPieces& judged,
                                                       BegunByNumber& begun, const std::set<std::string>& expected);

// Whether a file with a training's state shows by itself that it is cut off or empty; `is_recent`: it may have changed
// since it was judged. What is gone, or cannot be read, is torn.
[[nodiscard]] runtime::Result<LooseFile> judge_piece(const VolumeFiles& files, const std::filesystem::path& root,
                                                     const std::string& path, const JudgedPieces& before,
                                                     bool is_recent);

}  // namespace reprise::agent
