#include "agent/core/watch/equal_looks.h"

#include <utility>

namespace reprise::agent {

// Of mounts by FUSE no time tells what has come: a whole look finds it out in its own ways.
bool EqualLooks::is_one(const Known& known) {
  if (!were_two_ || skipped_ == kMostInARow || known != known_ || !files_.are_the_same(*answers_)) return false;
  ++skipped_;
  return true;
}

void EqualLooks::begin() {
  volume_.format->note_equal_looks(std::exchange(skipped_, 0));
  files_.begin();
}

void EqualLooks::end(Known known, bool is_settled) {
  auto answers = files_.end();
  const auto kind = files_.kind();
  if (!is_settled || (kind && kind->fuse)) answers.reset();
  were_two_ = answers && answers == answers_ && known == known_;
  answers_ = std::move(answers);
  known_ = std::move(known);
}

}  // namespace reprise::agent
