#include "agent/core/restore/common_step.h"

#include <algorithm>
#include <string_view>

#include "agent/core/run/annotations.h"
#include "protocol/annotations.h"

namespace reprise::agent {
namespace {

std::optional<protocol::CommonStep> decode(std::string_view quoted) {
  const auto text = unquoted(quoted);
  return text ? protocol::decode_common_step(*text) : std::nullopt;
}

std::string missing(const std::string& what) {
  return "waits for the operator to say from which step all ranks resume: " + what;
}

}  // namespace

SaidStep read_resume_step(const VolumeFiles& files, const std::filesystem::path& annotations) {
  const std::string key(protocol::kResumeStepAnnotation);
  const auto said = read_annotation(files, annotations, key);
  if (!said) return {.common = {}, .why = missing(said.error().message)};
  if (!*said) return {.common = {}, .why = missing("the pod has no annotation " + key + " yet")};
  const auto common = decode(**said);
  if (!common)
    return {.common = {}, .why = missing("annotation " + key + " is " + **said + ", not a step or \"none\"")};
  return {.common = common, .why = {}};
}

void StepOfAll::take(const std::optional<protocol::CommonStep>& common) {
  if (common && common->is_durable) known_ = std::max(known_, common->step);
}

std::optional<std::int64_t> StepOfAll::see(const std::optional<std::string>& said) {
  take(said ? decode(*said) : std::nullopt);
  return known_;
}

std::function<std::optional<std::int64_t>()> follow_step_of_all(
    const Session& session, const std::optional<protocol::CommonStep>& resumed_from) {
  if (!session.env.agrees_on_step()) return {};
  return [volume = session.volume, file = session.env.annotations_file, step = StepOfAll(resumed_from)]() mutable {
    const auto said = read_annotation(volume->files, file, protocol::kCommonStepAnnotation);
    return step.see(said.value_or(std::nullopt));
  };
}

}  // namespace reprise::agent
