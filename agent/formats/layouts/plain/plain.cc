#include "agent/formats/layouts/plain/plain.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "agent/formats/checkpoint_name.h"
#include "agent/formats/layouts/last_file.h"
#include "agent/formats/layouts/marked/marked_files.h"
#include "agent/formats/layouts/parts_by_name.h"
#include "agent/formats/layouts/plain/plain_file.h"
#include "agent/formats/names/name_words.h"
#include "agent/formats/names/numbered_state.h"
#include "agent/formats/names/unjudged_name.h"
#include "agent/formats/structure/state_file.h"
#include "agent/formats/structure/torch/torch_file.h"

namespace reprise::agent {
namespace {

// The longer ones first.
constexpr std::array<std::string_view, 4> kTorchSave{".pth.tar", ".pt.tar", ".pth", ".pt"};
constexpr std::size_t kMostBeside = 16;

// Compares in small letters or capitals.
bool ends_with(std::string_view file, std::string_view ending) {
  return file.size() >= ending.size() &&
         std::ranges::equal(file.substr(file.size() - ending.size()), ending,
                            [](char a, char b) { return a == b || (a >= 'A' && a <= 'Z' && (a | 0x20) == b); });
}

std::optional<std::string_view> stem_of(std::string_view file) {
  for (const std::string_view ending : kTorchSave)
    if (ends_with(file, ending)) return file.substr(0, file.size() - ending.size());
  return std::nullopt;
}

bool is_pickle(std::string_view file) {
  return ends_with(file, ".pkl") || ends_with(file, ".pickle");
}

std::optional<std::string_view> stem_of_pickle(std::string_view file) {
  return file.substr(0, file.rfind('.'));
}

bool holds_state(std::string_view file) {
  return stem_of(file) || ends_with(file, ".safetensors") || ends_with(file, ".bin");
}

// Random numbers of ranks, the place in the data: what no checkpoint is by itself, and none is whole without.
bool is_part_of_state(std::string_view file) {
  return holds_state(file) || is_pickle(file);
}

Flawed check_file(const CheckpointContents& contents, const std::string& name) {
  const bool is_archive = stem_of(name) || ends_with(name, ".bin");
  if (!is_archive) return check_state_file(contents.checked(name));
  if (auto flaw = missing(contents, name)) return flaw;
  return check_torch_file(contents.checked(name));
}

// Adds the files of its directories as well, by their paths. Links are not followed into others.
runtime::Result<void> add_files_below(const CheckpointContents& directory, int depth, Entries& entries) {
  constexpr int kDeepestState = 4;
  for (const auto& [name, info] : directory.entries) {
    if (info.kind == FileInfo::Kind::File && depth > 0 && is_named_as_state(name))
      entries.emplace(directory.below + name, info);
    if (info.kind != FileInfo::Kind::Directory || depth >= kDeepestState) continue;
    const auto itself = directory.files.look(directory.path / name, Links::Stay);
    if (!itself) return std::unexpected(itself.error());
    if (!*itself || (*itself)->kind != FileInfo::Kind::Directory) continue;
    const auto inside = directory.inside(name);
    if (!inside) return std::unexpected(inside.error());
    if (auto added = add_files_below(*inside, depth + 1, entries); !added) return added;
  }
  return {};
}

runtime::Result<CheckpointContents> with_files_below(CheckpointContents contents) {
  Entries entries = contents.entries;
  if (auto added = add_files_below(contents, 0, entries); !added) return std::unexpected(added.error());
  contents.entries = std::move(entries);
  return contents;
}

// True for adapters that tune a model, without an optimizer beside them.
bool holds_adapters_alone(const CheckpointContents& contents) {
  bool any = false;
  for (const auto& [name, info] : contents.entries) {
    if (!holds_state(name)) continue;
    const std::string_view file = last_part(name);
    if (!file.starts_with("adapter_model.") && !file.contains("lora")) return false;
    any = true;
  }
  return any;
}

PartsByName parts_of(const CheckpointContents& contents) {
  PartsByName parts;
  for (const auto& [name, info] : contents.entries)
    if (info.kind != FileInfo::Kind::Directory && is_part_of_state(name)) parts.add(name);
  return parts;
}

// A save that was cut off says nothing about those before it, which would all be torn beside it.
runtime::Result<bool> is_whole_and_has(const CheckpointContents& contents, const PartsByName& others) {
  for (const auto& [name, info] : contents.entries) {
    if (info.kind == FileInfo::Kind::Directory || !is_part_of_state(name)) continue;
    const auto flaw = check_file(contents, name);
    const bool gone = !flaw && flaw.error().error_class == runtime::ErrorClass::NotFound;
    if (!flaw && !gone) return std::unexpected(flaw.error());
    if (gone || *flaw) return false;
  }
  const PartsByName own = parts_of(contents);
  return !own.too_few(contents.held) && !own.lacks_kind(others);
}

runtime::Result<std::optional<CheckpointContents>> look_beside(const CheckpointContents& contents,
                                                               const std::string& name) {
  CheckpointContents there{.files = contents.files,
                           .path = contents.path.parent_path() / name,
                           .name = name,
                           .itself = {.kind = FileInfo::Kind::Directory},
                           .held = contents.held};
  auto inside = entries_of(there.files, there.path);
  if (!inside && says_lost(inside.error())) return std::nullopt;  // another one's loss says nothing of this one
  if (!inside) return std::unexpected(inside.error());
  there.entries = *std::move(inside);
  auto with_all = with_files_below(there);
  if (!with_all && says_lost(with_all.error())) return std::nullopt;
  if (!with_all) return std::unexpected(with_all.error());
  there.entries = std::move(with_all->entries);
  return there;
}

// The first save of a training, cut off between two files: nothing before it tells. What each one but it has, of those
// beside it that are named alike, tells, where the next one is whole. What an older one has is held against it
// elsewhere (Judgement::state).
runtime::Result<std::optional<Flaw>> lacks_what_all_later_ones_have(const CheckpointContents& contents,
                                                                    const PartsByName& own) {
  const auto beside = contents.files.list_entries(contents.path.parent_path());
  if (!beside) return std::unexpected(beside.error());
  const std::string naming = naming_of(contents.name), itself = contents.path.filename().string();
  std::vector<std::string> later;
  for (const DirectoryEntry& other : *beside) {
    if (other.kind != FileInfo::Kind::Directory || other.name == itself || naming_of(other.name) != naming) continue;
    if (step_of(other.name) <= step_of(contents.name)) return std::nullopt;
    later.push_back(other.name);
  }
  if (later.size() > kMostBeside) later.resize(kMostBeside);
  std::optional<Flaw> flaw;
  for (const std::string& other : later) {
    const auto there = look_beside(contents, other);
    if (!there) return std::unexpected(there.error());
    if (!*there) continue;
    const auto lacking = own.lacks_kind(parts_of(**there));
    if (!lacking) return std::nullopt;  // it is not the only one
    const auto counts = is_whole_and_has(**there, own);
    if (!counts && says_lost(counts.error())) continue;
    if (!counts) return std::unexpected(counts.error());
    if (*counts)
      flaw = Flaw{
          .kind = FlawKind::Incomplete, .reason = *lacking + ": is not there, and is in " + other, .by_name = true};
  }
  return flaw;
}

runtime::Result<Judgement> judge_directory(const CheckpointContents& itself, PassedFiles& passed) {
  Judgement judged;
  const auto below = check_files_below(itself, passed);
  if (!below) return std::unexpected(below.error());
  if (*below) return Judgement{.flaw = *below};
  const auto with_all = with_files_below(itself);
  if (!with_all) return std::unexpected(with_all.error());
  const CheckpointContents& contents = *with_all;
  bool any_weights = false;
  for (const auto& [name, info] : contents.entries) {
    if (info.kind == FileInfo::Kind::Directory || !is_named_as_state(name)) continue;
    const auto flaw = check_file(contents, name);
    if (!flaw) return std::unexpected(flaw.error());
    if (*flaw) return Judgement{.flaw = *flaw};
    any_weights = any_weights || holds_state(name);
    if (!is_part_of_state(name) || (!judged.mark.empty() && info.modified <= judged.completed)) continue;
    judged.completed = info.modified;
    judged.mark = name;
  }
  if (!any_weights)
    return Judgement{.flaw = Flaw{FlawKind::Incomplete, "weights: no file of torch.save or safetensors is there"}};
  if (holds_adapters_alone(contents))
    return Judgement{.flaw = Flaw{FlawKind::Incomplete, "optimizer: an adapter alone is there"}};
  const PartsByName parts = parts_of(contents);
  if (const auto too_few = parts.too_few(contents.held))
    return Judgement{.flaw =
                         Flaw{FlawKind::Incomplete, too_few->path + ": there are " + std::to_string(too_few->there) +
                                                        " of " + std::to_string(too_few->needed)}};
  const auto flaw = lacks_what_all_later_ones_have(contents, parts);
  if (!flaw) return std::unexpected(flaw.error());
  judged.flaw = *flaw;
  judged.state = parts.kinds();
  return judged;
}

}  // namespace

bool says_nothing_but_checkpoint(std::string_view name) {
  if (!names_checkpoint(name)) return false;
  bool any = false;
  for (const NamePart& part : parts_of_name(name)) {
    if (part.is_number) continue;
    if (!is_word_for_checkpoint(part.text)) return false;
    any = true;
  }
  return any;
}

std::optional<std::int64_t> PlainLayout::recognise(const CheckpointContents& contents) const {
  const std::string_view name = contents.name;
  const bool any = takes_ == Takes::Directories;
  switch (contents.itself.kind) {
    case FileInfo::Kind::File: {
      if (is_named_by_flax(name) || is_named_by_detectron(name)) return step_of(name);
      if (is_named_last(name)) return 0;
      const auto stem = any && is_pickle(name) ? stem_of_pickle(name) : stem_of(name);
      if (!stem) return std::nullopt;
      if (any ? names_checkpoint(*stem) : says_nothing_but_checkpoint(*stem)) return step_of(*stem);
      return any && !is_pickle(name) ? number_of_state(name) : std::nullopt;
    }
    case FileInfo::Kind::Directory:
      return any && names_checkpoint(name) &&
                     std::ranges::any_of(contents.entries, [](const auto& entry) { return holds_state(entry.first); })
                 ? step_of(name)
                 : std::nullopt;
    case FileInfo::Kind::Other:
      break;
  }
  return std::nullopt;
}

runtime::Result<Judgement> PlainLayout::judge(const CheckpointContents& contents) const {
  if (contents.itself.kind == FileInfo::Kind::Directory) return judge_directory(contents, passed_below_);
  if (is_named_last(contents.name)) return judge_last_file(contents, passed_over_);
  if (is_pickle(contents.name)) return judge_pickle_file(contents);
  const auto stem = stem_of(contents.name);
  const bool says_checkpoint = stem && names_checkpoint(*stem);
  return judge_plain_file(contents, takes_ == Takes::Files || !says_checkpoint, with_optimizer_);
}

}  // namespace reprise::agent
