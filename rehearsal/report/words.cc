#include "rehearsal/report/words.h"

#include <fmt/format.h>

namespace reprise::rehearsal {

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

std::string_view name_of(ReportSpan::State state) {
  switch (state) {
    case ReportSpan::State::Waiting:
      return "waiting";
    case ReportSpan::State::Starting:
      return "starting";
    case ReportSpan::State::Training:
      return "training";
    case ReportSpan::State::Saving:
      return "saving";
    case ReportSpan::State::Interrupted:
      return "interrupted";
    case ReportSpan::State::Stopped:
      return "stopped";
    case ReportSpan::State::Done:
      return "done";
    case ReportSpan::State::Failed:
      return "failed";
    case ReportSpan::State::Available:
      return "available";
    case ReportSpan::State::Unavailable:
      return "unavailable";
  }
  return "waiting";
}

std::string_view name_of(ReportMark::Kind kind) {
  switch (kind) {
    case ReportMark::Kind::Checkpoint:
      return "checkpoint";
    case ReportMark::Kind::TornCheckpoint:
      return "torn-checkpoint";
    case ReportMark::Kind::Notice:
      return "notice";
    case ReportMark::Kind::Kill:
      return "kill";
    case ReportMark::Kind::Resume:
      return "resume";
    case ReportMark::Kind::Loss:
      return "loss";
    case ReportMark::Kind::End:
      return "end";
  }
  return "end";
}

std::string_view name_of(ReportLane::Kind kind) {
  switch (kind) {
    case ReportLane::Kind::Zone:
      return "zone";
    case ReportLane::Kind::Node:
      return "node";
    case ReportLane::Kind::Job:
      return "job";
    case ReportLane::Kind::Rank:
      return "rank";
  }
  return "job";
}

std::string_view words_of(ReportSpan::State state, ReportLane::Kind of) {
  const bool node = of == ReportLane::Kind::Node;
  if (state == ReportSpan::State::Available) return node ? "node ready" : "spot available";
  if (state == ReportSpan::State::Unavailable) return node ? "node not ready" : "no spot";
  return name_of(state);
}

std::string_view words_of(ReportMark::Kind kind) {
  if (kind == ReportMark::Kind::TornCheckpoint) return "torn checkpoint";
  if (kind == ReportMark::Kind::Loss) return "node lost";
  if (kind == ReportMark::Kind::Kill) return "killed";
  if (kind == ReportMark::Kind::Resume) return "resumed";
  if (kind == ReportMark::Kind::End) return "finished";
  return name_of(kind);
}

}  // namespace reprise::rehearsal
