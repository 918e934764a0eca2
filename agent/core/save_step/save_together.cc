#include "agent/core/save_step/save_together.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "agent/core/save_step/notice_reader.h"
#include "agent/core/save_step/save_agreement.h"
#include "agent/core/save_step/save_word.h"

namespace reprise::agent {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kReadTimeout{1'000};
constexpr milliseconds kMoment{100};
constexpr milliseconds kFinishTimeout{500};
constexpr milliseconds kEndsByItself{10'000};
// Pods are told to stop within a second. Whoever waits for one that is gone has less time for its save.
constexpr milliseconds kToAgree{5'000};

struct SaveNotice {
  NoticeReason reason = NoticeReason::Stop;
  runtime::Instant deadline{};  // of the save
  std::int32_t request = 0;
};

// Shares ownership of all that it works on but the host, which outlives it.
class Agreeing {
 public:
  Agreeing(const Session& session, const SaveNotice& notice, std::filesystem::path file,
           std::shared_ptr<std::atomic<std::int64_t>> agreed)
      : host_(session.host),
        clock_(session.clock),
        volume_(session.volume),
        heartbeat_(session.heartbeat),
        self_(session.self),
        notice_(notice),
        file_(std::move(file)),
        agreed_(std::move(agreed)),
        ranks_(session.env.parallelism),
        agreement_(
            {.index = session.env.index,
             .question = session.self.pod_uid + "/" + std::to_string(session.clock.wall().time_since_epoch().count()),
             .until = session.clock.steady() + std::min(kToAgree, session.env.grace / 4)}) {}

  void tick() {
    while (!over_ && heartbeat_->may_write()) {
      const auto seen = look();
      if (!seen) return;
      const auto plan = agreement_.next(clock_.steady(), *seen);
      carry_out(plan);
      if (!plan.show || plan.say) return;
    }
  }

 private:
  [[nodiscard]] std::optional<SaveWord> word_of(std::int32_t index) const {
    const auto text = volume_->files.read(volume_->layout.save_word(self_.attempt, index));
    return text && *text ? decode_save_word(**text) : std::nullopt;
  }

  [[nodiscard]] std::optional<SaveAgreement::Seen> look() const {
    const auto text = host_.progress_text();
    const auto own = text ? parse_notice_reader(*text) : std::nullopt;
    if (!own) return std::nullopt;  // half written: a moment later it is whole
    SaveAgreement::Seen seen{.own = *own};
    if (ranks_ == 1) return seen;
    if (self_.index != 0) {
      seen.leader = word_of(0);
      return seen;
    }
    for (std::int32_t index = 1; index < ranks_; ++index) seen.others.push_back(word_of(index));
    return seen;
  }

  void carry_out(const SaveAgreement::Plan& plan) {
    const bool agreed = plan.end == SaveAgreement::End::Agreed;
    // Ranks that never hear of the agreement wait behind its step, and save there all the same.
    if (agreed && plan.say) say(*plan.say);
    if (plan.show) show(plan.show);
    if (!agreed && plan.say) say(*plan.say);
    if (agreed) *agreed_ = plan.show->step;
    over_ = plan.end != SaveAgreement::End::None;
    if (plan.end != SaveAgreement::End::Alone) return;
    host_.say("the ranks have not agreed on a step to save at");
    show(std::nullopt);
  }

  void say(const SaveWord& word) const {
    static_cast<void>(
        volume_->files.write(volume_->layout.save_word(self_.attempt, self_.index), encode_save_word(word), Sync::No));
  }

  void show(const std::optional<SaveStep>& step) const {
    const auto left =
        std::max(milliseconds(0), std::chrono::duration_cast<milliseconds>(notice_.deadline - clock_.steady()));
    static_cast<void>(volume_->files.write(
        file_, encode_notice(notice_.reason, left, self_.attempt, notice_.request, step), Sync::No));
  }

  Host& host_;
  const runtime::Clock& clock_;
  std::shared_ptr<const Volume> volume_;
  std::shared_ptr<const HeartbeatState> heartbeat_;
  Identity self_;
  SaveNotice notice_;
  std::filesystem::path file_;
  std::shared_ptr<std::atomic<std::int64_t>> agreed_;
  std::int32_t ranks_;
  SaveAgreement agreement_;
  bool over_ = false;
};

std::optional<NoticeReader> reader_of(Session& session) {
  auto text = std::make_shared<std::optional<std::string>>();
  const bool ended = session.bounded(kReadTimeout, [host = &session.host, text] { *text = host->progress_text(); });
  auto reader = ended && *text ? parse_notice_reader(**text) : std::nullopt;
  // A stage of a script that has ended reads no notice any more.
  if (reader && reader->pid != 0 && !session.host.is_running(reader->pid)) return std::nullopt;
  return reader;
}

}  // namespace

bool SavingTogether::ask(NoticeReason reason, milliseconds left, std::int32_t request) {
  const std::int64_t due = worker_ && agreed_ ? agreed_->load() : 0;
  finish();
  file_ = session_.env.notice_file.empty() ? session_.host.own_notice_file() : session_.env.notice_file;
  const auto reader = file_.empty() ? std::nullopt : reader_of(session_);
  if (!reader) return false;
  const bool several = reader->processes > 1;
  // A request may come to one rank alone.
  if (several && session_.env.parallelism > 1 && reason == NoticeReason::CheckpointRequest) return false;
  // Ranks with a volume each have no place to agree at.
  const bool together = several && (session_.env.is_gang() || session_.env.parallelism == 1);
  const SaveNotice notice{.reason = reason, .deadline = session_.clock.steady() + left, .request = request};
  // Some processes may wait in the save of that step for others that have not come to it: no other step is agreed.
  const bool is_due = together && due > 0 && reader->step <= due;
  std::function<void()> tick;
  if (together && !is_due) {
    agreed_ = std::make_shared<std::atomic<std::int64_t>>(0);
    tick = [agreeing = std::make_shared<Agreeing>(session_, notice, file_, agreed_)] { agreeing->tick(); };
  } else {
    const auto step = is_due ? std::optional(SaveStep{.step = due, .agreed = true}) : std::nullopt;
    tick = [volume = session_.volume, file = file_, done = false,
            text = encode_notice(reason, left, session_.env.attempt, request, step)]() mutable {
      if (!done) done = volume->files.write(file, text, Sync::No).has_value();
    };
  }
  try {
    worker_ = session_.host.threads().repeat(kMoment, std::move(tick));
  } catch (const std::system_error&) {
    return false;  // the container may have no more threads: the signal reaches the trainer
  }
  return true;
}

bool SavingTogether::is_to_end(bool saved) {
  if (!saved || !worker_) return saved;
  const auto now = session_.clock.steady();
  if (!saved_at_) saved_at_ = now;
  return now >= *saved_at_ + kEndsByItself;
}

void SavingTogether::take_back() {
  if (!worker_) return;
  finish();
  static_cast<void>(session_.volume->files.remove(file_));
}

void SavingTogether::finish() {
  if (!worker_) return;
  session_.all_ended = worker_->finish(kFinishTimeout) && session_.all_ended;
  worker_.reset();
}

}  // namespace reprise::agent
