// The manifests of a rehearsal: reads them from files, and makes those that are missing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/error.h"
#include "simulator/base/json.h"

namespace reprise::rehearsal {

struct YamlDocument {
  std::string text;
  int first_line = 1;  // in its file
  friend bool operator==(const YamlDocument&, const YamlDocument&) = default;
};

// The documents of a YAML file, without empty ones.
[[nodiscard]] std::vector<YamlDocument> documents_of(std::string_view yaml);

// The fields of a job that a rehearsal has to know, as the user wrote them; what the schema defaults is defaulted here
// too.
struct RehearsedJob {
  simulator::Value object;  // to be created
  std::string namespace_, name;
  std::int64_t parallelism = 1, grace_seconds = 110, gpus = 0;  // gpus: of one rank
  std::string checkpoint_path, claim, format = "Auto";
  std::int64_t claim_bytes = 0;  // 0: it does not say
  bool per_index = false, notice_by_request = false;
  std::string image;
  std::vector<std::string> notes = {};  // parts of it that a rehearsal leaves out

  [[nodiscard]] std::string key() const { return namespace_ + "/" + name; }
  // The claim of rank `index`, as the operator names it.
  [[nodiscard]] std::string claim_of(std::int64_t index) const;
};

// Removes the label kueue.x-k8s.io/queue-name, since a rehearsal has no queues. True: there was one.
bool leave_queue(simulator::Value& job);

// Invalid: names the field, what was found and what to do. Without a poolName the job gets `pool`.
[[nodiscard]] runtime::Result<RehearsedJob> read_job(std::string_view yaml, std::string_view pool);
// A claim of the job's cluster; only its name is known here.
[[nodiscard]] simulator::Value claim_named(std::string_view namespace_, std::string_view name);
// The claim that the job names in spec.checkpoint.volume.claimName; empty: it names none.
[[nodiscard]] std::optional<simulator::Value> named_claim(const RehearsedJob& job);
// A pool that fits the jobs: spot nodes with enough GPUs for each rank, as many as there are ranks, twice over.
[[nodiscard]] simulator::Value pool_for(std::string_view name, const std::vector<RehearsedJob>& jobs,
                                        std::int64_t notice_seconds);

}  // namespace reprise::rehearsal
