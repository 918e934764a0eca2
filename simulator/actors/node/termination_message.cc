#include "simulator/actors/node/termination_message.h"

#include <algorithm>

#include "runtime/base/utf8_cut.h"

namespace reprise::simulator {
namespace {

constexpr std::size_t kMostOfContainer = 4096, kMostOfPod = std::size_t{12} << 10U;

}  // namespace

std::string_view reported_message(const Value& pod, std::string_view message) {
  std::size_t entries = 0;
  for (const char* part : {"containers", "initContainers", "ephemeralContainers"})
    entries += array(pod, {"spec", part}).size();
  return runtime::utf8_cut(message, std::min(kMostOfContainer, kMostOfPod / std::max<std::size_t>(entries, 1)));
}

}  // namespace reprise::simulator
