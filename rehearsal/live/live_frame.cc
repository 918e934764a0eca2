#include "rehearsal/live/live_frame.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "rehearsal/live/styled_line.h"
#include "rehearsal/report/columns.h"
#include "rehearsal/report/escape.h"
#include "rehearsal/report/words.h"

namespace reprise::rehearsal {
namespace {

constexpr std::size_t kNameColumns = 24;
constexpr std::size_t kCellColumns = 16;
constexpr std::size_t kBarColumns = 20;
constexpr std::size_t kOneLineColumns = 116;
constexpr std::size_t kMostColumns = 140;  // longer strips show no more

Ink ink_of(std::string_view state) {
  const auto one_of = [&](std::initializer_list<std::string_view> words) {
    return std::any_of(words.begin(), words.end(),
                       [&](std::string_view word) { return state.find(word) != std::string_view::npos; });
  };
  if (one_of({"Fail", "Lost", "Kill", "Stalled", "NotReady", "Unavailable"})) return Ink::Bad;
  if (one_of({"Interrupt", "Notice", "Saving", "Stopp", "Terminating", "Draining", "Disrupt"})) return Ink::Warning;
  if (one_of({"Complete", "Succeeded", "Done", "Finished"})) return Ink::Good;
  if (one_of({"Running", "Training", "Ready"})) return Ink::Busy;
  return Ink::Faint;
}

// The share of [from, to) in which the zone had capacity.
double share_available(const SpotPlan::Zone& zone, runtime::Duration from, runtime::Duration to) {
  runtime::Duration sum{0}, at = from;
  bool available = true;
  for (const SpotPlan::Edge& edge : zone.edges) {
    const runtime::Duration until = std::clamp(edge.at, at, to);
    if (available) sum += until - at;
    at = until;
    available = edge.available;
  }
  if (available) sum += to - at;
  return to > from ? static_cast<double>(sum.count()) / static_cast<double>((to - from).count()) : 0;
}

bool available_at(const SpotPlan::Zone& zone, runtime::Duration now) {
  bool available = true;
  for (const SpotPlan::Edge& edge : zone.edges)
    if (edge.at <= now) available = edge.available;
  return available;
}

class Frame {
 public:
  Frame(const RehearsalMoment& moment, const LiveInfo& info, TerminalSize size, LiveStyle style)
      : moment_(moment), info_(info), columns_(std::min(size.columns, kMostColumns)), style_(style) {
    const std::size_t rows = size.rows > 3 ? size.rows - 2 : 1;
    head();
    std::vector<std::string> zones, nodes, jobs, pods;
    for (const auto& zone : moment_.zones) zones.push_back(zone_line(zone));
    for (const auto& node : moment_.nodes) nodes.push_back(node_line(node));
    for (const auto& job : moment_.jobs) add_job(job, jobs);
    for (const auto& pod : moment_.pods) pods.push_back(pod_line(pod));
    constexpr std::size_t kHeadings = 4, kBlanks = 4;
    const std::size_t fixed = 1 + kHeadings + kBlanks + jobs.size();
    std::size_t room = rows > fixed ? rows - fixed : 0;
    for (auto* section : {&zones, &pods, &nodes}) {
      cut(*section, room);
      room -= std::min(room, section->size());
    }
    section("Spot capacity", zones);
    section("Jobs", jobs);
    section("Pods", pods);
    section("Nodes", nodes);
    if (lines_.size() > rows) lines_.resize(rows);
  }

  [[nodiscard]] std::vector<std::string> lines() && { return std::move(lines_); }

 private:
  [[nodiscard]] StyledLine line() const { return {columns_, style_.colours}; }

  void head() {
    StyledLine out = line();
    out.add(" ").add(printable(info_.title), Ink::Strong).to(kNameColumns).add("  ").add(clock_text(moment_.time));
    if (info_.length.count() > 0) out.add(" of " + clock_text(info_.length), Ink::Faint);
    if (info_.speed != 1) out.add(fmt::format("   {:.4g} times as fast", info_.speed), Ink::Faint);
    lines_.push_back(out.text());
  }

  void section(std::string_view heading, const std::vector<std::string>& content) {
    if (content.empty()) return;
    lines_.emplace_back();
    lines_.push_back(line().add(" ").add(heading, Ink::Strong).text());
    lines_.insert(lines_.end(), content.begin(), content.end());
  }

  // Cuts to at most `room` lines, the last of which says how many are missing.
  void cut(std::vector<std::string>& content, std::size_t room) const {
    if (content.size() <= room) return;
    const std::size_t shown = room > 0 ? room - 1 : 0;
    const auto missing = static_cast<std::int64_t>(content.size() - shown);
    content.resize(shown);
    if (room > 0) content.push_back(line().add("   and " + count_text(missing) + " more", Ink::Faint).text());
  }

  [[nodiscard]] std::string zone_line(const SpotPlan::Zone& zone) const {
    StyledLine out = line();
    out.add("   " + clipped(printable(zone.name), kNameColumns - 4)).to(kNameColumns);
    runtime::Duration end = std::max(info_.length, moment_.time);
    for (const SpotPlan::Edge& edge : zone.edges)
      if (info_.length.count() == 0) end = std::max(end, edge.at);
    const std::string price = zone.price_per_hour > 0 ? money_text(zone.price_per_hour) + "/h" : "";
    const std::size_t taken = kNameColumns + 14 + price.size();
    const std::size_t cells = columns_ > taken + 10 ? columns_ - taken : 10;
    const auto edge_of = [&](std::size_t cell) {
      return end * static_cast<std::int64_t>(cell) / static_cast<std::int64_t>(cells);
    };
    for (std::size_t cell = 0; cell < cells; ++cell) {
      const runtime::Duration from = edge_of(cell), to = edge_of(cell + 1);
      const double share = share_available(zone, from, to);
      const bool now = from <= moment_.time && moment_.time < to;
      const bool past = to <= moment_.time;
      if (now)
        out.add(style_.unicode ? "┃" : "|", Ink::Strong);
      else if (share > 0.5)
        out.add(style_.unicode ? "━" : "=", past ? Ink::Good : Ink::Faint);
      else
        out.add(style_.unicode ? "·" : ".", past ? Ink::Bad : Ink::Faint);
    }
    const bool available = available_at(zone, moment_.time);
    out.add("  ").add(available ? "spot" : "no spot", available ? Ink::Good : Ink::Bad);
    if (!price.empty()) out.add("  " + price, Ink::Faint);
    return out.text();
  }

  // Adds no cell for an empty text, so that lines do not end in spaces.
  static void cell(StyledLine& out, std::size_t column, std::string_view text, Ink ink = Ink::Plain) {
    if (!text.empty()) out.to(column).add(text, ink);
  }

  [[nodiscard]] StyledLine named(std::string_view name, std::string_view state, Ink ink = Ink::Plain) const {
    StyledLine out = line();
    out.add("   " + clipped(printable(name), kNameColumns - 4), ink);
    cell(out, kNameColumns, clipped(printable(state), kCellColumns - 1), ink_of(state));
    return out;
  }

  [[nodiscard]] std::string node_line(const RehearsalMoment::Node& node) const {
    StyledLine out = named(node.name, node.state);
    cell(out, kNameColumns + kCellColumns, clipped(printable(node.zone), kCellColumns - 1));
    cell(out, kNameColumns + 2 * kCellColumns, printable(node.capacity), Ink::Faint);
    return out.text();
  }

  [[nodiscard]] std::string pod_line(const RehearsalMoment::Pod& pod) const {
    StyledLine out = named(pod.name, pod.state);
    cell(out, kNameColumns + kCellColumns, pod.step >= 0 ? "step " + count_text(pod.step) : "");
    cell(out, kNameColumns + 2 * kCellColumns, pod.node.empty() ? "" : "on " + printable(pod.node), Ink::Faint);
    return out.text();
  }

  // Adds a job on two lines when one would be too long.
  void add_job(const RehearsalMoment::Job& job, std::vector<std::string>& lines) const {
    StyledLine out = named(job.name, job.state, Ink::Strong);
    out.to(kNameColumns + kCellColumns);
    if (job.progress >= 0) {
      const double share = std::clamp(job.progress, 0.0, 1.0);
      const auto filled = static_cast<std::size_t>(std::lround(share * kBarColumns));
      for (std::size_t i = 0; i < kBarColumns; ++i)
        out.add(style_.unicode ? (i < filled ? "━" : "─") : (i < filled ? "#" : "-"),
                i < filled ? Ink::Busy : Ink::Faint);
      out.add(fmt::format(" {:>3.0f} %", share * 100));
    }
    if (columns_ < kOneLineColumns) {
      lines.push_back(out.text());
      out = line();
      out.to(kNameColumns);
    } else {
      out.add("  ");
    }
    out.add(count_text(job.interruptions, "interruption", "interruptions"),
            job.interruptions > 0 ? Ink::Plain : Ink::Faint);
    if (job.checkpoint_step >= 0)
      out.add("  checkpoint " + count_text(job.checkpoint_step) + ", " + duration_text(job.checkpoint_age) + " ago",
              Ink::Faint);
    if (!job.message.empty()) out.add("  " + printable(job.message), Ink::Faint);
    lines.push_back(out.text());
  }

  const RehearsalMoment& moment_;
  const LiveInfo& info_;
  std::size_t columns_;
  LiveStyle style_;
  std::vector<std::string> lines_;
};

}  // namespace

std::vector<std::string> live_frame(const RehearsalMoment& moment, const LiveInfo& info, TerminalSize size,
                                    LiveStyle style) {
  return Frame(moment, info, size, style).lines();
}

}  // namespace reprise::rehearsal
