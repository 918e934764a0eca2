#include "agent/core/progress/hear_trainer.h"

#include <string_view>
#include <utility>

#include "agent/core/progress/progress_pattern.h"
#include "agent/core/progress/trainer_status.h"

namespace reprise::agent {
ProgressPattern pattern_of(const Environment& env) {
  auto own = ProgressPattern::compile(env.progress_pattern);
  return env.progress_pattern.empty() || !own ? ProgressPattern() : *std::move(own);
}

std::shared_ptr<const TrainerOutput> hear_trainer(Session& session) {
  auto output = std::make_shared<TrainerOutput>();
  if (session.live) {
    const auto take = [live = session.live, clock = &session.clock](ProgressSource source, const ProgressNote& note) {
      live->take(source, note, clock->steady());
    };
    output = std::make_shared<TrainerOutput>(pattern_of(session.env),
                                             [take](const ProgressNote& note) { take(ProgressSource::Output, note); });
    session.host.hear_status([take](std::string_view json) {
      if (const auto note = parse_trainer_status(json)) take(ProgressSource::Status, *note);
    });
  }
  if (session.env.watch_output) session.host.listen(output);
  return output;
}

std::function<void(const CheckpointWatch::Seen&)> tell_of_checkpoints(const Session& session) {
  if (!session.live) return {};
  return [live = session.live, clock = &session.clock](const CheckpointWatch::Seen& seen) {
    live->see(seen, clock->steady());
  };
}

}  // namespace reprise::agent
