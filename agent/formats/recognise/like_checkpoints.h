// A search notes, for people, entries that are like a checkpoint and count for none: by names alone (NotTaken). Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agent/formats/search/checkpoint_search.h"

namespace reprise::agent {

// "latest/_COMPLETE": `entry` lies in `directory`, which is `now`.
void note_mark_without_step(const std::string& directory, std::string_view entry, SearchMemory::Directory& now);

// "step_20_model.pt", a file in the directory that is `now`; a log or a table of results says by its ending what it is.
void note_if_alike(const std::string& path, SearchMemory::Directory& now);

// "model_100/" with weights in it, which is `now`.
void note_if_numbered(const std::string& path, const std::vector<DirectoryEntry>& entries,
                      SearchMemory::Directory& now);

// Directories that are `is_stepless`, and of all others their `states`, by their paths.
[[nodiscard]] std::vector<std::string> states_in(const SearchMemory& memory);

// A directory without a step in its name that is laid out as a library lays out a checkpoint ("latest/.metadata").
void note_if_stepless(const std::string& path, const std::vector<DirectoryEntry>& entries,
                      SearchMemory::Directory& now);

// ".ckpt/", ".checkpoint-100.pt": what begins with a dot.
void note_if_hidden(const std::string& directory, const DirectoryEntry& entry, SearchMemory::Directory& now);

// "step_100", which leads somewhere: where that is on this volume it is found there.
void note_if_link(const std::string& path, SearchMemory::Directory& now);

}  // namespace reprise::agent
