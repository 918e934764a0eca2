#include "agent/core/fencing/fence.h"

#include <boost/json/array.hpp>
#include <limits>

#include "agent/json/json.h"

namespace reprise::agent {

namespace {

std::optional<std::int32_t> attempt_in(const boost::json::value& value) {
  if (!value.is_int64() || value.get_int64() <= 0) return std::nullopt;
  if (value.get_int64() > std::numeric_limits<std::int32_t>::max()) return std::nullopt;
  return static_cast<std::int32_t>(value.get_int64());
}

// Empty when it is not there or cannot be understood: then every attempt counts as open.
AttemptSpans decode_open(const boost::json::object& object) {
  const auto* value = object.if_contains("open");
  if (value == nullptr || !value->is_array()) return std::nullopt;
  std::vector<AttemptSpan> spans;
  for (const boost::json::value& each : value->get_array()) {
    if (!each.is_array() || each.get_array().size() != 2) return std::nullopt;
    const auto first = attempt_in(each.get_array()[0]), last = attempt_in(each.get_array()[1]);
    if (!first || !last) return std::nullopt;
    spans.push_back({.first = *first, .last = *last});
  }
  return spans;
}

}  // namespace

std::string encode_fence(const Fence& fence) {
  boost::json::object object{{"jobUid", fence.job_uid}, {"attempt", fence.attempt}};
  if (fence.open) {
    boost::json::array spans;
    for (const AttemptSpan& span : *fence.open) spans.push_back(boost::json::array{span.first, span.last});
    object["open"] = std::move(spans);
  }
  std::string text = to_text(object);
  // The text is as long as the next one, so that a full volume takes it in its place.
  constexpr std::size_t kBlock = 512;
  text.resize((text.size() / kBlock + 1) * kBlock, ' ');
  return text;
}

std::optional<Fence> decode_fence(std::string_view text) {
  const auto object = parse_object(text);
  if (!object) return std::nullopt;
  const auto job_uid = text_of(*object, "jobUid");
  const auto attempt = number_of(*object, "attempt");
  if (!job_uid || !attempt) return std::nullopt;
  return Fence{.job_uid = *job_uid, .attempt = static_cast<std::int32_t>(*attempt), .open = decode_open(*object)};
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
  if (!*text) return std::nullopt;
  auto fence = decode_fence(**text);
  if (fence) return fence;
  return runtime::fail(runtime::ErrorClass::Invalid,
                       layout.fence().string() + " cannot be read: it may be half of a newer attempt's fence. Where " +
                           "nobody writes to the volume any more, delete it");
}

runtime::Result<void> raise_over(const VolumeFiles& files, const VolumeLayout& layout, const Identity& self,
                                 const RaisedOver& over) {
  const auto& found = over.found;
  if (found && found->job_uid == self.job_uid && found->attempt >= self.attempt) return {};
  const Fence own{.job_uid = self.job_uid, .attempt = self.attempt, .open = over.open};
  return files.write(layout.fence(), encode_fence(own), Sync::Yes);
}

runtime::Result<std::optional<Fence>> raise_fence(const VolumeFiles& files, const VolumeLayout& layout,
                                                  const Identity& self, const AttemptSpans& open,
                                                  DamagedFence damaged) {
  auto fence = read_fence(files, layout);
  const bool replaces = damaged == DamagedFence::Replace;
  if (!fence && replaces && fence.error().error_class == runtime::ErrorClass::Invalid) fence = std::optional<Fence>();
  if (!fence) return fence;
  if (auto raised = raise_over(files, layout, self, {.found = *fence, .open = open}); !raised)
    return std::unexpected(raised.error());
  return fence;
}

}  // namespace reprise::agent
