#include "apps/reprise/estimate/estimate_options.h"

#include <fmt/format.h>

#include <boost/program_options/value_semantic.hpp>
#include <cmath>
#include <optional>
#include <sstream>

#include "apps/common/flags.h"
#include "apps/reprise/estimate/estimate_defaults.h"

namespace reprise::apps {
namespace {

namespace po = boost::program_options;
namespace placement = controllers::placement;

using flags::number, flags::split, flags::text, flags::whole_number, flags::Wrong;

constexpr double kMostHours = 10'000;
constexpr double kMostMoney = 1e6;

po::options_description estimate_flags() {
  const auto many = [] { return po::value<std::vector<std::string>>()->multitoken(); };
  const auto one = [] { return flags::one(); };
  auto known = flags::described();
  known.add_options()(
      "trace", many(),
      "FILE...: recorded spot capacity, or the name of a trace that comes with this program; files with the same tick "
      "are taken together (default: v100x1-9zones-6days)")("prices", many(),
                                                           "FILE...: spot prices per zone, for the traces' zones")(
      "zones", one(), "a,b,...: only these zones (default: all)")(
      "work-hours", one(),
      "hours of useful running that the job needs (default: 48, less where the trace or the deadline is shorter)")(
      "deadline-hours", one(), "finish within so many hours")("max-slowdown", one(),
                                                              "finish within this many times the work, 1.01 or more")(
      "value-of-time", one(), "no deadline: USD that finishing an hour earlier is worth")(
      "on-demand-after-hours", one(), "no deadline: buy on-demand once an outage has lasted so long")(
      "spot-only", po::bool_switch(), "no deadline: wait for spot for ever")(
      "changeover-minutes", one(), "paid minutes from a start to the first new work (default: 12)")(
      "on-demand-price", one(), "USD per node and hour (default: the trace's)")(
      "spot-price", one(), "USD per node and hour (default: --prices, else the trace's, else 40 % of on-demand)")(
      "nodes", one(), "nodes that must all be up at once (default: 1)")(
      "max-extra-cost-percent", one(), "never exceed on-demand by more than this (default: no limit)")(
      "policy", one(), "all, or some of reprise,up-age,up,greedy,on-demand,omniscient (default: all)")(
      "starts-every-hours", one(), "a job starts so often over each trace (default: 12)")(
      "move-between-zones", po::bool_switch(), "also a job that may run in any of the zones, shown as zone 'any'")(
      "output", one(), "table, json or html (default: table)");
  return known;
}

std::optional<placement::Goal> goal_of(const po::variables_map& given) {
  std::vector<placement::Goal> goals;
  if (const auto hours = number(given, "deadline-hours", 1e-3, kMostHours, "hours greater than 0, at most 10000"))
    goals.emplace_back(placement::Deadline{*hours});
  if (const auto factor = number(given, "max-slowdown", 1.01, 1000, "a number from 1.01 to 1000"))
    goals.emplace_back(placement::MaxSlowdown{*factor});
  if (const auto value = number(given, "value-of-time", 0, kMostMoney, "USD per hour, 0 or more"))
    goals.emplace_back(placement::Fallback(placement::ValueOfTime{*value}));
  if (const auto hours = number(given, "on-demand-after-hours", 0, kMostHours, "hours from 0 to 10000"))
    goals.emplace_back(placement::Fallback(placement::OnDemandAfter{*hours}));
  if (given["spot-only"].as<bool>()) goals.emplace_back(placement::Fallback(placement::SpotOnly{}));
  if (goals.size() > 1)
    throw Wrong{"found " + std::to_string(goals.size()) +
                " goals, must be one of --deadline-hours, --max-slowdown, --value-of-time, --on-demand-after-hours, "
                "--spot-only"};
  if (goals.empty()) return std::nullopt;
  return goals.front();
}

std::vector<placement::PolicyKind> policies_of(const po::variables_map& given, bool bounded) {
  const std::string value = text(given, "policy").value_or("all");
  std::vector<placement::PolicyKind> policies;
  if (value == "all") {
    for (const auto policy : placement::kAllPolicies) {
      const bool without_deadline = policy == placement::PolicyKind::Reprise ||
                                    policy == placement::PolicyKind::Greedy ||
                                    policy == placement::PolicyKind::OnDemand;
      if (bounded || without_deadline) policies.push_back(policy);
    }
    return policies;
  }
  for (const std::string& word : split(value)) {
    const auto policy = placement::policy_named(word);
    if (!policy)
      throw Wrong{"--policy: found '" + word +
                  "', must be all, or some of reprise,up-age,up,greedy,on-demand,omniscient"};
    policies.push_back(*policy);
  }
  if (policies.empty())
    throw Wrong{"--policy: found '', must be all, or some of reprise,up-age,up,greedy,on-demand,omniscient"};
  return policies;
}

EstimateOptions options_of(const po::variables_map& given) {
  EstimateOptions options;
  placement::EstimateRequest& request = options.request;
  if (given.contains("trace")) options.traces = given["trace"].as<std::vector<std::string>>();
  if (options.traces.empty()) {
    options.traces = {kDefaultTrace};
    options.assumed.push_back("--trace " + options.traces.front());
  }
  if (given.contains("prices")) options.prices = given["prices"].as<std::vector<std::string>>();
  if (const auto zones = text(given, "zones")) {
    options.zones = split(*zones);
    if (options.zones.empty()) throw Wrong{"--zones: found '" + *zones + "', must be names of zones, a,b,..."};
  }
  const auto work = number(given, "work-hours", 1e-3, kMostHours, "hours greater than 0, at most 10000");
  options.work_assumed = !work;
  if (work) request.work = *work;
  if (const auto goal = goal_of(given)) {
    request.goal = *goal;
  } else {
    request.goal = placement::MaxSlowdown{kUsualSlowdown};
    options.assumed.push_back(fmt::format("--max-slowdown {}", kUsualSlowdown));
  }
  request.changeover = number(given, "changeover-minutes", 1, 1440, "minutes from 1 to 1440").value_or(12) / 60;
  request.on_demand_price = number(given, "on-demand-price", 1e-6, kMostMoney, "USD per hour greater than 0");
  request.spot_price = number(given, "spot-price", 1e-6, kMostMoney, "USD per hour greater than 0");
  request.nodes =
      static_cast<int>(whole_number(given, "nodes", 1, 100'000, "a whole number from 1 to 100000").value_or(1));
  request.max_extra_cost_percent = number(given, "max-extra-cost-percent", 0, 1000, "percent from 0 to 1000");
  request.starts_every = number(given, "starts-every-hours", 0.01, kMostHours, "hours from 0.01 to 10000").value_or(12);
  request.move_between_zones = given["move-between-zones"].as<bool>();
  request.policies = policies_of(given, std::isfinite(placement::deadline_of(request)));
  using Output = EstimateOutput;
  options.output =
      flags::one_of<Output>(given, "output", {{"table", Output::Table}, {"json", Output::Json}, {"html", Output::Html}})
          .value_or(Output::Table);
  return options;
}

}  // namespace

std::expected<EstimateOptions, UsageText> parse_estimate_options(const std::vector<std::string>& arguments) {
  const po::options_description known = estimate_flags();
  try {
    const po::variables_map given = flags::parse(known, arguments);
    if (given.contains("help")) {
      std::ostringstream help;
      help << "Usage: reprise estimate [--trace FILE...] [--work-hours H] [GOAL] [flags]\n\n"
              "What would this job have cost? Replays it from many starts over recorded spot capacity.\n"
              "GOAL is one of --deadline-hours, --max-slowdown, --value-of-time, --on-demand-after-hours, "
              "--spot-only\n(default: --max-slowdown 1.25). What was not given and is assumed is printed on standard "
              "error.\n\n"
           << known;
      return std::unexpected(UsageText{help.str(), false});
    }
    return options_of(given);
  } catch (const Wrong& wrong) {
    return std::unexpected(flags::usage_error("reprise estimate", wrong.text));
  }
}

std::expected<EventsOptions, UsageText> parse_events_options(const std::vector<std::string>& arguments) {
  auto known = flags::described();
  known.add_options()("events", po::value<std::string>(), "FILE of Events, one a line: TIME REASON OBJECT MESSAGE")(
      "objects", po::value<std::string>(),
      "FILE that says where NodeClaims and Nodes are, one a line: NAME ZONE CAPACITY; on-demand ones are left out")(
      "zone", po::value<std::string>(), "zone of Events that tell of none")(
      "gap-seconds", po::value<std::string>(), "length of a tick, 1 to 86400 (default: 300)");
  try {
    const po::variables_map given = flags::parse(known, arguments);
    if (given.contains("help")) {
      std::ostringstream help;
      help << "Usage: reprise trace-from-events --events FILE [flags]\n\n"
              "Prints what the Events of a cluster tell of spot capacity as a trace for 'reprise estimate'. Events:\n"
              "kubectl get events -A -o custom-columns="
              "TIME:.lastTimestamp,ELSE:.eventTime,REASON:.reason,OBJECT:.involvedObject.name,MESSAGE:.message\n"
              "Objects:\n"
              "kubectl get nodeclaims,nodes -o custom-columns='NAME:.metadata.name,"
              "ZONE:.metadata.labels.topology\\.kubernetes\\.io/zone,"
              "CAPACITY:.metadata.labels.karpenter\\.sh/capacity-type'\n\n"
           << known;
      return std::unexpected(UsageText{help.str(), false});
    }
    EventsOptions options;
    options.events = text(given, "events").value_or("");
    if (options.events.empty()) throw Wrong{"--events is missing: must name a file"};
    options.objects = text(given, "objects").value_or("");
    options.zone = text(given, "zone").value_or("");
    if (options.zone.find_first_of(", \t\r\n#=") != std::string::npos)
      throw Wrong{"--zone: found '" + options.zone + "', must be one name without commas and blanks"};
    constexpr const char* kAllowed = "a whole number from 1 to 86400";
    options.gap_seconds = static_cast<int>(whole_number(given, "gap-seconds", 1, 86400, kAllowed).value_or(300));
    return options;
  } catch (const Wrong& wrong) {
    return std::unexpected(flags::usage_error("reprise trace-from-events", wrong.text));
  }
}

}  // namespace reprise::apps
