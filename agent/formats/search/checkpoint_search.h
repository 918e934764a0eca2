// Where the checkpoints of libraries lie on a volume: below whatever directories their trainers have made. One look
// after the other, and each remembers what the one before has learned, so that a look at a volume on which nothing has
// changed reads no file of a checkpoint again.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "agent/formats/pieces/note_pieces.h"
#include "agent/formats/search/look_at_checkpoint.h"
#include "agent/formats/search/not_taken.h"
#include "agent/formats/search/unsearched.h"

namespace reprise::agent {

// What a look has seen and the next one need not read again. A value: looks may overlap, and either's will do.
struct SearchMemory {
  struct Complete {
    FoundCheckpoint found;
    FileInfo mark;  // of the file that made it complete
    // Of one that was the newest: of all that was in it when it was judged (contents_digest.h), and how many looks have
    // judged it so.
    std::optional<std::size_t> contents = {};
    int judged_so = 0, looks_since = 0;
  };
  // One that is no checkpoint.
  struct Directory {
    runtime::WallTime modified{};
    int looks_unchanged = 0;
    bool holds_checkpoints = false;
    bool is_crowded = false;                                      // and was not looked into
    std::vector<std::string> directories;                         // in it
    Unsearched::Some files_alike;                                 // in it: named like checkpoints, and none
    std::map<std::string_view, Unsearched::Some> files_unjudged;  // in it, by the reason (NotTaken)
    std::vector<std::string> rolling;  // in it: none, and named as what is written again and again
    std::vector<std::string> signs;    // in it: may say that a save has not ended (names/unfinished_name.h)
    std::vector<std::string> loose;    // files in it: none, and with a number in their path
    std::vector<std::string> hidden;   // directories in it whose names begin with a dot, but the agent's own
    std::vector<std::string> states;   // files in it: none, and may hold a training's state by their endings
    bool is_stepless = false;          // it is laid out as a checkpoint, or marked as one, and has no step in its name
  };
  std::map<std::string, Complete> complete;          // by path
  std::map<std::string, Directory> directories;      // by path; "" is the root
  JudgedPieces pieces;                               // of what lies beside saves
  BegunByNumber begun;                               // attempts, where anything does
  std::set<std::string> expected_pieces;             // kinds that come with saves, as others know
  std::map<std::string, FoundCheckpoint> stand_ins;  // by path, of the last look: beside numbered ones (stand_ins.h)
  Unsearched unsearched;                             // by the last look
  NotTaken not_taken;                                // the same
  std::size_t too_many_pieces = 0;                   // the same: files that may be of saves, and were not looked at
  Unsearched::Some hidden;     // saves in hidden directories (hidden_saves.h), as some look has seen them
  int looks_since_hidden = 0;  // and how many looks ago that was; 0: never
  // Directories that some look knew of and has not looked into.
  std::set<std::string, std::less<>> unseen;
};

// Counts looks that were not made, since nothing has changed: some things are judged or listed anew after so many.
void count_looks(SearchMemory& memory, int looks);

struct SearchLimits {
  int depth = 8;  // levels of directories below the root: Hydra makes four of its own, Lightning three in the last
  // Those nearest to the root come first, and those with many siblings last: data has many.
  std::size_t directories = 256;
  std::size_t named_like_checkpoints = 4'096;  // not counted among those; they come before all others
  std::size_t siblings = 64;
  std::size_t entries = 20'000;           // a directory with more that is no checkpoint is data: not looked into
  int looks_until_judged_again = 64;      // the newest, of which nothing has changed: storage loses bytes in silence
  int looks_until_listed_again = 16;      // where the time of a directory's change tells nothing (object stores)
  bool enters_volumes_of_others = false;  // directories with a `.reprise` of their own
};
[[nodiscard]] SearchLimits no_limits(int depth);

// In no order, without what stands in for another one. Names that begin with a dot are left out, and links are not
// followed. A torn checkpoint is judged at
// each look, a complete one again when its directory or its mark have changed, and the newest of them when anything in
// it has, until two looks have judged the same (times may be as coarse as the time between two looks), and now and
// then. A root that cannot be read is an error; what is closed to this user below it is left out. A checkpoint of which
// the storage has lost bytes is there with that flaw (Flaw::lost), and hides no other one; a directory that may hold
// some was not searched. Beside the sign of a save that has not ended nothing is complete.
[[nodiscard]] runtime::Result<std::vector<FoundCheckpoint>> search_checkpoints(const VolumeFiles& files,
                                                                               const Layouts& layouts,
                                                                               const std::filesystem::path& root,
                                                                               const SearchLimits& limits,
                                                                               SearchMemory& memory);

}  // namespace reprise::agent
