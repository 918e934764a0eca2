#include "agent/formats/pieces/begun_attempts.h"

#include <cstddef>
#include <functional>
#include <set>
#include <string>

#include "agent/formats/names/numbers.h"
#include "agent/json/json.h"
#include "agent/volume/volume_layout.h"

namespace reprise::agent {
namespace {

constexpr std::size_t kMostAttempts = 32;  // a job may have thousands

}  // namespace

void read_begun(const VolumeFiles& files, const std::filesystem::path& root, BegunByNumber& known) {
  const VolumeLayout layout{.root = root};
  const auto names = files.list(layout.attempts());
  if (!names) return;
  std::set<std::int64_t, std::greater<>> numbers;
  for (const std::string& name : *names)
    if (const auto number = value_of(name)) numbers.insert(*number);
  std::size_t seen = 0;
  for (const std::int64_t number : numbers) {
    if (++seen > kMostAttempts) return;
    if (known.contains(number)) continue;
    const auto point = layout.resume_point(static_cast<std::int32_t>(number));
    const auto info = files.look(point, Links::Stay);
    const auto text = info && *info ? files.read(point) : std::optional<std::string>();
    const auto object = text && *text ? parse_object(**text) : std::nullopt;
    if (object) known[number] = {.began = (*info)->modified, .resumed_from = number_of(*object, "step")};
  }
}

}  // namespace reprise::agent
