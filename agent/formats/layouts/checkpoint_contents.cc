#include "agent/formats/layouts/checkpoint_contents.h"

#include <algorithm>
#include <array>

#include "agent/formats/structure/arrays/safetensors.h"
#include "agent/formats/structure/torch/torch_file.h"

namespace reprise::agent {
namespace {

constexpr std::array<std::string_view, 4> kTorchFiles{".pt", ".pth", ".bin", ".ckpt"};

bool ends_with_one_of(std::string_view name, const auto& endings) {
  return std::ranges::any_of(endings, [&](std::string_view ending) { return name.ends_with(ending); });
}

}  // namespace

runtime::Result<Entries> entries_of(const VolumeFiles& files, const std::filesystem::path& directory) {
  auto listed = files.list_infos(directory);
  if (!listed) return std::unexpected(listed.error());
  Entries entries;
  for (EntryInfo& each : *listed) entries.emplace_hint(entries.end(), std::move(each.name), each.info);
  return entries;
}

const FileInfo* CheckpointContents::file(std::string_view entry) const {
  const auto found = entries.find(entry);
  return found != entries.end() && found->second.kind == FileInfo::Kind::File ? &found->second : nullptr;
}

bool CheckpointContents::has_directory(std::string_view entry) const {
  const auto found = entries.find(entry);
  return found != entries.end() && found->second.kind == FileInfo::Kind::Directory;
}

CheckedFile CheckpointContents::checked(std::string_view entry) const {
  const FileInfo* info = file(entry);
  return {.files = files,
          .path = path / entry,
          .name = below + std::string(entry),
          .size = info == nullptr ? 0 : info->size};
}

runtime::Result<CheckpointContents> CheckpointContents::inside(std::string_view directory) const {
  auto found = entries_of(files, path / directory);
  if (!found) return std::unexpected(found.error());
  return CheckpointContents{.files = files,
                            .path = path / directory,
                            .name = std::string(directory),
                            .itself = {.kind = FileInfo::Kind::Directory},
                            .entries = std::move(*found),
                            .below = below + std::string(directory) + "/",
                            .held = held};
}

std::optional<Flaw> missing(const CheckpointContents& contents, std::string_view entry) {
  const FileInfo* info = contents.file(entry);
  const std::string name = contents.below + std::string(entry);
  if (info == nullptr) return Flaw{.kind = FlawKind::Incomplete, .reason = name + ": is not there"};
  if (info->size == 0) return Flaw{.kind = FlawKind::Incomplete, .reason = name + ": is empty"};
  return std::nullopt;
}

std::optional<Flaw> missing_by_name(const CheckpointContents& contents, std::string_view entry) {
  auto flaw = missing(contents, entry);
  if (flaw) flaw->by_name = !contents.entries.contains(entry);
  return flaw;
}

Flawed check_structure(const CheckpointContents& contents, std::string_view entry) {
  const bool safetensors = entry.ends_with(".safetensors");
  if (!safetensors && !ends_with_one_of(entry, kTorchFiles)) return std::nullopt;
  if (contents.has_directory(entry)) return std::nullopt;
  if (auto flaw = missing(contents, entry)) return flaw;
  const CheckedFile file = contents.checked(entry);
  auto flaw = safetensors ? check_safetensors(file) : check_torch_file(file);
  if (!flaw && flaw.error().error_class == runtime::ErrorClass::Forbidden)
    return Flaw{.kind = FlawKind::Corrupt, .reason = file.name + ": may not be read", .unread = true};
  return flaw;
}

Flawed check_all(const CheckpointContents& contents, const std::set<std::string, std::less<>>& not_needed) {
  for (const auto& [name, info] : contents.entries) {
    if (not_needed.contains(name)) continue;
    auto flaw = check_structure(contents, name);
    if (!flaw || *flaw) return flaw;
  }
  return std::nullopt;
}

}  // namespace reprise::agent
