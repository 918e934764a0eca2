// What a search sees that is like a checkpoint and counts for none, for people: by names alone (NotTaken). Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agent/formats/checkpoint_search.h"

namespace reprise::agent {

// "latest/_COMPLETE": `entry` lies in `directory`, which is `now`.
void note_mark_without_step(const std::string& directory, std::string_view entry, SearchMemory::Directory& now);

// "step_20_model.pt", a file in the directory that is `now`; a log or a table of results says by its ending what it is.
void note_if_alike(const std::string& path, SearchMemory::Directory& now);

// "model_100/" with weights in it, which is `now`.
void note_if_numbered(const std::string& path, const std::vector<DirectoryEntry>& entries,
                      SearchMemory::Directory& now);

}  // namespace reprise::agent
