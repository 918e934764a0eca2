#include "agent/process/opened_volume.h"

#include <utility>

#include "agent/core/aside/volume_scan.h"
#include "agent/process/posix_volume.h"

namespace reprise::agent {

std::optional<OpenedVolume> open_volume(Host& host) {
  auto env = read_environment(process_environment);
  if (!env) {
    host.say(env.error().message);
    return std::nullopt;
  }
  auto format = make_format(env->format, parts_held(*env));
  if (!format) {
    host.say(format.error().message);
    return std::nullopt;
  }
  auto calls = std::make_shared<VolumeCalls>(ToldOfVolume{.type = env->volume_type, .trusts_sync = env->trusts_sync});
  auto volume = posix_volume(env->checkpoint_dir, *std::move(format), std::move(calls), env->pod_uid);
  return OpenedVolume{.env = *std::move(env), .volume = std::move(volume)};
}

}  // namespace reprise::agent
