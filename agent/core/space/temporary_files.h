// Removes files that pods that are no more have left unfinished: files that were to be renamed.
#pragma once

#include <functional>
#include <string>

#include "agent/core/run/volume.h"

namespace reprise::agent {

// Removes the files of all pods but this one, whose other threads write meanwhile, in the directories where only
// whoever keeps the volume writes: after every other writer has ended or fallen silent. `may_write` is asked before
// each.
void remove_temporary_files(const Volume& volume, const std::string& own_pod_uid,
                            const std::function<bool()>& may_write);

}  // namespace reprise::agent
