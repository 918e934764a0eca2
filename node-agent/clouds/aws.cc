#include "node-agent/clouds/aws.h"

#include <algorithm>
#include <array>

#include "agent/json/json.h"
#include "node-agent/clouds/cloud_time.h"

namespace reprise::node_agent {
namespace {

using Found = std::expected<std::vector<Notice>, std::string>;

constexpr int kTokenNotTaken = 401;
constexpr std::size_t kLongestWord = 40;
constexpr std::size_t kLongestToken = 1024;
constexpr const char* kTokenSeconds = "21600";  // the most that may be asked for

// Words of the service that go into messages and headers.
std::string plain(std::string text, std::size_t longest) {
  std::erase_if(text, [](unsigned char each) { return each <= 0x20 || each >= 0x7F; });
  return text.substr(0, longest);
}

std::optional<Notice> maintenance_of(const boost::json::value& value, runtime::WallTime now) {
  const auto* event = value.if_object();
  if (event == nullptr || agent::text_of(*event, "State").value_or("active") != "active") return std::nullopt;
  const auto at = parse_cloud_time(agent::text_of(*event, "NotBefore").value_or(""));
  if (!is_near(at, now)) return std::nullopt;
  return Notice{
      .kind = NoticeKind::ScheduledMaintenance,
      .said = "AWS has scheduled " + plain(agent::text_of(*event, "Code").value_or("maintenance"), kLongestWord),
      .at = at};
}

}  // namespace

Found read_instance_action(std::string_view body) {
  const auto object = agent::parse_object(body);
  const auto action = object ? agent::text_of(*object, "action") : std::nullopt;
  constexpr std::array<std::string_view, 3> kKnown{"terminate", "stop", "hibernate"};
  if (!action || std::ranges::find(kKnown, *action) == kKnown.end())
    return std::unexpected("no action is named, must be terminate, stop or hibernate");
  return std::vector{Notice{.kind = NoticeKind::SpotInterruption,
                            .said = "AWS takes this spot machine back (" + *action + ")",
                            .at = parse_cloud_time(agent::text_of(*object, "time").value_or(""))}};
}

Found read_lifecycle_state(std::string_view body) {
  if (body != "Terminated") return std::vector<Notice>{};
  return std::vector{Notice{.kind = NoticeKind::InstanceTermination,
                            .said = "its Auto Scaling group takes this machine away (target-lifecycle-state)"}};
}

Found read_rebalance(std::string_view body) {
  const auto object = agent::parse_object(body);
  const auto time = object ? parse_cloud_time(agent::text_of(*object, "noticeTime").value_or("")) : std::nullopt;
  if (!time) return std::unexpected("no noticeTime is named");
  return std::vector{Notice{
      .kind = NoticeKind::RebalanceRecommendation, .said = "AWS recommends to leave this spot machine", .at = time}};
}

Found read_maintenance(std::string_view body, runtime::WallTime now) {
  const auto events = agent::parse_array(body);
  if (!events) return std::unexpected("it is no list of events");
  std::vector<Notice> found;
  for (const auto& value : *events) {
    if (auto notice = maintenance_of(value, now)) found.push_back(*std::move(notice));
  }
  return found;
}

Seen Aws::look(Metadata& metadata, runtime::WallTime now) {
  for (int attempt = 0;; ++attempt) {
    Look look(metadata);
    if (token_.empty()) {
      const auto token = look.need({.method = "PUT",
                                    .path = "/latest/api/token",
                                    .headers = {{"X-aws-ec2-metadata-token-ttl-seconds", kTokenSeconds}}});
      if (!token) return std::move(look).seen();
      token_ = plain(*token, kLongestToken);
    }
    const bool taken = read_all(look, now);
    if (!taken) token_.clear();
    if (taken || attempt > 0) return std::move(look).seen();
  }
}

bool Aws::read_all(Look& look, runtime::WallTime now) {
  return read(look, "spot/instance-action", read_instance_action) &&
         read(look, "autoscaling/target-lifecycle-state", read_lifecycle_state) &&
         read(look, "events/maintenance/scheduled",
              [now](std::string_view body) { return read_maintenance(body, now); }) &&
         read(look, "events/recommendations/rebalance", read_rebalance);
}

bool Aws::read(Look& look, const char* document, const Reads& reads) {
  return look.read(
             {.path = std::string("/latest/meta-data/") + document, .headers = {{"X-aws-ec2-metadata-token", token_}}},
             reads) != kTokenNotTaken;
}

}  // namespace reprise::node_agent
