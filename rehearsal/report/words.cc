#include "rehearsal/report/words.h"

#include <fmt/format.h>

namespace reprise::simulator {

std::string duration_text(runtime::Duration duration) {
  constexpr std::int64_t kSecond = 1000, kMinute = 60 * kSecond, kHour = 60 * kMinute, kDay = 24 * kHour;
  const std::int64_t ms = duration.count();
  if (ms < 0) return "-" + duration_text(-duration);
  if (ms == 0) return "0 s";
  if (ms < kSecond) return fmt::format("{} ms", ms);
  if (ms < 10 * kSecond && ms % kSecond / 100 != 0) return fmt::format("{}.{} s", ms / kSecond, ms % kSecond / 100);
  if (ms < kMinute) return fmt::format("{} s", ms / kSecond);
  if (ms < kHour) {
    const std::int64_t seconds = ms % kMinute / kSecond;
    return seconds == 0 ? fmt::format("{} min", ms / kMinute) : fmt::format("{} min {:02} s", ms / kMinute, seconds);
  }
  if (ms < 2 * kDay) {
    const std::int64_t minutes = ms % kHour / kMinute;
    return minutes == 0 ? fmt::format("{} h", ms / kHour) : fmt::format("{} h {:02} min", ms / kHour, minutes);
  }
  const std::int64_t hours = ms % kDay / kHour;
  return hours == 0 ? fmt::format("{} d", ms / kDay) : fmt::format("{} d {} h", ms / kDay, hours);
}

std::string clock_text(runtime::Duration since_begin) {
  const std::int64_t seconds = since_begin.count() / 1000;
  if (seconds < 0) return "-" + clock_text(-since_begin);
  return fmt::format("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
}

std::string count_text(std::int64_t count) {
  std::string text = std::to_string(count);
  const std::size_t first = count < 0 ? 1 : 0;
  for (std::size_t at = text.size(); at > first + 3;) {
    at -= 3;
    text.insert(at, 1, ',');
  }
  return text;
}

std::string count_text(std::int64_t count, std::string_view one, std::string_view many) {
  return count_text(count) + " " + std::string(count == 1 ? one : many);
}

std::string money_text(double usd) {
  if (usd < 0) return "-" + money_text(-usd);
  return usd >= 1 || usd == 0 ? fmt::format("${:.2f}", usd) : fmt::format("${:.3f}", usd);
}

std::string_view name_of(StorySpan::State state) {
  switch (state) {
    case StorySpan::State::Waiting:
      return "waiting";
    case StorySpan::State::Starting:
      return "starting";
    case StorySpan::State::Training:
      return "training";
    case StorySpan::State::Saving:
      return "saving";
    case StorySpan::State::Interrupted:
      return "interrupted";
    case StorySpan::State::Stopped:
      return "stopped";
    case StorySpan::State::Done:
      return "done";
    case StorySpan::State::Failed:
      return "failed";
    case StorySpan::State::Available:
      return "available";
    case StorySpan::State::Unavailable:
      return "unavailable";
  }
  return "waiting";
}

std::string_view name_of(StoryMark::Kind kind) {
  switch (kind) {
    case StoryMark::Kind::Checkpoint:
      return "checkpoint";
    case StoryMark::Kind::TornCheckpoint:
      return "torn-checkpoint";
    case StoryMark::Kind::Notice:
      return "notice";
    case StoryMark::Kind::Kill:
      return "kill";
    case StoryMark::Kind::Resume:
      return "resume";
    case StoryMark::Kind::Loss:
      return "loss";
    case StoryMark::Kind::End:
      return "end";
  }
  return "end";
}

std::string_view name_of(StoryLane::Kind kind) {
  switch (kind) {
    case StoryLane::Kind::Zone:
      return "zone";
    case StoryLane::Kind::Node:
      return "node";
    case StoryLane::Kind::Job:
      return "job";
    case StoryLane::Kind::Rank:
      return "rank";
  }
  return "job";
}

std::string_view words_of(StorySpan::State state, StoryLane::Kind of) {
  const bool node = of == StoryLane::Kind::Node;
  if (state == StorySpan::State::Available) return node ? "machine ready" : "spot available";
  if (state == StorySpan::State::Unavailable) return node ? "machine not ready" : "no spot";
  return name_of(state);
}

std::string_view words_of(StoryMark::Kind kind) {
  if (kind == StoryMark::Kind::TornCheckpoint) return "torn checkpoint";
  if (kind == StoryMark::Kind::Loss) return "machine lost";
  if (kind == StoryMark::Kind::Kill) return "killed";
  if (kind == StoryMark::Kind::Resume) return "resumed";
  if (kind == StoryMark::Kind::End) return "finished";
  return name_of(kind);
}

}  // namespace reprise::simulator
