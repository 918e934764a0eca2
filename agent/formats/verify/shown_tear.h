// Tells if an incomplete checkpoint shows a tear by itself, with nothing complete beside it: its layout may be read
// wrongly here, or be one that nobody here knows.
#pragma once

#include <filesystem>

#include "agent/formats/recognise/checkpoint_format.h"

namespace reprise::agent {

// A file in it does not go on to where its own first bytes say that it ends, a list in it names what is not there, or a
// library's own rules miss a part that is none of its names alone (Flaw::by_name). That a mark or a list of sums is
// missing shows nothing: others never write one. `itself`: what is at `path`.
[[nodiscard]] runtime::Result<bool> shows_tear_by_itself(const VolumeFiles& files, const std::filesystem::path& path,
                                                         const FileInfo& itself, const CloseLook& seen);

}  // namespace reprise::agent
