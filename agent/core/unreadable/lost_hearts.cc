#include "agent/core/unreadable/lost_hearts.h"

#include "agent/core/unreadable/lost_texts.h"

namespace reprise::agent {

using runtime::Result;

void LostHearts::read_once_more() {
  for (auto& [heart, lost] : lost_) lost.is_given_up = false;
}

Result<LostHearts::State> LostHearts::look(const VolumeFiles& files, const Path& heart,
                                           const std::function<runtime::Instant()>& answered) {
  const auto known = lost_.find(heart);
  if (known == lost_.end()) return State::ToBeRead;
  const auto mark = write_mark(files, heart);
  if (!mark) return std::unexpected(mark.error());
  const auto now = answered();
  Lost& lost = known->second;
  if (*mark != lost.mark) {
    lost_.erase(known);
    return State::ToBeRead;
  }
  // Nobody has looked for a while: this machine stood still, or the volume did not answer.
  if (now - lost.seen > *period_ * 3 / 2) lost.since = now;
  lost.seen = now;
  if (lost.is_given_up) return State::GivenUp;
  return now - lost.since >= *period_ * kStillPeriods ? State::ToBeRead : State::Waits;
}

Result<LostHearts::State> LostHearts::gave_error(const VolumeFiles& files, const Path& heart,
                                                 const std::function<runtime::Instant()>& answered) {
  const auto mark = write_mark(files, heart);
  if (!mark) return std::unexpected(mark.error());
  const auto now = answered();
  const auto known = lost_.find(heart);
  if (known != lost_.end() && *mark == known->second.mark) {
    known->second.is_given_up = true;
    known->second.seen = now;
    return State::GivenUp;
  }
  lost_.insert_or_assign(heart, Lost{.mark = mark->value_or(""), .since = now, .seen = now});
  return State::Waits;
}

std::string LostHearts::mark_of(const Path& heart) const {
  const auto known = lost_.find(heart);
  return known == lost_.end() ? std::string() : known->second.mark;
}

}  // namespace reprise::agent
