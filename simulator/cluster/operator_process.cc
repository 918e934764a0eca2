#include "simulator/cluster/operator_process.h"

#include <utility>

#include "controllers/setup/setup.h"
#include "runtime/manager/manager.h"
#include "simulator/cluster/process_executor.h"

namespace reprise::simulator {
namespace {

class EventLogLogger final : public runtime::Logger {
 public:
  EventLogLogger(EventLog& log, std::string who, std::optional<runtime::LogLevel> level, const bool& dead)
      : log_(log), who_(std::move(who)), level_(level), dead_(dead) {}

  void log(runtime::LogLevel level, std::string_view message,
           std::initializer_list<runtime::LogField> fields) override {
    if (!enabled(level)) return;
    log_.add(who_, std::string(runtime::name(level)) + " " +
                       runtime::format_log_line(runtime::LogFormat::Text, message, fields));
  }
  [[nodiscard]] bool enabled(runtime::LogLevel level) const override { return !dead_ && level_ && level >= *level_; }

 private:
  EventLog& log_;
  std::string who_;
  std::optional<runtime::LogLevel> level_;
  const bool& dead_;
};

runtime::ManagerOptions manager_options(const OperatorSettings& settings, std::function<void()> end) {
  runtime::ManagerOptions options;
  options.name = "reprise";
  options.identity = settings.identity;
  options.lease_namespace = "reprise-system";
  options.lease_timing = settings.lease_timing;
  options.metrics_address = options.health_address = "0";
  options.workers = runtime::WorkerMode::Executor;
  options.watch_policy.encoding = runtime::Encoding::Json;
  options.abort = [end = std::move(end)](std::string_view) { end(); };
  return options;
}

std::optional<controllers::reports::ReportTarget> report_target(const OperatorSettings& settings) {
  if (!settings.reports) return std::nullopt;
  return controllers::reports::ReportTarget{.url = "https://10.96.0.12:9446", .certificate_pem = "simulated"};
}

}  // namespace

struct OperatorProcess::Parts {
  Parts(Cluster& the_cluster, WireFaults& wire_faults, const OperatorSettings& settings)
      : cluster(the_cluster),
        identity(settings.identity),
        right_clock(cluster.loop),
        clock(settings.clock == nullptr ? right_clock : *settings.clock),
        executor(cluster.loop, clock),
        wire(cluster, wire_faults, settings.identity, [this] { end(); }),
        random(settings.seed),
        logger(cluster.log, settings.identity, runtime::parse_log_level(settings.log_level), dead),
        manager(manager_options(settings, [this] { end(); }),
                {wire, executor, clock, random, logger, settings.decoded}),
        controllers(manager, {.agent_image = "reprise-agent:simulated",
                              .device_plugin_namespace = "reprise-system",
                              .own_namespace = "reprise-system",
                              .kueue = settings.kueue,
                              .spans = settings.spans,
                              .report_target = report_target(settings)}) {}

  void end() {
    dead = true;
    wire.die();
    executor.die();
  }

  Cluster& cluster;
  std::string identity;
  bool dead = false;
  MachineClock right_clock;
  const MachineClock& clock;
  ProcessExecutor executor;
  Wire wire;
  runtime::SeededRandom random;
  EventLogLogger logger;
  runtime::Manager manager;
  controllers::Controllers controllers;
};

OperatorProcess::OperatorProcess(Cluster& cluster, WireFaults& wire_faults, OperatorSettings settings)
    : parts_(std::make_unique<Parts>(cluster, wire_faults, settings)) {
  cluster.log.add(settings.identity, "starts");
  // No server is started, so nothing can be rejected.
  (void)parts_->manager.start();
}

OperatorProcess::~OperatorProcess() {
  parts_->end();
}

bool OperatorProcess::dead() const {
  // Asks the manager instead of watching it lead: it may have come to lead and lost while nobody looked.
  return parts_->dead || parts_->manager.lost();
}

bool OperatorProcess::working() const {
  return !dead() && parts_->manager.leading() && !parts_->executor.stands_still();
}

void OperatorProcess::stand_still_at_next_write(Duration for_so_long) {
  parts_->wire.stand_still_at_next_write(for_so_long, [this, for_so_long] {
    parts_->executor.stand_still_until(parts_->cluster.loop.now() + for_so_long);
  });
}

void OperatorProcess::stop_in_order() {
  parts_->cluster.log.add(parts_->identity, "is stopped in order");
  parts_->manager.stop();
}

void OperatorProcess::take_report(const ReportingPod& who, const std::string& json) {
  const auto answer = parts_->controllers.take_report({who.namespace_, who.name, who.uid}, json);
  if (answer.status >= 400)
    parts_->cluster.log.add(parts_->identity, "answers " + std::to_string(answer.status) + " to a report of " +
                                                  who.name + ": " + answer.body);
}

Wire& OperatorProcess::wire() {
  return parts_->wire;
}

std::string OperatorProcess::metrics() const {
  return parts_->manager.metrics().expose();
}

double OperatorProcess::reconciles(const std::string& controller) const {
  double sum = 0;
  for (const char* result : {"success", "requeue", "requeue_after", "error"})
    sum += parts_->manager.metrics()
               .counter("controller_runtime_reconcile_total", {}, {{"controller", controller}, {"result", result}})
               .value();
  return sum;
}

}  // namespace reprise::simulator
