#include <string_view>

#include "runtime/manager/internal/parts_view.h"

namespace reprise::runtime::internal {
namespace {

constexpr std::size_t most_lines = 50;  // per sort

std::string millis(Duration time) {
  return std::to_string(time.count()) + "ms";
}

std::string until(Instant then, Instant now) {
  return millis(std::chrono::duration_cast<Duration>(then - now));
}

class Line {
 public:
  explicit Line(std::string_view sort) : text_(sort) {}
  Line& with(std::string_view key, std::string_view value) {
    text_ += ' ';
    text_ += key;
    text_ += '=';
    text_ += value;
    return *this;
  }
  Line& with(std::string_view key, std::size_t value) { return with(key, std::to_string(value)); }
  [[nodiscard]] std::string text() && { return std::move(text_); }

 private:
  std::string text_;
};

using Lines = std::vector<std::string>;

void add_lease(const PartsView& parts, Instant now, Lines& out) {
  Line line("lease");
  if (parts.elector == nullptr) {
    out.push_back(std::move(line.with("election", "off")).text());
    return;
  }
  const ElectorSnapshot lease = parts.elector->snapshot();
  line.with("phase", name(lease.phase)).with("holder", lease.holder);
  line.with("transitions", std::to_string(lease.transitions));
  if (lease.renewed_at) line.with("renewed", until(now, *lease.renewed_at) + " ago");
  if (lease.permits_until) line.with("permitsEndIn", until(*lease.permits_until, now));
  if (lease.lease_until) line.with("leaseEndsIn", until(*lease.lease_until, now));
  out.push_back(std::move(line).text());
}

void add_informers(const PartsView& parts, Lines& out) {
  for (const auto& informer : parts.informers) {
    for (const WatchStatus& watch : informer->watches()) {
      Line line("informer");
      line.with("kind", informer->kind().kind).with("namespace", watch.namespace_).with("state", name(watch.state));
      if (!informer->served()) line.with("served", "false");
      line.with("synced", informer->synced() ? "true" : "false").with("objects", informer->size());
      line.with("resourceVersion", informer->view().resource_version(watch.namespace_));
      line.with("lastByteAge", watch.last_byte_age ? millis(*watch.last_byte_age) : "never");
      line.with("lastStepAge", millis(watch.last_step_age));
      if (watch.overdue) line.with("overdue", millis(*watch.overdue));
      out.push_back(std::move(line).text());
    }
  }
}

void add_catch_up(const PartsView& parts, Lines& out) {
  if (parts.catch_up == nullptr) return;
  for (const std::string& line : parts.catch_up->describe()) out.push_back("behind " + line);
}

void add_pieces(std::string_view sort, const RunningWork& work, std::string_view of, Lines& out) {
  for (const RunningWork::Piece& piece : work.oldest(most_lines)) {
    out.push_back(std::move(Line(sort).with(of, piece.what).with("age", millis(piece.age))).text());
  }
  const std::size_t all = work.count();
  if (all > most_lines) out.push_back(std::move(Line(sort).with("andMore", all - most_lines)).text());
}

void add_controllers(const PartsView& parts, Lines& out) {
  for (const auto& controller : parts.controllers) {
    const WorkQueueCounts queue = controller->queue_counts();
    Line line("controller");
    line.with("name", controller->name()).with("ready", queue.ready).with("working", queue.working);
    line.with("delayed", queue.delayed).with("failing", queue.failing);
    line.with("mostFailures", std::to_string(queue.most_failures));
    out.push_back(std::move(line).text());
    add_pieces("reconcile controller=" + controller->name(), controller->running(), "key", out);
  }
}

void add_watermarks(const PartsView& parts, Lines& out) {
  const std::size_t waiting = parts.watermarks.waiting();
  out.push_back(std::move(Line("watermarks").with("ownersWaiting", waiting)).text());
  for (const std::string& line : parts.watermarks.describe(most_lines)) out.push_back("waits " + line);
}

}  // namespace

Lines dump_state(const PartsView& parts) {
  const Instant now = parts.clock.steady();
  Lines lines;
  add_lease(parts, now, lines);
  add_informers(parts, lines);
  add_catch_up(parts, lines);
  add_controllers(parts, lines);
  add_watermarks(parts, lines);
  lines.push_back(std::move(Line("requests").with("underWay", parts.requests.count())).text());
  add_pieces("request", parts.requests, "what", lines);
  return lines;
}

}  // namespace reprise::runtime::internal
