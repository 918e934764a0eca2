#include "agent/formats/layouts/last_file.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "agent/formats/checkpoint_name.h"
#include "agent/formats/layouts/plain/plain_file.h"
#include "agent/formats/names/name_words.h"
#include "agent/formats/structure/torch/saved_object.h"
#include "agent/formats/structure/torch/torch_file.h"
#include "agent/formats/verify/lost_bytes.h"

namespace reprise::agent {
namespace {

using runtime::Result;

// The longer ones first.
constexpr std::array<std::string_view, 4> kEndingsOfLast{".pth.tar", ".pt.tar", ".pth", ".pt"};

std::string_view ending_of_last(std::string_view file) {
  for (const std::string_view ending : kEndingsOfLast)
    if (file.size() > ending.size() && file.ends_with(ending)) return ending;
  return {};
}

// Counts of steps or epochs, by the keys that lead to them: "epoch", "optimizer_history/num_updates".
using ObjectCounts = std::map<std::string, std::int64_t>;
constexpr int kDeepestCount = 3;
constexpr std::size_t kMostItems = 64;  // more are a model, or what an optimizer keeps of it

bool counts_saves(std::string_view key) {
  constexpr std::string_view kUpdates = "updates";
  return std::ranges::any_of(parts_of_name(key), [&](const NamePart& part) {
    const WordFor meaning = meaning_of(part.text);
    return part.text == kUpdates || meaning == WordFor::Steps || meaning == WordFor::Epochs;
  });
}

// NOLINTNEXTLINE(misc-no-recursion): no deeper than kDeepestCount
void add_counts(const Pickle& pickle, std::size_t at, const std::string& before, int depth, ObjectCounts& counts) {
  const PickleNode& node = pickle[at];
  const bool is_sequence = node.kind == PickleNode::Kind::Sequence;
  if (depth > kDeepestCount || node.items.empty() || node.items.size() > 2 * kMostItems) return;
  if (is_sequence) return add_counts(pickle, node.items.back(), before, depth + 1, counts);  // as it is now
  if (node.kind != PickleNode::Kind::Mapping) return;
  for (std::size_t each = 0; each + 1 < node.items.size(); each += 2) {
    const PickleNode& key = pickle[node.items[each]];
    const PickleNode& value = pickle[node.items[each + 1]];
    if (key.kind != PickleNode::Kind::Text) continue;
    const std::string path = before + std::string(key.text);
    if (value.kind == PickleNode::Kind::Number && counts_saves(key.text)) counts.emplace(path, value.number);
    add_counts(pickle, node.items[each + 1], path + "/", depth + 1, counts);
  }
}

std::set<std::string_view> keys_of(const Pickle& pickle) {
  std::set<std::string_view> keys;
  const auto& items = pickle.front().items;
  if (pickle.front().kind == PickleNode::Kind::Mapping)
    for (std::size_t each = 0; each + 1 < items.size(); each += 2) keys.insert(pickle[items[each]].text);
  return keys;
}

// The object in a whole file; empty: it is not whole, or nobody knows.
Result<std::optional<SavedObject>> object_in(const CheckedFile& file) {
  const auto flaw = check_torch_file(file);
  if (!flaw) return std::unexpected(flaw.error());
  return *flaw ? Result<std::optional<SavedObject>>(std::nullopt) : read_saved_object(file);
}

struct NumberedFile {
  std::string name;
  std::int64_t number = 0;
};
Result<std::vector<NumberedFile>> numbered_beside(const CheckpointContents& contents) {
  const auto beside = contents.files.list_entries(contents.path.parent_path());
  if (!beside) return std::unexpected(beside.error());
  const std::string_view ending = ending_of_last(contents.name);
  std::vector<NumberedFile> numbered;
  for (const DirectoryEntry& each : *beside) {
    if (each.kind != FileInfo::Kind::File || ending_of_last(each.name) != ending) continue;
    const std::string_view stem = std::string_view(each.name).substr(0, each.name.size() - ending.size());
    const auto number = names_checkpoint(stem) ? step_of(stem) : std::nullopt;
    if (number) numbered.push_back({.name = each.name, .number = *number});
  }
  std::ranges::sort(numbered, std::ranges::greater(), &NumberedFile::number);
  return numbered;
}

// The count that `last` holds where `other` holds its own number; the shortest way to it tells.
std::optional<std::int64_t> counted_alike(const Pickle& last, const Pickle& other, std::int64_t number) {
  if (keys_of(last) != keys_of(other)) return std::nullopt;
  ObjectCounts of_last, of_other;
  add_counts(last, 0, "", 0, of_last);
  add_counts(other, 0, "", 0, of_other);
  std::optional<std::pair<std::string, std::int64_t>> nearest;
  for (const auto& [path, value] : of_other) {
    const auto same = of_last.find(path);
    if (value != number || same == of_last.end()) continue;
    if (!nearest || std::ranges::count(path, '/') < std::ranges::count(nearest->first, '/')) nearest = *same;
  }
  return nearest ? std::optional(nearest->second) : std::nullopt;
}

Result<std::optional<std::int64_t>> step_by_others(const CheckpointContents& contents, const Pickle& last,
                                                   const std::vector<NumberedFile>& numbered) {
  constexpr std::size_t kMostRead = 3;
  std::size_t read = 0;
  for (const NumberedFile& each : numbered) {
    if (read++ == kMostRead) break;
    const auto path = contents.path.parent_path() / each.name;
    const auto info = contents.files.look(path, Links::Stay);
    if (!info && says_lost(info.error())) continue;
    if (!info) return std::unexpected(info.error());
    if (!*info) continue;
    const auto other = object_in({.files = contents.files, .path = path, .name = each.name, .size = (*info)->size});
    if (!other && (says_lost(other.error()) || other.error().error_class == runtime::ErrorClass::NotFound)) continue;
    if (!other) return std::unexpected(other.error());
    if (!*other) continue;
    if (const auto step = counted_alike(last, (*other)->nodes, each.number)) return step;
  }
  return std::nullopt;
}

}  // namespace

bool is_named_last(std::string_view file) {
  const std::string_view ending = ending_of_last(file);
  if (ending.empty() || !names_rolling_file(file)) return false;
  const auto parts = parts_of_name(file.substr(0, file.size() - ending.size()));
  const auto says_last = [](const NamePart& part) { return part.text == "last" || part.text == "latest"; };
  return std::ranges::any_of(parts, says_last) && std::ranges::none_of(parts, &NamePart::is_number);
}

Result<Judgement> judge_last_file(const CheckpointContents& contents, PassedFiles& passed_over) {
  const Judgement not_known{.is_somebody_elses = true};
  const auto numbered = numbered_beside(contents);
  if (!numbered) return std::unexpected(numbered.error());
  if (numbered->empty()) return not_known;
  const auto seen = contents.path / numbered->front().name;
  if (passed_over.has(seen, contents.itself)) return not_known;
  const CheckedFile file{
      .files = contents.files, .path = contents.path, .name = contents.name, .size = contents.itself.size};
  const auto last = object_in(file);
  if (!last) return std::unexpected(last.error());
  std::optional<std::int64_t> step;
  if (*last && names_optimizer((*last)->nodes)) {
    const auto told = step_by_others(contents, (*last)->nodes, *numbered);
    if (!told) return std::unexpected(told.error());
    step = *told;
  }
  if (step) return Judgement{.completed = contents.itself.modified, .step = step};
  passed_over.add(seen, contents.itself);
  return not_known;
}

}  // namespace reprise::agent
