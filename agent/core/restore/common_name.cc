#include "agent/core/restore/common_name.h"

#include <algorithm>
#include <vector>

#include "agent/formats/name_numbers.h"
#include "protocol/common_checkpoint.h"

namespace reprise::agent {
namespace {

// Most ranks that a number without a word may count: "step_100_3.pt". Higher ones are times and dates.
constexpr std::int64_t kMostRanks = 10'000;

// A file's other number without a word tells ranks apart beside a number that is said to be a step.
bool is_bare_rank(const NameNumber& number, bool step_is_said) {
  return step_is_said && number.counts == NameNumber::Counts::Bare && number.value && *number.value < kMostRanks;
}

bool is_address(const NameNumber& number) {
  return number.points == 3;
}

}  // namespace

std::string name_in_common(std::string_view path) {
  const auto numbers = numbers_in(path);
  const std::size_t slash = path.rfind('/');
  const std::size_t file = slash == std::string_view::npos ? 0 : slash + 1;
  const bool step_is_said = std::ranges::any_of(
      numbers, [&](const NameNumber& each) { return each.begin >= file && each.counts == NameNumber::Counts::Steps; });
  std::string name;
  std::size_t copied = 0;
  for (const NameNumber& each : numbers) {
    const bool of_rank = each.counts == NameNumber::Counts::Parts || is_address(each) ||
                         is_bare_rank(each, step_is_said && each.begin >= file);
    if (!of_rank) continue;
    name.append(path.substr(copied, each.begin - copied)).append("@");
    copied = each.end;
  }
  return name.append(path.substr(copied));
}

std::uint64_t fingerprint_in_common(std::string_view path) {
  return protocol::fingerprint(name_in_common(path));
}

std::string told_in_common(std::string_view path) {
  const std::string name = name_in_common(path);
  return name == path ? std::string() : protocol::encode_fingerprint(protocol::fingerprint(name));
}

}  // namespace reprise::agent
