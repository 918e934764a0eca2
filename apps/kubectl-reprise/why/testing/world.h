// A small cluster as texts that the API server would give, and the tables of findings in it.
//
// A job `vision/finetune` of two ranks in pool `t4`, whose two pods run on node `gpu-1`, waits for its start at noon; a
// row names the differences.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "apps/kubectl-reprise/why/explain.h"

namespace reprise::plugin::why::testing {

inline constexpr std::string_view kNow = "2026-11-23T12:00:00Z";

struct Row {
  std::string sentence;
  std::vector<std::string> objects;  // YAML; each takes the place of the one of its kind and name
  Cause cause;
  std::string object;                // the object that blocks: "Pod vision/finetune-1-1"
  std::string found;                 // a part of the finding
  std::string to_do;                 // a part of its remedy
  std::vector<std::string> without;  // "Lease", "PersistentVolumeClaim": kinds of which there is nothing
};

[[nodiscard]] Objects world(const std::vector<std::string>& objects, const std::vector<std::string>& without = {});
// The same about the pool, without the job.
[[nodiscard]] Objects world_of_pool(const std::vector<std::string>& objects);
[[nodiscard]] Explanation explain_at_noon(const Objects& objects);
// Fails for each row whose explanation differs from it.
void expect_all(const std::vector<Row>& rows);

// ---- objects

[[nodiscard]] std::string in_quotes(std::string_view text);
// "{type: Stalled, status: ..., ...}", since 11:00
[[nodiscard]] std::string condition(std::string_view type, std::string_view status, std::string_view reason,
                                    std::string_view message);
[[nodiscard]] std::string job(const std::string& conditions, const std::string& more_status = {});
[[nodiscard]] std::string stalled(std::string_view reason, std::string_view message);
[[nodiscard]] std::string waiting(std::string_view reason, std::string_view message);
// The job of which all pods are ready.
[[nodiscard]] std::string running(const std::string& more_status = {});
[[nodiscard]] std::string pool(const std::string& conditions);
// finetune-1-1
[[nodiscard]] std::string pod(const std::string& status, const std::string& spec = "nodeName: gpu-1",
                              const std::string& meta = {});
[[nodiscard]] std::string waiting_container(std::string_view reason, std::string_view message);
[[nodiscard]] std::string ended_container(std::string_view list, std::string_view name, int exit_code,
                                          std::string_view reason);
[[nodiscard]] std::string unscheduled(std::string_view message, std::string_view created = "2026-11-23T11:50:00Z");
[[nodiscard]] std::string event(std::string_view kind, std::string_view name, std::string_view reason,
                                std::string_view message, std::string_view source = "kubelet",
                                std::string_view last = "2026-11-23T11:59:00Z");
[[nodiscard]] std::string claim(const std::string& spec, std::string_view phase, const std::string& meta = {});
[[nodiscard]] std::string node_claim(std::string_view created, const std::string& conditions);
[[nodiscard]] std::string node_pool(const std::string& conditions, std::string_view used = "0",
                                    std::string_view name = "t4-spot");

// ---- tables

[[nodiscard]] std::vector<Row> rows_about_operator();
[[nodiscard]] std::vector<Row> rows_about_jobs();
[[nodiscard]] std::vector<Row> rows_about_creation();
[[nodiscard]] std::vector<Row> rows_about_pods();
[[nodiscard]] std::vector<Row> rows_about_scheduling();
[[nodiscard]] std::vector<Row> rows_about_machines();
[[nodiscard]] std::vector<Row> rows_about_pools();

}  // namespace reprise::plugin::why::testing
