// The objects looked at, in order, and the first one that blocks.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/kubectl-reprise/why/cause.h"

namespace reprise::plugin::why {

struct ObjectRef {
  std::string kind, namespace_, name;
  [[nodiscard]] std::string text() const {  // "Pod vision/finetune-1-0"
    return kind + " " + (namespace_.empty() ? name : namespace_ + "/" + name);
  }
  bool operator==(const ObjectRef&) const = default;
};

struct Finding {
  Cause cause = Cause::Stalled;
  ObjectRef object;                // the object that blocks
  std::string found;               // in the words of its source
  std::vector<std::string> to_do;  // one command or one sentence each, the best first
};

enum class Mark { Ok, Waits, Blocks, Unseen };
[[nodiscard]] std::string_view name(Mark mark);

struct Step {
  std::string looked_at;
  Mark mark = Mark::Ok;
  std::string said;
};

struct Explanation {
  ObjectRef subject;
  std::vector<Step> chain;
  std::optional<Finding> finding;  // absent: nothing blocks
  std::string summary;             // one line

  // Somebody has to act; otherwise it goes on, or will by itself.
  [[nodiscard]] bool blocked() const { return finding && text_of(finding->cause).weight == Weight::NeedsPerson; }
};

}  // namespace reprise::plugin::why
