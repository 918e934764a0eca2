#include "agent/core/watch/full_verification.h"

#include <algorithm>

#include "agent/core/run/session.h"
#include "agent/formats/verify/read_everything.h"
#include "agent/volume/wrappers/paced_files.h"

namespace reprise::agent {
namespace {

using std::chrono::milliseconds;

// Number of those that pass one after the other; the older ones are pruned.
constexpr std::size_t kMostRemembered = 64;
constexpr int kMostTries = 3;
constexpr std::size_t kLongestFlaw = 300;  // bytes: it goes into a termination message

milliseconds time_for(std::size_t bytes) {
  return milliseconds(static_cast<std::int64_t>(bytes) * 1'000 / kVerifiedBytesPerSecond);
}

}  // namespace

struct FullVerification::Read {
  enum class Outcome { Passed, Damaged, Unknown } outcome = Outcome::Unknown;
  std::string why = {};
};

void FullVerification::offer(const std::optional<Checkpoint>& newest, const std::optional<Checkpoint>& lasting) {
  const std::lock_guard lock(mutex_);
  offered_ = newest;
  lasting_ = lasting;
}

bool FullVerification::has_passed(const Checkpoint& checkpoint) const {
  const std::lock_guard lock(mutex_);
  return std::ranges::find(passed_, checkpoint) != passed_.end();
}

std::string FullVerification::damaged() const {
  const std::lock_guard lock(mutex_);
  return damaged_;
}

// Nobody keeps a trainer from deleting what is read, or from writing it anew; a volume may fail for a while.
FullVerification::Read FullVerification::read(const Checkpoint& checkpoint) const {
  const PacedFiles files(volume_->files, [this](std::size_t bytes) -> runtime::Result<void> {
    if (!stopped_) options_.pause(time_for(bytes));
    if (stopped_) return runtime::fail(runtime::ErrorClass::Unavailable, "the attempt ends");
    return {};
  });
  const auto path = volume_->layout.root / checkpoint.name;
  const auto info = files.look(path, Links::Follow);
  if (!info) return {.why = info.error().message};
  if (!*info) return {.why = "it is gone"};
  const auto flaw = read_everything(files, path, **info);
  if (!flaw) return {.why = flaw.error().message};
  if (!*flaw) return {.outcome = Read::Outcome::Passed};
  const bool corrupt = (*flaw)->kind == FlawKind::Corrupt;
  return {.outcome = corrupt ? Read::Outcome::Damaged : Read::Outcome::Unknown, .why = (*flaw)->reason};
}

bool FullVerification::is_unchanged(const Checkpoint& checkpoint) const {
  const auto found = volume_->scan();
  if (!found) return false;
  const Checkpoints stand_ins = volume_->format->stand_ins();
  return std::ranges::find(*found, checkpoint) != found->end() ||
         std::ranges::find(stand_ins, checkpoint) != stand_ins.end();
}

bool FullVerification::is_to_be_read(const std::optional<Checkpoint>& checkpoint) const {
  return checkpoint && !has_passed(*checkpoint) && !(unread_ == checkpoint && tries_ >= kMostTries);
}

void FullVerification::set_aside(const Checkpoint& checkpoint, const std::string& flaw) {
  if (stopped_ || !options_.may_write()) return;
  const std::string what = checkpoint.name + ": " + flaw.substr(0, kLongestFlaw);
  const auto written =
      SetAside::add(volume_->files, volume_->layout, {checkpoint}, options_.self, SetAside::Why::Damaged);
  options_.say("a checkpoint is damaged, and counts no more: " + what);
  if (!written) options_.say("that could not be written down: " + written.error().message);
  const std::lock_guard lock(mutex_);
  damaged_ = what;
}

// A checkpoint that cannot be read is not read over and over. It outlives nothing until a newer one has passed.
void FullVerification::could_not_read(const Checkpoint& checkpoint, const std::string& why) {
  tries_ = unread_ == checkpoint ? tries_ + 1 : 1;
  unread_ = checkpoint;
  if (tries_ == kMostTries) options_.say(checkpoint.name + " could not be read in full: " + why);
}

void FullVerification::look() {
  std::optional<Checkpoint> next, lasting;
  {
    const std::lock_guard lock(mutex_);
    next = offered_;
    lasting = lasting_;
  }
  if (!is_to_be_read(next)) next = lasting;
  if (stopped_ || !is_to_be_read(next)) return;
  Read read_so = read(*next);
  if (read_so.outcome == Read::Outcome::Damaged) {
    // Twice: a single bad read of a sound volume must not cost a checkpoint.
    if (!is_unchanged(*next)) return;
    read_so = read(*next);
  }
  if (stopped_ || !is_unchanged(*next)) return;
  if (read_so.outcome == Read::Outcome::Unknown) return could_not_read(*next, read_so.why);
  if (read_so.outcome == Read::Outcome::Damaged) return set_aside(*next, read_so.why);
  const std::lock_guard lock(mutex_);
  if (passed_.size() == kMostRemembered) passed_.erase(passed_.begin());
  passed_.push_back(*next);
}

std::shared_ptr<FullVerification> verify_in_full(Session& session) {
  if (!session.env.verifies_in_full || !session.env.is_volume_leader()) return nullptr;
  if (const auto kind = session.volume->files.kind(); kind && kind->fuse) {
    session.host.say(
        "checkpoints are not read in full: each read of a mount by FUSE looks for who writes, or is paid for");
    return nullptr;
  }
  return std::make_shared<FullVerification>(
      session.volume, FullVerification::Options{
                          .self = session.self,
                          .may_write = [heartbeat = session.heartbeat] { return heartbeat->may_write(); },
                          .pause = [threads = &session.host.threads()](milliseconds time) { threads->pause(time); },
                          .say = [host = &session.host](std::string_view text) { host->say(text); }});
}

}  // namespace reprise::agent
