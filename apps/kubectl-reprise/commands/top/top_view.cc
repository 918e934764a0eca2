#include "apps/kubectl-reprise/commands/top/top_view.h"

#include <algorithm>
#include <array>
#include <functional>
#include <string_view>
#include <vector>

namespace reprise::plugin {
namespace {

constexpr const char* kBold = "\x1b[1m";
constexpr const char* kRed = "\x1b[31m";
constexpr const char* kPlain = "\x1b[0m";

std::string_view name(TopOrder order) {
  switch (order) {
    case TopOrder::Name:
      return "name";
    case TopOrder::State:
      return "state";
    case TopOrder::Interruptions:
      return "interruptions";
    case TopOrder::Lost:
      return "lost time";
    case TopOrder::Age:
      return "age";
  }
  return "name";
}

TopOrder next(TopOrder order) {
  switch (order) {
    case TopOrder::Name:
      return TopOrder::State;
    case TopOrder::State:
      return TopOrder::Interruptions;
    case TopOrder::Interruptions:
      return TopOrder::Lost;
    case TopOrder::Lost:
      return TopOrder::Age;
    case TopOrder::Age:
      return TopOrder::Name;
  }
  return TopOrder::Name;
}

void sort(std::vector<api::ResumableJob>& jobs, TopOrder order) {
  using Job = api::ResumableJob;
  const auto by_name = [](const Job& job) {
    return std::pair(std::string(job.meta.namespace_), std::string(job.meta.name));
  };
  const auto by = [&](const auto& key) {
    std::ranges::sort(jobs, {}, [&](const Job& job) { return std::pair(key(job), by_name(job)); });
  };
  switch (order) {
    case TopOrder::Name:
      by([](const Job&) { return 0; });
      return;
    case TopOrder::State:
      by(state_of);
      return;
    case TopOrder::Interruptions:
      by([](const Job& job) { return -job.status.interruption_count; });
      return;
    case TopOrder::Lost:
      by([](const Job& job) { return -job.status.lost_seconds; });
      return;
    case TopOrder::Age:
      by([](const Job& job) { return job.meta.creation_timestamp; });
      return;
  }
}

struct Line {
  std::string text;
  const char* colour = "";
};

void add(std::vector<Line>& lines, const std::string& text, const char* first_colour) {
  bool first = true;
  for (std::size_t at = 0; at < text.size(); first = false) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back({text.substr(at, end - at), first ? first_colour : ""});
    at = end + 1;
  }
}

// Cuts at so many characters, and makes control characters harmless to the terminal.
std::string cut(const std::string& text, std::size_t columns) {
  std::string line;
  std::size_t used = 0;
  for (const char each : text) {
    const auto byte = static_cast<unsigned char>(each);
    const bool begins = (byte & 0xC0U) != 0x80U;
    if (begins && columns != 0 && used == columns) break;
    used += begins ? 1 : 0;
    line += byte < 0x20 || byte == 0x7F ? ' ' : each;
  }
  return line;
}

}  // namespace

TopState pressed(TopState state, char key) {
  constexpr char escape = 27;
  if (key == 'q' || key == escape) state.ended = true;
  if (key == 's') state.order = next(state.order);
  if (key == 'p') state.pools = !state.pools;
  if (key == 'j') state.jobs = !state.jobs;
  return state;
}

std::string top_frame(const Scene& scene, const TopState& state, kube::Time now, const Columns& columns, FrameSize size,
                      bool colours, const std::string& trouble) {
  std::vector<Line> lines;
  add(lines, kube::format_time(now) + "  " + summary_line(scene) + "\n", "");
  if (!trouble.empty()) add(lines, "This is old: " + trouble + "\n", kRed);
  if (!scene.pools_unseen.empty()) add(lines, "Pools are not shown: " + scene.pools_unseen + "\n", "");
  if (state.pools && !scene.pools.empty()) add(lines, "\n" + pools_table(scene.pools, now, columns).text(), "");
  if (state.jobs && !scene.jobs.empty()) {
    std::vector<api::ResumableJob> jobs = scene.jobs;
    sort(jobs, state.order);
    lines.push_back({});
    add(lines, jobs_table(jobs, now, columns).text(), kBold);
  }
  for (const std::string& each : attention(scene)) lines.push_back({each, kRed});
  if (size.rows != 0) {
    // The last line always shows the keys, even when other lines find no place.
    lines.resize(std::min(lines.size(), size.rows - std::min<std::size_t>(size.rows, 1)));
    lines.push_back({"q quit  s sorted by " + std::string(name(state.order)) + "  p pools  j jobs", kBold});
  }
  std::string frame;
  for (const Line& line : lines) {
    const bool coloured = colours && *line.colour != '\0';
    frame += (coloured ? line.colour : "") + cut(line.text, size.columns) + (coloured ? kPlain : "") + "\n";
  }
  return frame;
}

}  // namespace reprise::plugin
