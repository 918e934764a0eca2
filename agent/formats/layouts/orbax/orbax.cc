#include "agent/formats/layouts/orbax/orbax.h"

#include <algorithm>
#include <array>

#include "agent/formats/checkpoint_name.h"
#include "agent/formats/layouts/marked/marker.h"
#include "agent/formats/layouts/orbax/ocdbt_store.h"
#include "agent/formats/layouts/orbax/zarr_array.h"
#include "agent/formats/layouts/parts_by_name.h"
#include "agent/formats/structure/json_file.h"
#include "agent/json/json.h"

namespace reprise::agent {
namespace {

constexpr std::string_view kCommitted = "_CHECKPOINT_METADATA", kTemporary = ".orbax-checkpoint-tmp";
constexpr std::string_view kMetadata = "_METADATA", kSharding = "_sharding", kArrayMetadatas = "array_metadatas";
constexpr std::string_view kJson[] = {kMetadata, "metadata", kSharding};

bool is_temporary(std::string_view name) {
  return name.find(kTemporary) != std::string_view::npos;
}

// A temporary step is one of its own, wherever it lies.
bool is_temporary_item(std::string_view name) {
  return is_temporary(name) && !step_of(name.substr(0, name.find(kTemporary)));
}

// Reads the mark, with a flaw where the save did not end.
runtime::Result<JsonFile> read_commit_mark(const CheckpointContents& contents) {
  auto mark = read_json(contents.checked(kCommitted));
  if (!mark || mark->flaw || number_of(mark->object, "commit_timestamp_nsecs").value_or(0) > 0) return mark;
  mark->flaw = Flaw{FlawKind::Incomplete, contents.below + std::string(kCommitted) +
                                              ": commit_timestamp_nsecs is not set: the save did not end"};
  return mark;
}

// How the arrays of each process are cut into pieces.
Flawed check_array_metadatas(const CheckpointContents& item) {
  if (!item.has_directory(kArrayMetadatas)) return std::nullopt;
  const auto inside = item.inside(kArrayMetadatas);
  if (!inside) return std::unexpected(inside.error());
  for (const auto& [name, info] : inside->entries)
    if (auto flaw = check_json_value(inside->checked(name)); !flaw || *flaw) return flaw;
  return std::nullopt;
}

// True if there is nothing beside the marks of the save.
bool holds_nothing(const CheckpointContents& item) {
  return std::ranges::all_of(
      item.entries, [](const auto& entry) { return entry.first == "commit_success.txt" || entry.first == kCommitted; });
}

// True for an array in a store, or in directories of their own; other values stand in `_METADATA` itself, or in files
// beside it.
bool is_stored_array(const boost::json::value& entry) {
  constexpr std::array<std::string_view, 3> kStored{"jax.Array", "np.ndarray", "scalar"};
  const auto* leaf = entry.is_object() ? object_of(entry.get_object(), "value_metadata") : nullptr;
  return leaf != nullptr && std::ranges::find(kStored, text_of(*leaf, "value_type").value_or("")) != kStored.end();
}

bool names_arrays(const boost::json::object& metadata) {
  const auto* tree = object_of(metadata, "tree_metadata");
  return tree != nullptr && std::ranges::any_of(*tree, [](const auto& each) { return is_stored_array(each.value()); });
}

// "a.b": the directory of an array without a store. Empty: the metadata does not say.
std::string directory_of_array(const boost::json::value& entry) {
  const auto* keys = entry.is_object() ? array_of(entry.get_object(), "key_metadata") : nullptr;
  std::string name;
  for (std::size_t at = 0; keys != nullptr && at < keys->size(); ++at) {
    const auto key = (*keys)[at].is_object() ? text_of((*keys)[at].get_object(), "key") : std::nullopt;
    if (!key || key->contains('/')) return {};
    name += (at == 0 ? "" : ".") + *key;
  }
  return name;
}

// Written with use_ocdbt=False: a directory of zarr for each array.
Flawed check_zarr_directories(const CheckpointContents& item, const boost::json::object& metadata,
                              PassedFiles& passed) {
  if (auto flaw = check_array_metadatas(item); !flaw || *flaw) return flaw;
  const auto* tree = object_of(metadata, "tree_metadata");
  if (tree == nullptr) return std::nullopt;
  for (const auto& each : *tree) {
    const std::string name = is_stored_array(each.value()) ? directory_of_array(each.value()) : "";
    if (name.empty()) continue;
    if (!item.has_directory(name)) return incomplete(item.below + name + ": is not there");
    const auto inside = item.inside(name);
    if (!inside) return std::unexpected(inside.error());
    if (auto flaw = check_zarr_array(*inside, passed); !flaw || *flaw) return flaw;
  }
  return std::nullopt;
}

Flawed check_store(const CheckpointContents& item) {
  if (auto flaw = missing(item, kMetadata)) return flaw;
  if (auto flaw = check_array_metadatas(item); !flaw || *flaw) return flaw;
  return check_ocdbt_store(item);
}

// Each array in a directory of its own. One array alone has no metadata, and what old versions wrote has a file
// `checkpoint` in its place.
bool holds_named_arrays(const CheckpointContents& item) {
  constexpr std::string_view kOfOldVersions = "checkpoint";
  if (item.has_directory(kArrayMetadatas)) return true;
  const bool is_array = item.entries.contains(".zarray") || item.entries.contains("zarr.json");
  if (is_array || item.entries.contains(kOfOldVersions)) return false;
  return std::ranges::any_of(item.entries, [&](const auto& entry) {
    if (entry.second.kind != FileInfo::Kind::Directory) return false;
    const auto inside = item.inside(entry.first);
    return inside && (inside->entries.contains(".zarray") || inside->entries.contains("zarr.json"));
  });
}

// `_sharding` is written with and without a store, so the metadata says which it is.
Flawed check_arrays(const CheckpointContents& item, PassedFiles& passed) {
  if (item.entries.contains(kOcdbtManifest) || item.has_directory("d")) return check_store(item);
  if (item.file(kMetadata) == nullptr) return holds_named_arrays(item) ? missing(item, kMetadata) : std::nullopt;
  const auto metadata = read_json(item.checked(kMetadata));
  if (!metadata) return std::unexpected(metadata.error());
  if (metadata->flaw || !names_arrays(metadata->object)) return metadata->flaw;
  if (flag_of(metadata->object, "use_ocdbt").value_or(false)) return check_store(item);
  return check_zarr_directories(item, metadata->object, passed);
}

// "process_0-of-2.json", of each process' place in the data.
std::optional<Flaw> check_counted_files(const CheckpointContents& item) {
  PartsByName parts;
  for (const auto& [name, info] : item.entries)
    if (info.kind == FileInfo::Kind::File && info.size > 0) parts.add(name);
  const auto too_few = parts.too_few(item.held);
  if (!too_few) return std::nullopt;
  return Flaw{.kind = FlawKind::Incomplete,
              .reason = item.below + too_few->path + ": there are " + std::to_string(too_few->there) + " of " +
                        std::to_string(too_few->needed)};
}

// But for its commit mark.
Flawed check_saved(const CheckpointContents& item, PassedFiles& passed) {
  for (const std::string_view name : kJson) {
    if (!item.entries.contains(name)) continue;
    if (auto flaw = check_json_value(item.checked(name)); !flaw || *flaw) return flaw;
  }
  if (holds_nothing(item)) return incomplete(item.below + ": is empty");
  if (auto flaw = check_counted_files(item)) return flaw;
  return check_arrays(item, passed);
}

Flawed check_item(const CheckpointContents& item, PassedFiles& passed) {
  if (item.entries.contains(kCommitted)) {
    const auto mark = read_commit_mark(item);
    if (!mark) return std::unexpected(mark.error());
    if (mark->flaw) return mark->flaw;
  }
  return check_saved(item, passed);
}

// An item that the step's metadata names has to be there.
Flawed check_step(const CheckpointContents& contents, PassedFiles& passed) {
  if (auto flaw = missing_by_name(contents, kCommitted)) {
    auto damage = flaw->by_name && bears_mark(contents) ? check_saved(contents, passed) : Flawed{std::nullopt};
    return !damage || *damage ? damage : Flawed{std::move(flaw)};
  }
  const auto mark = read_commit_mark(contents);
  if (!mark) return std::unexpected(mark.error());
  if (mark->flaw) return mark->flaw;
  const auto* handlers = mark->object.if_contains("item_handlers");
  if (handlers == nullptr || !handlers->is_object()) return check_saved(contents, passed);
  for (const auto& [key, handler] : handlers->get_object()) {
    const std::string name(key);
    if (!contents.has_directory(name)) return incomplete(name + ": is not there");
    const auto item = contents.inside(name);
    if (!item) return std::unexpected(item.error());
    if (auto flaw = check_item(*item, passed); !flaw || *flaw) return flaw;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::int64_t> OrbaxLayout::recognise(const CheckpointContents& contents) const {
  if (contents.itself.kind != FileInfo::Kind::Directory) return std::nullopt;
  const std::string_view name = std::string_view(contents.name).substr(0, contents.name.find(kTemporary));
  const bool orbax =
      is_temporary(contents.name) || std::ranges::any_of(contents.entries, [&](const auto& entry) {
        return entry.first == kCommitted || entry.first == kOcdbtManifest || is_temporary_item(entry.first);
      });
  const bool empty = takes_ == Takes::Named && contents.entries.empty() && names_checkpoint(contents.name);
  return orbax || empty ? step_of(name) : std::nullopt;
}

runtime::Result<Judgement> OrbaxLayout::judge(const CheckpointContents& contents) const {
  if (is_temporary(contents.name))
    return Judgement{.flaw = Flaw{FlawKind::Incomplete, contents.name + ": bears the name of a save that did not end"}};
  for (const auto& [name, info] : contents.entries)
    if (is_temporary(name))
      return Judgement{.flaw = Flaw{FlawKind::Incomplete, name + ": bears the name of a save that did not end"}};
  const auto flaw = check_step(contents, passed_);
  if (!flaw) return std::unexpected(flaw.error());
  if (*flaw) return Judgement{.flaw = *flaw};
  return Judgement{
      .flaw = std::nullopt, .completed = contents.file(kCommitted)->modified, .mark = std::string(kCommitted)};
}

}  // namespace reprise::agent
