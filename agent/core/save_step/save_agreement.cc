#include "agent/core/save_step/save_agreement.h"

#include <algorithm>
#include <chrono>

namespace reprise::agent {
namespace {

using Kind = SaveWord::Kind;

// The leader may be about to say that all have agreed.
constexpr std::chrono::milliseconds kForTheLeader{10'000};
constexpr std::int64_t kMostAhead = 1'000'000;

}  // namespace

SaveWord SaveAgreement::word(Kind kind, const Seen& seen) const {
  return {.kind = kind, .question = question_, .step = seen.own.step, .round = round_, .save_at = save_at_};
}

bool SaveAgreement::all_know_question(const Seen& seen) const {
  return std::ranges::all_of(
      seen.others, [&](const std::optional<SaveWord>& other) { return other && other->question == question_; });
}

bool SaveAgreement::all_accept(const Seen& seen) const {
  return all_know_question(seen) && std::ranges::all_of(seen.others, [&](const std::optional<SaveWord>& other) {
           return other->kind == Kind::Accepts && other->round == round_;
         });
}

SaveAgreement::Plan SaveAgreement::give_up() {
  phase_ = Phase::Ended;
  return {.end = End::Alone};
}

SaveAgreement::Plan SaveAgreement::next(runtime::Instant now, const Seen& seen) {
  if (phase_ == Phase::Ended) return {.end = End::Alone};
  return options_.index == 0 ? lead(now, seen) : follow(now, seen);
}

SaveAgreement::Plan SaveAgreement::propose(const Seen& seen) {
  std::int64_t done = seen.own.step;
  for (const auto& other : seen.others)
    if (other) done = std::max(done, other->step);
  ++round_;
  save_at_ = done + seen.own.ahead() + lead_;
  lead_ = std::min(2 * lead_, kMostAhead);  // for the next one, should this one be passed
  phase_ = Phase::Shown;
  return {.show = SaveStep{.step = save_at_}};
}

SaveAgreement::Plan SaveAgreement::lead(runtime::Instant now, const Seen& seen) {
  if (now >= options_.until) {
    auto plan = give_up();
    plan.say = word(Kind::GivesUp, seen);
    return plan;
  }
  switch (phase_) {
    case Phase::Waiting:
      question_ = options_.question;
      if (!all_know_question(seen)) return {.say = word(Kind::Told, seen)};
      return propose(seen);
    case Phase::Shown:
      if (is_passed(seen.own)) return propose(seen);
      phase_ = Phase::Said;
      if (!seen.others.empty()) return {.say = word(Kind::Proposes, seen)};
      [[fallthrough]];
    case Phase::Said:
      if (all_accept(seen)) {
        phase_ = Phase::Ended;
        Plan plan{.show = SaveStep{.step = save_at_, .agreed = true}, .say = {}, .end = End::Agreed};
        if (!seen.others.empty()) plan.say = word(Kind::Agreed, seen);
        return plan;
      }
      if (std::ranges::any_of(seen.others, [&](const auto& other) {
            return other && other->kind == Kind::Refuses && other->question == question_ && other->round == round_;
          }))
        return propose(seen);
      return {};
    case Phase::Ended:
      break;
  }
  return {};
}

SaveAgreement::Plan SaveAgreement::follow(runtime::Instant now, const Seen& seen) {
  if (now >= options_.until + (accepted_ ? kForTheLeader : std::chrono::milliseconds(0))) return give_up();
  const auto* leader = seen.leader ? &*seen.leader : nullptr;
  if (phase_ == Phase::Shown) {
    phase_ = Phase::Said;
    accepted_ = !is_passed(seen.own);
    return {.say = word(accepted_ ? Kind::Accepts : Kind::Refuses, seen)};
  }
  if (leader != nullptr && leader->kind == Kind::Told && leader->question != question_) {
    question_ = leader->question;
    round_ = 0;
    save_at_ = 0;
    accepted_ = false;
    phase_ = Phase::Waiting;
  }
  const Plan told = phase_ == Phase::Waiting ? Plan{.say = word(Kind::Told, seen)} : Plan{};
  if (leader == nullptr || question_.empty() || leader->question != question_) return told;
  switch (leader->kind) {
    case Kind::Proposes:
      if (leader->round == round_) return {};
      round_ = leader->round;
      save_at_ = leader->save_at;
      accepted_ = false;
      phase_ = Phase::Shown;
      return {.show = SaveStep{.step = save_at_}};
    case Kind::Agreed:
      if (!accepted_ || leader->round != round_) return {};
      phase_ = Phase::Ended;
      return {.show = SaveStep{.step = save_at_, .agreed = true}, .end = End::Agreed};
    case Kind::GivesUp:
      return give_up();
    case Kind::Told:
    case Kind::Accepts:
    case Kind::Refuses:
      return told;
  }
  return {};
}

}  // namespace reprise::agent
