// The metrics of a manager, and their documentation.
#include <cstring>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "runtime/client/metered_transport.h"
#include "runtime/manager/observability_for_tests.h"
#include "runtime/metrics/log_metrics.h"
#include "runtime/metrics/process_metrics.h"
#include "runtime/traces/exporter.h"

namespace reprise::runtime {
namespace {

using std::chrono::seconds;
using testing::ObservabilityTest;

// "name type {label,label}" of every family that is shown.
std::set<std::string> families(const std::string& exposed) {
  std::map<std::string, std::string> types;
  std::map<std::string, std::set<std::string>> labels;
  std::istringstream text(exposed);
  for (std::string line; std::getline(text, line);) {
    std::istringstream words(line);
    std::string hash, what, name, type;
    if (line.starts_with("# TYPE ")) {
      words >> hash >> what >> name >> type;
      types[name] = type;
    }
    if (line.starts_with("#")) continue;
    std::string family = line.substr(0, line.find_first_of("{ "));
    for (const char* suffix : {"_bucket", "_sum", "_count"}) {
      if (!types.contains(family) && family.ends_with(suffix)) family.resize(family.size() - std::strlen(suffix));
    }
    auto& known = labels[family];
    if (line.find('{') == std::string::npos) continue;
    std::istringstream pairs(line.substr(line.find('{') + 1, line.rfind('}') - line.find('{') - 1));
    for (std::string pair; std::getline(pairs, pair, ',');) {
      const std::string label = pair.substr(0, pair.find('='));
      if (label != "le") known.insert(label);
    }
  }
  std::set<std::string> all;
  for (const auto& [name, type] : types) {
    std::string line = name + " " + type;
    for (const std::string& label : labels[name]) line += " " + label;
    all.insert(line);
  }
  return all;
}

// The rows "| `name` | type | `label`, `label` | meaning |" of the documentation.
std::set<std::string> documented() {
  std::ifstream file(REPRISE_METRICS_DOCUMENT);
  std::set<std::string> all;
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("| `")) continue;
    std::istringstream cells(line);
    std::string cell, name, type, labels;
    std::getline(cells, cell, '|');
    std::getline(cells, name, '|');
    std::getline(cells, type, '|');
    std::getline(cells, labels, '|');
    const auto bare = [](std::string text) {
      std::erase_if(text, [](char c) { return c == '`' || c == ' '; });
      return text;
    };
    std::set<std::string> sorted;
    std::istringstream list(bare(labels));
    for (std::string label; std::getline(list, label, ',');) sorted.insert(label);
    std::string row = bare(name) + " " + bare(type);
    for (const std::string& label : sorted) row += " " + label;
    all.insert(row);
  }
  return all;
}

TEST_F(ObservabilityTest, every_metric_is_there_from_the_start_and_is_in_the_documentation_and_no_other) {
  add_process_metrics(manager.metrics());
  const SamplingLogger sampling(make_null_logger(), clock);
  add_log_metrics(manager.metrics(), sampling);
  const auto metered = with_request_metrics(transport, manager.metrics(), clock, "host");
  const auto logger = make_null_logger();
  const SpanExporter exporter({}, transport, executor, random, manager.metrics(), *logger);
  EXPECT_EQ(families(manager.metrics().expose()), documented());
}

TEST_F(ObservabilityTest, every_counter_starts_at_zero) {
  const auto metered = with_request_metrics(transport, manager.metrics(), clock, "host");
  std::istringstream text(manager.metrics().expose());
  std::string type;
  int counters = 0;
  for (std::string line; std::getline(text, line);) {
    if (line.starts_with("# TYPE ")) type = line.substr(line.rfind(' ') + 1);
    if (line.starts_with("#") || type != "counter") continue;
    ++counters;
    EXPECT_TRUE(line.ends_with(" 0")) << line;
  }
  EXPECT_GE(counters, 20);
}

TEST_F(ObservabilityTest, no_name_of_an_object_becomes_a_label) {
  run();
  work = [](ReconcileContext&) -> Result<Next> { return fail(ErrorClass::Unavailable, "no"); };
  const auto lines_now = [this] {
    const std::string text = manager.metrics().expose();
    return std::count(text.begin(), text.end(), '\n');
  };
  const auto before = lines_now();
  for (int i = 0; i < 500; ++i) controller.enqueue({"n", "object-" + std::to_string(i)});
  executor.advance(seconds(5));
  EXPECT_GT(reconciles, 500);
  EXPECT_EQ(lines_now(), before);
}

TEST_F(ObservabilityTest, the_leader_metric_follows_the_lease) {
  const auto master = [this] {
    return manager.metrics().expose().find("leader_election_master_status{name=\"reprise-operator\"} 1") !=
           std::string::npos;
  };
  EXPECT_FALSE(master());
  run();
  EXPECT_TRUE(master());
  lease_status = 500;
  executor.advance(seconds(11));
  EXPECT_FALSE(master());
}

}  // namespace
}  // namespace reprise::runtime
