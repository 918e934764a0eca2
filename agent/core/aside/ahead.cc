#include "agent/core/aside/ahead.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/core/aside/checkpoint_order.h"
#include "agent/formats/name_numbers.h"

namespace reprise::agent {
namespace {

using runtime::Result;

constexpr std::size_t kMostAhead = 8;

std::int64_t attempt_in(std::string_view aside) {
  std::int64_t attempt = 0;
  aside.remove_prefix(aside.rfind('.') + 1);
  std::from_chars(aside.data(), aside.data() + aside.size(), attempt);
  return attempt;
}

}  // namespace

Result<void> drop_passed(const Volume& volume, const Identity& self, const ResumeChoice& choice,
                         const VolumeScan& scan) {
  const auto names = volume.files.list(volume.layout.ahead());
  if (!names) return std::unexpected(names.error());
  const bool in_order = out_of_order(scan.found, scan.made, self.job_uid).empty();
  Result<void> outcome;
  std::vector<std::string> going, staying;
  for (const std::string& name : *names) {
    const std::string_view without_attempt = std::string_view(name).substr(0, name.rfind('.'));
    if (name.ends_with("." + std::to_string(self.attempt))) continue;
    const auto step = read_save_name(VolumeLayout::path_of_aside(std::string(without_attempt))).step;
    const bool passed = in_order && choice.resume && step && *step < choice.resume->step;
    const bool again = std::ranges::any_of(
        choice.ahead, [&](const std::string& each) { return VolumeLayout::aside(each) == without_attempt; });
    (passed || again ? going : staying).push_back(name);
  }
  std::ranges::sort(staying, std::ranges::greater(), attempt_in);
  if (staying.size() > kMostAhead) going.insert(going.end(), staying.begin() + kMostAhead, staying.end());
  for (const std::string& name : going) {
    auto removed = volume.files.remove_tree(volume.layout.ahead() / name);
    if (!removed && outcome) outcome = removed;
  }
  return outcome;
}

}  // namespace reprise::agent
