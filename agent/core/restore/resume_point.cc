#include "agent/core/restore/resume_point.h"

#include "agent/json/json.h"

namespace reprise::agent {

std::string encode_resume_point(const ResumePoint& point) {
  boost::json::object object{{"jobUid", point.job_uid}, {"attempt", point.attempt}, {"podUid", point.pod_uid}};
  object["step"] = nullptr;
  object["path"] = nullptr;
  if (point.step) {
    object["step"] = *point.step;
    object["path"] = point.path;
  }
  if (!point.rejection.empty()) object["refusal"] = point.rejection;
  if (!point.reason.empty()) object["reason"] = point.reason;
  if (point.keeps_proofs) object["keepsProofs"] = true;
  return to_text(object);
}

std::optional<ResumePoint> decode_resume_point(std::string_view text) {
  const auto object = parse_object(text);
  if (!object) return std::nullopt;
  const auto job_uid = text_of(*object, "jobUid");
  const auto attempt = number_of(*object, "attempt");
  if (!job_uid || !attempt) return std::nullopt;
  ResumePoint point;
  point.job_uid = *job_uid;
  point.attempt = static_cast<std::int32_t>(*attempt);
  point.pod_uid = text_of(*object, "podUid").value_or("");
  point.step = number_of(*object, "step");
  point.path = text_of(*object, "path").value_or("");
  point.rejection = text_of(*object, "refusal").value_or("");
  point.reason = text_of(*object, "reason").value_or("");
  point.keeps_proofs = flag_of(*object, "keepsProofs").value_or(false);
  if (point.step.has_value() == point.path.empty()) return std::nullopt;
  return point;
}

}  // namespace reprise::agent
