// Index 0 tells all ranks of an attempt this: the file .reprise/attempts/<attempt>/resume.json. It belongs to the
// attempt, not to the pod: it is written once, so that all ranks load the same step whenever they ask. A rank accepts
// it when job UID and attempt are its own; no clock is compared.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace reprise::agent {

struct ResumePoint {
  std::string job_uid;
  std::int32_t attempt = 0;
  std::string pod_uid;               // pod of index 0, for people
  std::optional<std::int64_t> step;  // empty: start anew
  std::string path;                  // relative to the volume
  std::string rejection;             // not empty: nobody may start, and why
  std::string reason{};              // reason of a rejection, in one word; empty: CheckpointLost
  bool keeps_proofs = false;         // this attempt's agents write down what they prove (proofs/proven_list.h)
  bool operator==(const ResumePoint&) const = default;
};

[[nodiscard]] std::string encode_resume_point(const ResumePoint& point);
[[nodiscard]] std::optional<ResumePoint> decode_resume_point(std::string_view text);

}  // namespace reprise::agent
