// Files that libraries and scripts write again and again with torch.save beside their numbered files: fairseq's
// checkpoint_last.pt, timm's last.pth.tar.
#pragma once

#include <string_view>

#include "agent/formats/layouts/checkpoint_contents.h"
#include "agent/formats/layouts/layout.h"
#include "agent/formats/structure/passed_files.h"

namespace reprise::agent {

// "last" or "latest", beside it nothing but the usual words, and an ending of torch.save's.
[[nodiscard]] bool is_named_last(std::string_view file);

// Complete when the archive is whole, an optimizer's state is in it, and a whole numbered file of the same kind lies
// beside it: with the same ending, and an object with the same keys. Its step is the number that it holds where that
// one holds the number of its name. Somebody else's where nothing tells the step so: one that was `passed_over` is not
// read again before it, or the newest of the numbered ones, is another one.
[[nodiscard]] runtime::Result<Judgement> judge_last_file(const CheckpointContents& contents, PassedFiles& passed_over);

}  // namespace reprise::agent
