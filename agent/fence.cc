#include "agent/fence.h"

#include "agent/json.h"

namespace reprise::agent {

std::string encode_fence(const Fence& fence) {
  return to_text({{"jobUid", fence.job_uid}, {"attempt", fence.attempt}});
}

std::optional<Fence> decode_fence(std::string_view text) {
  const auto object = parse_object(text);
  if (!object) return std::nullopt;
  const auto job_uid = text_of(*object, "jobUid");
  const auto attempt = number_of(*object, "attempt");
  if (!job_uid || !attempt) return std::nullopt;
  return Fence{.job_uid = *job_uid, .attempt = static_cast<std::int32_t>(*attempt)};
}

std::string FenceJudge::judge(const std::optional<Fence>& fence) {
  if (!fence) return {};
  if (fence->job_uid == self_.job_uid) {
    own_seen_ = true;
    if (fence->attempt <= self_.attempt) return {};
    return "attempt " + std::to_string(fence->attempt) + " of this job owns the volume; this is attempt " +
           std::to_string(self_.attempt);
  }
  if (!own_seen_) return {};
  return "another job (UID " + fence->job_uid + ") has taken over the volume";
}

runtime::Result<std::optional<Fence>> read_fence(const VolumeFiles& files, const VolumeLayout& layout) {
  const auto text = files.read(layout.fence());
  if (!text) return std::unexpected(text.error());
  return *text ? decode_fence(**text) : std::nullopt;
}

runtime::Result<void> raise_fence(const VolumeFiles& files, const VolumeLayout& layout, const Identity& self) {
  const auto fence = read_fence(files, layout);
  if (!fence) return std::unexpected(fence.error());
  if (*fence && (*fence)->job_uid == self.job_uid && (*fence)->attempt >= self.attempt) return {};
  return files.write(layout.fence(), encode_fence({.job_uid = self.job_uid, .attempt = self.attempt}), Sync::Yes);
}

}  // namespace reprise::agent
