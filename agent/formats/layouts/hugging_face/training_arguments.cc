#include "agent/formats/layouts/hugging_face/training_arguments.h"

#include <algorithm>
#include <string>

#include "agent/formats/structure/little_endian.h"

namespace reprise::agent {
namespace {

constexpr unsigned char kRemember = 'q', kRememberLong = 'r', kByte = 'K', kTwoBytes = 'M', kFourBytes = 'J';
constexpr unsigned char kNewTrue = 0x88;

// "dataset_num_processes" is a field of somebody's own: a text has its length before it.
bool is_whole_text(std::string_view bytes, std::size_t at, std::size_t length) {
  constexpr char kText = 'X';
  constexpr std::size_t kBefore = 5;
  return at >= kBefore && bytes[at - kBefore] == kText && little_endian(bytes, at - kBefore + 1, 4) == length;
}

// The pickle lies in the archive uncompressed: the name of a field, what remembers it, its value. What follows the
// name.
std::string_view value_of(std::string_view bytes, std::string_view field, std::size_t& from) {
  from = bytes.find(field, from);
  while (from != std::string_view::npos && !is_whole_text(bytes, from, field.size()))
    from = bytes.find(field, from + field.size());
  if (from == std::string_view::npos) return {};
  from += field.size();
  std::string_view rest = bytes.substr(from);
  if (rest.empty()) return {};
  const auto opcode = static_cast<unsigned char>(rest.front());
  const std::size_t remembers = opcode == kRemember ? 2 : opcode == kRememberLong ? 5 : 0;
  return rest.substr(std::min(remembers, rest.size()));
}

std::optional<std::int64_t> number_at(std::string_view value) {
  if (value.empty()) return std::nullopt;
  const auto opcode = static_cast<unsigned char>(value.front());
  const std::size_t width = opcode == kByte ? 1 : opcode == kTwoBytes ? 2 : opcode == kFourBytes ? 4 : 0;
  if (width == 0 || value.size() <= width) return std::nullopt;
  return static_cast<std::int64_t>(little_endian(value, 1, width));
}

}  // namespace

runtime::Result<TrainingArguments> read_training_arguments(const CheckpointContents& contents) {
  constexpr std::string_view kOnlyModel = "save_only_model", kRanks = "num_processes";
  constexpr std::size_t kMost = std::size_t{1} << 20U;
  TrainingArguments said;
  if (contents.file(kTrainingArguments) == nullptr) return said;
  const auto bytes = contents.checked(kTrainingArguments).bytes(0, kMost);
  if (!bytes) return std::unexpected(bytes.error());
  std::size_t at = 0;
  const std::string_view only_model = value_of(*bytes, kOnlyModel, at);
  said.saves_only_model = !only_model.empty() && static_cast<unsigned char>(only_model.front()) == kNewTrue;
  for (at = 0; at != std::string::npos && !said.ranks;) said.ranks = number_at(value_of(*bytes, kRanks, at));
  return said;
}

}  // namespace reprise::agent
