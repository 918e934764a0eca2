#include "rehearsal/live/news.h"

#include "rehearsal/report/escape.h"
#include "rehearsal/report/words.h"

namespace reprise::rehearsal {
namespace {

// The value of `key=value` or `key="value"` with \" in it; empty when there is none.
std::string value_of(std::string_view line, std::string_view key) {
  const std::string begin = " " + std::string(key) + "=";
  const auto found = line.find(begin);
  if (found == std::string_view::npos) return {};
  std::string_view rest = line.substr(found + begin.size());
  if (!rest.starts_with('"')) return std::string(rest.substr(0, rest.find(' ')));
  std::string value;
  for (std::size_t at = 1; at < rest.size() && rest[at] != '"'; ++at) {
    if (rest[at] == '\\' && at + 1 < rest.size()) ++at;
    value += rest[at];
  }
  return value;
}

}  // namespace

std::string readable_news(std::string_view line) {
  constexpr std::string_view kDecided = "info Decided ", kId = " reconcileID=";
  const std::string name = value_of(line, "name"), reason = value_of(line, "reason");
  if (const auto at = line.find(kDecided); at != std::string_view::npos && !name.empty() && !reason.empty()) {
    const std::string space = value_of(line, "namespace"), note = value_of(line, "note");
    return std::string(line.substr(0, at)) + (space.empty() ? "" : space + "/") + name + ": " + reason +
           (note.empty() ? "" : ", " + note);
  }
  std::string text(line);
  if (const auto at = text.find(kId); at != std::string::npos) {
    const auto end = text.find(' ', at + 1);
    text.erase(at, end == std::string::npos ? end : end - at);
  }
  return text;
}

std::vector<std::string> NewsWriter::lines_of(const RehearsalMoment& moment) {
  const std::string at = clock_text(moment.time) + "  ";
  std::vector<std::string> lines;
  for (const std::string& news : moment.news) lines.push_back(at + printable(readable_news(news)));
  for (const RehearsalMoment::Job& job : moment.jobs) {
    Seen now{.state = job.state, .attempt = job.attempt};
    Seen& before = jobs_[job.name];
    if (now == before) continue;
    before = std::move(now);
    std::string line = "job " + job.name + ": " + job.state;
    if (job.attempt > 0) line += ", attempt " + count_text(job.attempt);
    if (job.checkpoint_step >= 0) line += ", newest checkpoint " + count_text(job.checkpoint_step);
    lines.push_back(at + printable(line));
  }
  return lines;
}

}  // namespace reprise::rehearsal
