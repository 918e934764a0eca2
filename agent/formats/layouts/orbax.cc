#include "agent/formats/layouts/orbax.h"

#include <algorithm>
#include <boost/crc.hpp>

#include "agent/formats/checkpoint_name.h"
#include "agent/formats/structure/json_file.h"
#include "agent/formats/structure/little_endian.h"
#include "agent/json/json.h"

namespace reprise::agent {
namespace {

constexpr std::string_view kCommitted = "_CHECKPOINT_METADATA", kTemporary = ".orbax-checkpoint-tmp";
constexpr std::string_view kManifest = "manifest.ocdbt", kData = "d", kProcess = "ocdbt.process_";
constexpr std::string_view kManifestMagic{"\x0c\xdb\x3a\x2a", 4};
constexpr std::string_view kNodeMagic{"\x0c\xdb\x20\xde", 4};
constexpr std::size_t kMarkAndLength = 12;  // of what begins with such a mark
constexpr std::string_view kJson[] = {"_METADATA", "metadata", "_sharding"};

bool is_temporary(std::string_view name) {
  return name.find(kTemporary) != std::string_view::npos;
}

// A temporary step is one of its own, wherever it lies.
bool is_temporary_item(std::string_view name) {
  return is_temporary(name) && !step_of(name.substr(0, name.find(kTemporary)));
}

// With a flaw where the save did not end.
runtime::Result<JsonFile> read_commit_mark(const CheckpointContents& contents) {
  auto mark = read_json(contents.checked(kCommitted));
  if (!mark || mark->flaw || number_of(mark->object, "commit_timestamp_nsecs").value_or(0) > 0) return mark;
  mark->flaw = Flaw{FlawKind::Incomplete, contents.below + std::string(kCommitted) +
                                              ": commit_timestamp_nsecs is not set: the save did not end"};
  return mark;
}

// A manifest, or a node of the store's tree: a mark, its length, and CRC-32C of all before the last four bytes.
Flawed check_encoded(const CheckedFile& file, std::uint64_t length) {
  using Crc32c = boost::crc_optimal<32, 0x1EDC6F41, 0xFFFFFFFF, 0xFFFFFFFF, true, true>;
  constexpr std::uint64_t kLargestSummed = std::uint64_t{16} << 20U, kSum = 4;
  if (length > file.size || length < kSum) return corrupt(file.name + ": is shorter than it says");
  if (length > kLargestSummed) return std::nullopt;
  const auto bytes = file.bytes(0, length);
  if (!bytes) return std::unexpected(bytes.error());
  if (bytes->size() < length) return corrupt(file.name + ": is shorter than it says");
  Crc32c sum;
  sum.process_bytes(bytes->data(), length - kSum);
  if (sum.checksum() == little_endian(*bytes, length - kSum, kSum)) return std::nullopt;
  return corrupt(file.name + ": its bytes do not have the sum that it says");
}

Flawed check_manifest(const CheckpointContents& contents) {
  if (auto flaw = missing(contents, kManifest)) return flaw;
  const CheckedFile file = contents.checked(kManifest);
  const auto head = file.bytes(0, kMarkAndLength);
  if (!head) return std::unexpected(head.error());
  const std::uint64_t length = little_endian(*head, 4, 8);
  if (!head->starts_with(kManifestMagic) || length != file.size)
    return corrupt(file.name + ": is not as long as it says");
  return check_encoded(file, length);
}

// A file of values does not begin with a node, and says nothing of itself.
Flawed check_data(const CheckpointContents& data, const std::string& name) {
  if (auto flaw = missing(data, name)) return flaw;
  const CheckedFile file = data.checked(name);
  const auto head = file.bytes(0, kMarkAndLength);
  if (!head) return std::unexpected(head.error());
  if (head->size() < kMarkAndLength) return corrupt(file.name + ": is too short");
  return head->starts_with(kNodeMagic) ? check_encoded(file, little_endian(*head, 4, 8)) : Flawed{std::nullopt};
}

Flawed check_store(const CheckpointContents& contents) {
  if (auto flaw = check_manifest(contents); !flaw || *flaw) return flaw;
  if (!contents.has_directory(kData)) return incomplete(contents.below + std::string(kData) + ": is not there");
  const auto data = contents.inside(kData);
  if (!data) return std::unexpected(data.error());
  if (data->entries.empty()) return incomplete(data->below + ": is empty");
  for (const auto& [name, info] : data->entries)
    if (auto flaw = check_data(*data, name); !flaw || *flaw) return flaw;
  return std::nullopt;
}

Flawed check_json(const CheckpointContents& contents, const std::string& name) {
  const auto read = read_json(contents.checked(name));
  if (!read) return std::unexpected(read.error());
  return read->flaw;
}

// How the arrays of each process are cut into pieces.
Flawed check_array_metadatas(const CheckpointContents& item) {
  constexpr std::string_view kDirectory = "array_metadatas";
  if (!item.has_directory(kDirectory)) return std::nullopt;
  const auto inside = item.inside(kDirectory);
  if (!inside) return std::unexpected(inside.error());
  for (const auto& [name, info] : inside->entries)
    if (auto flaw = check_json(*inside, name); !flaw || *flaw) return flaw;
  return std::nullopt;
}

// What a process wrote: the values are read from there, its own tree has been merged into the item's.
Flawed check_values(const CheckpointContents& item, const std::string& process) {
  const auto whole = item.inside(process);
  if (!whole) return std::unexpected(whole.error());
  if (!whole->has_directory(kData)) return incomplete(whole->below + std::string(kData) + ": is not there");
  const auto values = whole->inside(kData);
  if (!values) return std::unexpected(values.error());
  for (const auto& [name, info] : values->entries)
    if (auto flaw = missing(*values, name)) return flaw;
  return std::nullopt;
}

// Beside the marks of the save there has to be something.
bool holds_nothing(const CheckpointContents& item) {
  return std::ranges::all_of(
      item.entries, [](const auto& entry) { return entry.first == "commit_success.txt" || entry.first == kCommitted; });
}

// But for its commit mark.
Flawed check_saved(const CheckpointContents& item) {
  for (const std::string_view name : kJson) {
    if (!item.entries.contains(name)) continue;
    if (auto flaw = check_json(item, std::string(name)); !flaw || *flaw) return flaw;
  }
  const bool arrays =
      item.entries.contains(kManifest) || item.has_directory(kData) || item.entries.contains("_sharding");
  if (!arrays) return holds_nothing(item) ? incomplete(item.below + ": is empty") : Flawed{std::nullopt};
  if (auto flaw = missing(item, "_METADATA")) return flaw;
  if (auto flaw = check_array_metadatas(item); !flaw || *flaw) return flaw;
  if (auto flaw = check_store(item); !flaw || *flaw) return flaw;
  for (const auto& [name, info] : item.entries) {
    if (!name.starts_with(kProcess)) continue;
    if (auto flaw = check_values(item, name); !flaw || *flaw) return flaw;
  }
  return std::nullopt;
}

Flawed check_item(const CheckpointContents& item) {
  if (item.entries.contains(kCommitted)) {
    const auto mark = read_commit_mark(item);
    if (!mark) return std::unexpected(mark.error());
    if (mark->flaw) return mark->flaw;
  }
  return check_saved(item);
}

// An item that the step's metadata names has to be there.
Flawed check_step(const CheckpointContents& contents) {
  if (auto flaw = missing(contents, kCommitted)) return flaw;
  const auto mark = read_commit_mark(contents);
  if (!mark) return std::unexpected(mark.error());
  if (mark->flaw) return mark->flaw;
  const auto* handlers = mark->object.if_contains("item_handlers");
  if (handlers == nullptr || !handlers->is_object()) return check_saved(contents);
  for (const auto& [key, handler] : handlers->get_object()) {
    const std::string name(key);
    if (!contents.has_directory(name)) return incomplete(name + ": is not there");
    const auto item = contents.inside(name);
    if (!item) return std::unexpected(item.error());
    if (auto flaw = check_item(*item); !flaw || *flaw) return flaw;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::int64_t> OrbaxLayout::recognise(const CheckpointContents& contents) const {
  if (contents.itself.kind != FileInfo::Kind::Directory) return std::nullopt;
  const std::string_view name = std::string_view(contents.name).substr(0, contents.name.find(kTemporary));
  const bool orbax = is_temporary(contents.name) || std::ranges::any_of(contents.entries, [&](const auto& entry) {
                       return entry.first == kCommitted || entry.first == kManifest || is_temporary_item(entry.first);
                     });
  return orbax ? step_of(name) : std::nullopt;
}

runtime::Result<Judgement> OrbaxLayout::judge(const CheckpointContents& contents) const {
  if (is_temporary(contents.name))
    return Judgement{.flaw = Flaw{FlawKind::Incomplete, contents.name + ": bears the name of a save that did not end"}};
  for (const auto& [name, info] : contents.entries)
    if (is_temporary(name))
      return Judgement{.flaw = Flaw{FlawKind::Incomplete, name + ": bears the name of a save that did not end"}};
  const auto flaw = check_step(contents);
  if (!flaw) return std::unexpected(flaw.error());
  if (*flaw) return Judgement{.flaw = *flaw};
  return Judgement{
      .flaw = std::nullopt, .completed = contents.file(kCommitted)->modified, .mark = std::string(kCommitted)};
}

}  // namespace reprise::agent
