#include "rehearsal/verdict/ending.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "protocol/far_from_end.h"

namespace reprise::rehearsal {
namespace {

std::string_view trimmed(std::string_view line) {
  const std::size_t begin = line.find_first_not_of(" \t");
  return begin == std::string_view::npos ? std::string_view()
                                         : line.substr(begin, line.find_last_not_of(" \t") + 1 - begin);
}

// "torch.cuda.OutOfMemoryError: CUDA out of memory"
bool names_exception(std::string_view line) {
  const std::string_view name = line.substr(0, line.find(':'));
  const bool is_name = !name.empty() && std::ranges::all_of(name, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '.';
  });
  return is_name && (name.ends_with("Error") || name.ends_with("Exception"));
}

bool tells_of_failure(std::string_view line) {
  if (line.starts_with("Traceback (most recent call last)") || names_exception(line) || line == "Killed") return true;
  return std::ranges::any_of(std::to_array<std::string_view>({"Segmentation fault", "core dumped", "terminate called"}),
                             [&](std::string_view words) { return line.find(words) != std::string_view::npos; });
}

bool tells_a_step(std::string_view line) {
  std::string lower(line);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower.find("step") != std::string::npos;
}

const RankFacts* finished_rank(const JobFacts& job, auto holds) {
  if (job.outcome != JobFacts::Outcome::Complete || job.attempts.empty()) return nullptr;
  const auto& ranks = job.attempts.back().ranks;
  const auto found = std::ranges::find_if(
      ranks, [&](const RankFacts& rank) { return rank.ended && rank.exit_code == 0 && holds(rank); });
  return found == ranks.end() ? nullptr : &*found;
}

}  // namespace

std::string error_in(const std::vector<std::string>& last_lines) {
  std::string found;
  for (const std::string& line : last_lines) {
    const std::string_view text = trimmed(line);
    if (tells_of_failure(text))
      found = text;
    else if (tells_a_step(text))
      found.clear();
  }
  return found;
}

const RankFacts* ended_in_error(const JobFacts& job) {
  return finished_rank(job, [](const RankFacts& rank) { return !error_in(rank.last_lines).empty(); });
}

const RankFacts* ended_short(const JobFacts& job) {
  return finished_rank(job, [](const RankFacts& rank) {
    if (!rank.printed_total || !rank.last_printed || rank.counts_again) return false;
    return protocol::is_far_from_end(*rank.last_printed, *rank.printed_total, rank.counts_by.value_or(1));
  });
}

bool nothing_was_left(const JobFacts& job, const std::vector<InterruptionFacts>& interruptions) {
  if (job.outcome != JobFacts::Outcome::Complete || interruptions.empty()) return false;
  const InterruptionFacts& first = interruptions.front();
  const AttemptFacts& interrupted = job.attempts[first.attempt];
  if (first.attempt + 1 >= job.attempts.size() || interrupted.ranks.empty()) return false;
  const Duration trained = first.at - interrupted.ranks.front().began;
  for (std::size_t i = first.attempt + 1; i < job.attempts.size(); ++i) {
    const AttemptFacts& attempt = job.attempts[i];
    if (!attempt.resumed_from) return false;
    const std::int64_t given = *attempt.resumed_from;
    const bool saved = std::ranges::any_of(
        attempt.checkpoints, [&](const CheckpointFacts& each) { return !each.older && each.step > given; });
    const bool worked = std::ranges::any_of(attempt.ranks, [&](const RankFacts& rank) {
      return rank.last_printed.value_or(0) > given || !rank.ended || *rank.ended - rank.began > trained / 2;
    });
    if (saved || worked) return false;
  }
  return true;
}

std::optional<SecondLife> second_life(const JobFacts& job, const InterruptionFacts& interruption) {
  const AttemptFacts& attempt = job.attempts[interruption.attempt];
  if (!interruption.noticed || attempt.ranks.size() != 1) return std::nullopt;
  std::int64_t last = 0;
  bool has_saved = false;  // since the notice
  for (const CheckpointFacts& each : attempt.checkpoints) {
    if (!each.complete || each.older) continue;
    // Numbers that go down before that are no steps.
    if (each.step < last) return has_saved ? std::optional(SecondLife{last, each.step}) : std::nullopt;
    last = each.step;
    has_saved = has_saved || each.at >= interruption.at;
  }
  return std::nullopt;
}

}  // namespace reprise::rehearsal
