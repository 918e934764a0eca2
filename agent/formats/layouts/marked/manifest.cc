#include "agent/formats/layouts/marked/manifest.h"

#include <algorithm>
#include <array>
#include <string>

#include "agent/formats/checkpoint_name.h"
#include "agent/formats/layouts/marked/marker.h"
#include "agent/formats/layouts/parts_by_name.h"
#include "agent/formats/structure/read_through.h"
#include "agent/formats/structure/sha256.h"
#include "agent/formats/structure/state_file.h"

namespace reprise::agent {
namespace {

constexpr std::array<std::string_view, 2> kLists{"SHA256SUMS", "manifest.sha256"};
// A list that was cut off between two lines names fewer files than there are.
constexpr std::array<std::string_view, 10> kWithWeights{".safetensors", ".distcp", ".pt",  ".pth", ".bin",
                                                        ".ckpt",        ".npz",    ".npy", ".h5",  ".msgpack"};
constexpr std::string_view kSumOfNothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

runtime::Result<bool> has_sum(const CheckedFile& file, const std::string& sum) {
  Sha256 found;
  const auto flaw = read_through(file, [&](std::string_view bytes) { found.add(bytes); });
  if (!flaw) return std::unexpected(flaw.error());
  return !*flaw && found.hex() == sum;
}

}  // namespace

std::string_view list_of_sums_in(const CheckpointContents& contents) {
  const auto found =
      std::ranges::find_if(kLists, [&](std::string_view name) { return contents.entries.contains(name); });
  return found == kLists.end() ? std::string_view() : *found;
}

runtime::Result<std::optional<SumList>> sum_list_in(const CheckpointContents& contents) {
  const std::string_view name = list_of_sums_in(contents);
  if (name.empty()) return std::nullopt;
  if (auto flaw = missing(contents, name)) return SumList{.flaw = std::move(flaw), .sums = {}};
  auto list = read_sum_list(contents.checked(name));
  if (!list) return std::unexpected(list.error());
  return *std::move(list);
}

Flawed ManifestLayout::check_named(const CheckpointContents& contents, const SumList& list) const {
  for (const auto& [name, sum] : list.sums) {
    const auto info = contents.files.look(contents.path / name, Links::Follow);
    if (!info) return std::unexpected(info.error());
    if (!*info || (*info)->kind != FileInfo::Kind::File) return incomplete(name + ": is not there");
    if ((*info)->size == 0 && sum != kSumOfNothing) return incomplete(name + ": is empty");
  }
  for (const auto& [name, info] : contents.entries) {
    const bool weights = std::ranges::any_of(kWithWeights, [&](auto ending) { return name.ends_with(ending); });
    const auto sum = list.sums.find(name);
    if (weights && sum == list.sums.end()) return incomplete(name + ": is there and not in the list of sums");
    if (sum == list.sums.end() || info.size == 0) continue;  // the sum of no bytes is right
    // Raw bytes may be called so ("tokens.bin").
    const CheckedFile file = contents.checked(name);
    auto flaw = name.ends_with(".bin") ? check_state_file(file) : check_structure(contents, name);
    if (!flaw || (*flaw && (*flaw)->unread)) return flaw;
    if (!*flaw) continue;
    const auto path = contents.path / name / sum->second;
    if (with_sums_.has(path, info)) continue;
    if (without_sums_.has(path, info)) return flaw;
    const auto has = has_sum(file, sum->second);
    if (!has) return std::unexpected(has.error());
    (*has ? with_sums_ : without_sums_).add(path, info);
    if (!*has) return flaw;
  }
  return std::nullopt;
}

std::optional<std::int64_t> ManifestLayout::recognise(const CheckpointContents& contents) const {
  if (contents.itself.kind != FileInfo::Kind::Directory) return std::nullopt;
  const bool is_named_so = names_checkpoint(contents.name), is_listed = !list_of_sums_in(contents).empty();
  if (takes_ == Takes::Named) return is_named_so || is_listed ? step_of(contents.name) : std::nullopt;
  // Data sets come with sums, too, and whoever sets a mark has said by it what is complete.
  return is_named_so && is_listed && !bears_mark(contents) ? step_of(contents.name) : std::nullopt;
}

runtime::Result<Judgement> ManifestLayout::judge(const CheckpointContents& contents) const {
  const std::string_view name = list_of_sums_in(contents);
  const auto list = sum_list_in(contents);
  if (!list) return std::unexpected(list.error());
  if (!*list) return Judgement{.flaw = Flaw{FlawKind::Incomplete, "SHA256SUMS: is not there, and no manifest.sha256"}};
  if ((*list)->flaw) return Judgement{.flaw = (*list)->flaw};
  const auto flaw = check_named(contents, **list);
  if (!flaw) return std::unexpected(flaw.error());
  if (*flaw) return Judgement{.flaw = *flaw};
  PartsByName listed;
  for (const auto& [path, sum] : (*list)->sums)
    if (is_named_as_state(path)) listed.add(path);
  return Judgement{.completed = contents.file(name)->modified,
                   .mark = std::string(name),
                   .state = listed.kinds(),
                   .needs_reading = true};
}

}  // namespace reprise::agent
