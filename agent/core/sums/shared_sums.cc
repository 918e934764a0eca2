#include "agent/core/sums/shared_sums.h"

#include <algorithm>
#include <utility>

#include "agent/core/heartbeats/own_heart.h"
#include "agent/core/run/session.h"
#include "agent/core/sums/seen_ends.h"
#include "agent/volume/wrappers/paced_files.h"

namespace reprise::agent {
namespace {

using runtime::Result;
using std::chrono::milliseconds;

constexpr std::string_view kSumsRecord = ".json", kSumsClaim = ".reader";
// Time of a claim, until it is known who has written it last.
constexpr milliseconds kMomentOfClaim{250};
// Bytes between two looks whether somebody wants the volume back. A disk that gives 1 MB/s still moves within a
// heartbeat.
constexpr std::uint64_t kReadAtOnce = std::uint64_t{4} << 20U;

std::filesystem::path sums_file(const VolumeLayout& layout, const std::string& name, std::string_view ending) {
  return layout.sums() / (VolumeLayout::aside(name) + std::string(ending));
}

}  // namespace

struct SharedSums::Waiting {
  std::optional<SumsClaim> seen = {};
  runtime::Instant since = {};  // when it moved last
};

void SharedSums::look_back(const VolumeFiles& files) {
  distrusts_ = follows_unseen_end(files, layout_, options_.self);
}

Result<SumsRead> SharedSums::read(const VolumeFiles& files, const std::filesystem::path& root, const std::string& name,
                                  const FileInfo& info) const {
  if (hurries_) return SumsRead{.is_read = false};
  const auto extent = extent_of(files, root / name, info);
  if (!extent) return std::unexpected(extent.error());
  const Question question{.files = files, .path = root / name, .name = name, .info = info, .extent = *extent};
  Waiting waiting;
  for (;;) {
    if (auto known = written_down(question)) return *std::move(known);
    if (hurries_) return SumsRead{.is_read = false};
    if (waits_ && is_read_by_another(question, waiting)) {
      options_.pause(options_.period / 4);
      continue;
    }
    claim(question, 0);
    if (!waits_) break;
    options_.pause(kMomentOfClaim);
    if (is_claimed_by_self(question)) break;
  }
  return read_now(question);
}

std::optional<SumsRead> SharedSums::written_down(const Question& question) const {
  const auto text = question.files.read(sums_file(layout_, question.name, kSumsRecord));
  auto record = text && *text ? decode_sums_record(**text) : std::nullopt;
  if (!record || record->name != question.name || record->extent != question.extent) return std::nullopt;
  if (!is_trusted(question.files, *record)) return std::nullopt;
  return SumsRead{.flaw = std::move(record->flaw)};
}

// A flaw is looked for again by each attempt.
bool SharedSums::is_trusted(const VolumeFiles& files, const SumsRecord& record) const {
  const Identity &reader = record.reader, &self = options_.self;
  if (reader.job_uid != self.job_uid || reader.attempt > self.attempt) return false;
  if (reader.attempt == self.attempt) return reader.pod_uid == self.pod_uid || is_current(files, layout_, reader);
  return !record.flaw && !distrusts_ && all_ends_were_seen(files, layout_, reader.attempt, self);
}

// Pods of other attempts have ended, or have lost the volume.
bool SharedSums::may_read(const Identity& pod) const {
  return pod.job_uid == options_.self.job_uid && pod.attempt == options_.self.attempt;
}

// Empty where there is none, or none that can be read.
std::optional<SumsClaim> SharedSums::claim_on(const Question& question) const {
  const auto text = question.files.read(sums_file(layout_, question.name, kSumsClaim));
  return text && *text ? decode_sums_claim(**text) : std::nullopt;
}

bool SharedSums::is_read_by_another(const Question& question, Waiting& waiting) const {
  const auto claim = claim_on(question);
  if (!claim || claim->reader.pod_uid == options_.self.pod_uid || !may_read(claim->reader)) return false;
  const auto now = options_.now();
  if (waiting.seen != claim) waiting = {.seen = claim, .since = now};
  return now - waiting.since < options_.period * kStillHalfPeriods / 2;
}

// A claim that this agent cannot read nobody else can read either.
bool SharedSums::is_claimed_by_self(const Question& question) const {
  const auto claim = claim_on(question);
  return !claim || claim->reader.pod_uid == options_.self.pod_uid;
}

// A claim that cannot be written changes nothing: others read by themselves then.
void SharedSums::claim(const Question& question, std::int64_t bytes) const {
  if (!options_.may_write()) return;
  const std::string text = encode_sums_claim({.reader = options_.self, .bytes = bytes});
  static_cast<void>(question.files.write(sums_file(layout_, question.name, kSumsClaim), text, Sync::No));
}

void SharedSums::give_up_claim(const Question& question) const {
  if (options_.may_write() && is_claimed_by_self(question))
    static_cast<void>(question.files.remove(sums_file(layout_, question.name, kSumsClaim)));
}

Result<SumsRead> SharedSums::read_now(const Question& question) const {
  std::int64_t bytes = 0;
  auto told = options_.now();
  // Tells how far it is, and gives up at a stop.
  const auto after = [&](std::size_t more) -> Result<void> {
    if (hurries_) return runtime::fail(runtime::ErrorClass::Unavailable, "the attempt is to end");
    bytes += static_cast<std::int64_t>(more);
    const auto now = options_.now();
    if (now - told < options_.period / 4) return {};
    told = now;
    claim(question, bytes);
    return {};
  };
  const PacedFiles files(question.files, after, {.at_once = kReadAtOnce, .closed_is_unavailable = false});
  auto flaw = read_everything(files, question.path, question.info);
  if (flaw) write_down(question, *flaw);
  give_up_claim(question);
  if (!flaw && hurries_) return SumsRead{.is_read = false};
  if (!flaw) return std::unexpected(flaw.error());
  return SumsRead{.flaw = *std::move(flaw)};
}

// The extent is that of before: what has changed while it was read has another one now. What the storage may give again
// is read again. What was read may have come out of this node's memory: it is on the volume before the word of it is.
void SharedSums::write_down(const Question& question, const std::optional<Flaw>& flaw) const {
  if (!options_.may_write() || (flaw && (flaw->lost || flaw->unread))) return;
  if (!question.files.sync_volume(layout_.root, question.path)) return;
  const SumsRecord record{.name = question.name, .reader = options_.self, .extent = question.extent, .flaw = flaw};
  const auto file = sums_file(layout_, question.name, kSumsRecord);
  static_cast<void>(question.files.write(file, encode_sums_record(record), Sync::Yes));
  forget_gone(question.files);
}

void SharedSums::forget_gone(const VolumeFiles& files) const {
  const auto names = files.list(layout_.sums());
  if (!names) return;
  for (const std::string& name : *names) {
    const auto text = files.read(layout_.sums() / name);
    const auto claim = name.ends_with(kSumsClaim) && text && *text ? decode_sums_claim(**text) : std::nullopt;
    if (claim && !may_read(claim->reader)) static_cast<void>(files.remove(layout_.sums() / name));
    if (!name.ends_with(kSumsRecord)) continue;
    const auto record = text && *text ? decode_sums_record(**text) : std::nullopt;
    const auto there = record ? files.look(layout_.root / record->name, Links::Follow) : std::nullopt;
    if (record && there && !*there) static_cast<void>(files.remove(layout_.sums() / name));
  }
}

std::shared_ptr<SharedSums> share_sums(Session& session) {
  auto shared = std::make_shared<SharedSums>(
      session.volume->layout,
      SharedSums::Options{.self = session.self,
                          .period = session.env.heartbeat_period,
                          .now = [clock = &session.clock] { return clock->steady(); },
                          .may_write = [heartbeat = session.heartbeat] { return heartbeat->may_write(); },
                          .pause = [threads = &session.host.threads()](milliseconds time) { threads->pause(time); }});
  session.volume->format->read_sums_by(shared);
  return shared;
}

}  // namespace reprise::agent
