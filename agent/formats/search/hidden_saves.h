// Entries that look like a checkpoint where no search for checkpoints goes: in directories whose names begin with a
// dot. Caches, environments and copies of whole volumes lie there, so that none of it counts; where nothing else is
// complete, people are told of it.
#pragma once

#include <filesystem>

#include "agent/formats/search/checkpoint_search.h"

namespace reprise::agent {

// Adds to `memory.not_taken` what a few listings of such directories show (SearchMemory::Directory::hidden), now or
// some looks ago.
void note_hidden_saves(const VolumeFiles& files, const std::filesystem::path& root, const SearchLimits& limits,
                       SearchMemory& memory);

}  // namespace reprise::agent
