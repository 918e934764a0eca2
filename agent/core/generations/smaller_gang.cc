#include "agent/core/generations/smaller_gang.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "agent/formats/name_numbers.h"
#include "agent/formats/names/name_words.h"

namespace reprise::agent {
namespace {

constexpr std::array<std::string_view, 4> kMachines{"node", "host", "machine", "pod"};
constexpr std::array<std::string_view, 8> kProcesses{"rank", "worker",  "process", "proc",
                                                     "gpu",  "replica", "cuda",    "device"};
constexpr std::array<std::string_view, 13> kOfModels{
    "mp", "tp", "pp", "cp", "ep", "sp", "model", "expert", "expp", "tensor", "pipeline", "parallel", "stage"};

enum class Tells { Machines, Processes, Something };

bool is_in(const auto& table, std::string_view word) {
  return std::ranges::find(table, word) != table.end();
}

// The meaning by the words in front of it: "mp_rank_01" is of a model.
Tells told_by(const std::vector<NamePart>& parts, const NameNumber& number) {
  constexpr std::size_t kPointsOfAddress = 3;
  if (number.points == kPointsOfAddress) return Tells::Machines;
  const auto at = std::ranges::find(parts, number.begin, &NamePart::begin);
  if (at == parts.end() || at == parts.begin()) return Tells::Something;
  const NamePart& before = *(at - 1);
  if (before.is_number) return number.counts == NameNumber::Counts::Bare ? Tells::Processes : Tells::Something;
  if (is_in(kMachines, before.text)) return Tells::Machines;
  const bool is_of_model = at - parts.begin() > 1 && is_in(kOfModels, (at - 2)->text);
  return is_in(kProcesses, before.text) && !is_of_model ? Tells::Processes : Tells::Something;
}

// "node0/rank3": of two numbers the processes count.
Tells told_apart_by(const std::string& one, const std::string& other) {
  const auto ones = numbers_in(one), others = numbers_in(other);
  if (ones.size() != others.size()) return Tells::Something;
  const auto parts = parts_of_name(one);
  std::optional<Tells> by;
  for (std::size_t at = 0; at < ones.size(); ++at) {
    const NameNumber &mine = ones[at], &theirs = others[at];
    const auto text = [](const std::string& name, const NameNumber& number) {
      return std::string_view(name).substr(number.begin, number.end - number.begin);
    };
    if (text(one, mine) == text(other, theirs)) continue;
    const Tells tells = told_by(parts, mine);
    if (tells == Tells::Something) return tells;
    if (!by || tells == Tells::Processes) by = tells;
  }
  return by.value_or(Tells::Something);
}

std::optional<std::int64_t> parts_of_gang(const PartsBefore& before, GangSize now) {
  const Tells tells = told_apart_by(before.one, before.other);
  if (tells == Tells::Something || now.ranks <= 0 || now.devices <= 0) return std::nullopt;
  const std::int64_t parts = tells == Tells::Machines ? now.ranks : std::int64_t{now.ranks} * now.devices;
  return parts < before.count ? std::optional(parts) : std::nullopt;
}

// The gang's size by its pods, or by all of its GPUs; 0: not known.
std::int64_t size_by(Tells tells, GangSize gang, bool by_pods) {
  return tells == Tells::Machines || by_pods ? gang.ranks : std::int64_t{gang.ranks} * gang.devices;
}

}  // namespace

std::optional<std::int64_t> parts_of_smaller_gang(const PartsBefore& before, GangSize now) {
  if (before.gang == GangSize{}) return parts_of_gang(before, now);
  const bool is_smaller = now.ranks > 0 && now.ranks < before.gang.ranks && now.devices == before.gang.devices;
  if (!is_smaller || before.count <= 0 || before.count % before.gang.ranks != 0) return std::nullopt;
  const Tells tells = told_apart_by(before.one, before.other);
  if (tells == Tells::Something) return std::nullopt;
  const std::int64_t of_each = before.count / before.gang.ranks;
  const std::int64_t expected = tells == Tells::Machines ? 1 : now.devices > 0 ? now.devices : of_each;
  return of_each == expected ? std::optional(of_each * now.ranks) : std::nullopt;
}

std::optional<NumberedBy> numbered_by(std::string_view name) {
  const auto parts = parts_of_name(name);
  std::optional<NumberedBy> by;
  for (const NameNumber& number : numbers_in(name)) {
    const bool is_said = number.counts != NameNumber::Counts::Bare && number.value;
    const Tells tells = is_said ? told_by(parts, number) : Tells::Something;
    const bool is_process = tells == Tells::Processes;
    if (tells != Tells::Something && (!by || is_process)) by = {.number = *number.value, .is_process = is_process};
  }
  return by;
}

bool may_have_fewer_parts(const PartsBefore& before, GangSize now) {
  const Tells tells = told_apart_by(before.one, before.other);
  if (tells == Tells::Something) return true;
  const bool by_pods = now.devices == 0 && before.gang.devices == 0 && before.count == before.gang.ranks;
  const std::int64_t size = size_by(tells, now, by_pods), size_before = size_by(tells, before.gang, by_pods);
  return size == 0 || size_before == 0 || size < size_before;
}

std::optional<std::int64_t> parts_of_larger_gang(const PartsBefore& before, GangSize now) {
  const auto by = numbered_by(before.one);
  const bool is_larger = before.gang.ranks > 0 && before.gang.processes() < now.processes();
  const bool is_known_alike = (before.gang.devices > 0) == (now.devices > 0);
  if (!by || !is_larger || !is_known_alike) return std::nullopt;
  const bool has_each_pod = before.count % before.gang.ranks == 0;
  const std::int64_t of_each = before.count / before.gang.ranks;
  if (!has_each_pod || of_each == 0) return std::nullopt;
  if (of_each == 1) return now.ranks;
  const bool has_each_device = by->is_process && of_each == before.gang.devices;
  return has_each_device ? std::optional(std::int64_t{now.ranks} * now.devices) : std::nullopt;
}

bool may_be_all_ranks(const NumberedParts& parts, GangSize gang) {
  const auto& numbers = parts.numbers;
  if (gang.ranks == 0 || numbers.empty()) return true;
  const bool begins_late = *numbers.begin() > 1;
  const bool has_gap = *numbers.rbegin() - *numbers.begin() >= static_cast<std::int64_t>(numbers.size());
  return parts.count >= gang.ranks && !(parts.are_processes && (begins_late || has_gap));
}

}  // namespace reprise::agent
