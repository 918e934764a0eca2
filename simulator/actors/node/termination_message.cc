#include "simulator/actors/node/termination_message.h"

#include <algorithm>

namespace reprise::simulator {
namespace {

constexpr std::size_t kMostOfContainer = 4096, kMostOfPod = std::size_t{12} << 10U;

// Half a character would be no JSON.
std::string_view cut_between_characters(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0U) == 0x80U) --most;
  return text.substr(0, most);
}

}  // namespace

std::string_view reported_message(const Value& pod, std::string_view message) {
  std::size_t entries = 0;
  for (const char* part : {"containers", "initContainers", "ephemeralContainers"})
    entries += array(pod, {"spec", part}).size();
  return cut_between_characters(message, std::min(kMostOfContainer, kMostOfPod / std::max<std::size_t>(entries, 1)));
}

}  // namespace reprise::simulator
