#include "agent/formats/verify/read_everything.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "agent/formats/layouts/marked/manifest.h"
#include "agent/formats/layouts/marked/marker.h"
#include "agent/formats/marker_names.h"
#include "agent/formats/megatron_names.h"
#include "agent/formats/structure/json_file.h"
#include "agent/formats/structure/read_through.h"
#include "agent/formats/structure/sha256.h"
#include "agent/formats/structure/state_file.h"
#include "agent/formats/structure/torch/dcp_metadata.h"
#include "agent/formats/structure/torch/zip_archive.h"

namespace reprise::agent {
namespace {

using Path = std::filesystem::path;
using Sums = std::map<std::string, std::string, std::less<>>;

constexpr int kDeepestInside = 16;
constexpr std::uint64_t kLargestRead = std::uint64_t{256} << 20U;  // bytes of a file that has to lie in memory

Flawed compare_sum(const CheckedFile& file, const std::string& expected) {
  Sha256 sum;
  if (auto flaw = read_through(file, [&](std::string_view bytes) { sum.add(bytes); }); !flaw || *flaw) return flaw;
  const std::string found = sum.hex();
  if (found == expected) return std::nullopt;
  return corrupt(file.name + ": has the SHA-256 " + found + ", the list says " + expected);
}

// Remembers, of files that were read, the first that may hold other bytes all the same.
class Unsummed {
 public:
  void add(const CheckedFile& file) {
    if (name_.empty()) name_ = file.name;
  }
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  std::string name_;
};

// Reads an archive, a part of a file too.
Flawed read_archive(const CheckedFile& file, Unsummed& unsummed) {
  auto flaw = check_zip_sums(file);
  if (!flaw || *flaw) return flaw;
  const auto all = sums_all_members(file);
  if (!all) return std::unexpected(all.error());
  if (!*all) unsummed.add(file);
  return std::nullopt;
}

Flawed read_all(const CheckedFile& file, Unsummed& unsummed) {
  constexpr std::uint64_t kOneBlock = 4'096;
  bool any = false;
  auto flaw = read_through(
      file, [&](std::string_view bytes) { any = any || bytes.find_first_not_of('\0') != std::string_view::npos; });
  const bool is_mark = file.size == 0 && std::ranges::find(kMarkers, file.name) != kMarkers.end();
  if (!flaw || *flaw || is_mark || (any && file.size <= kOneBlock)) return flaw;
  if (file.name.ends_with(".json")) {
    const auto json = check_json_value(file);
    if (json && !*json) return std::nullopt;
  }
  unsummed.add(file);
  return std::nullopt;
}

Flawed read_archive_or_all(const CheckedFile& file, Unsummed& unsummed) {
  const auto is_one = begins_as_zip(file);
  if (!is_one) return std::unexpected(is_one.error());
  return *is_one ? read_archive(file, unsummed) : read_all(file, unsummed);
}

// The pieces in the shards of this directory, by file.
runtime::Result<StoredFiles> stored_in(const CheckpointContents& contents) {
  StoredFiles all;
  for (const auto& [name, info] : contents.entries) {
    if (!name.ends_with(".metadata") || info.kind != FileInfo::Kind::File || info.size > kLargestRead) continue;
    const auto text = contents.checked(name).bytes(0, info.size);
    if (!text) return std::unexpected(text.error());
    const auto stored = files_in_metadata(*text);
    for (const auto& [file, pieces] : stored.value_or(StoredFiles{}))
      all[file].insert(all[file].end(), pieces.begin(), pieces.end());
  }
  return all;
}

// A link may lead to a whole data set, or around in a circle: only what a list names is read through one.
runtime::Result<bool> leads_elsewhere(const CheckpointContents& contents, const std::string& name, const Sums& sums) {
  const auto info = contents.files.look(contents.path / name, Links::Stay);
  if (!info) return std::unexpected(info.error());
  if (*info && (*info)->kind == FileInfo::Kind::Directory) return false;
  const std::string inside = contents.below + name + "/";
  const auto first = sums.lower_bound(inside);
  return first == sums.end() || !first->first.starts_with(inside);
}

Flawed add_sums(const CheckpointContents& contents, Sums& sums) {
  const auto list = sum_list_in(contents);
  if (!list) return std::unexpected(list.error());
  if (*list && (*list)->flaw && !((*list)->is_of_another_make && bears_mark(contents))) return (*list)->flaw;
  if (*list)
    for (const auto& [name, sum] : (*list)->sums) sums[contents.below + name] = sum;
  if (contents.file(kIntegrityFile) == nullptr) return std::nullopt;
  const auto said = read_json(contents.checked(kIntegrityFile));
  if (!said) return std::unexpected(said.error());
  const auto* files = said->object.if_contains("files");
  if (said->flaw || files == nullptr || !files->is_object()) return said->flaw;
  for (const auto& [name, sum] : files->get_object())
    if (sum.is_string()) sums[contents.below + std::string(name)] = std::string(sum.get_string());
  return std::nullopt;
}

// True if a list names every file directly in its directory that may be weights: a file that it leaves out vouches for
// nothing, and nothing in the list vouches for the checkpoint.
bool names_all_state(const CheckpointContents& contents, const Sums& sums) {
  for (const auto& [name, info] : contents.entries) {
    const bool may_be_weights = info.kind == FileInfo::Kind::File && is_named_as_state(name);
    if (may_be_weights && !sums.contains(contents.below + name)) return false;
  }
  return std::ranges::any_of(sums, [](const auto& each) { return is_named_as_state(each.first); });
}

struct Expected {
  const Sums& sums;
  const StoredFiles& stored;
  bool is_beside_list = false;  // beside a list that names all weights
};

// A file that is missing in such a list is a file without a sum.
bool is_list_that_held(const std::string& name, const Sums& sums) {
  return !sums.empty() && (name == "SHA256SUMS" || name == "manifest.sha256" || name == kIntegrityFile);
}

Flawed read_file(const CheckedFile& file, const std::string& name, const Expected& expected, Unsummed& unsummed) {
  if (is_list_that_held(name, expected.sums)) return read_through(file, [](std::string_view) {});
  if (const auto sum = expected.sums.find(file.name); sum != expected.sums.end()) return compare_sum(file, sum->second);
  if (expected.is_beside_list) {
    const auto head = file.bytes(0, 1);  // also where the size is not said
    return head ? read_all(file, unsummed) : std::unexpected(head.error());
  }
  const auto pieces = expected.stored.find(name);
  // A shard is archives one behind the other.
  if (pieces == expected.stored.end() && name.ends_with(".distcp")) {
    if (file.size > 0) unsummed.add(file);
    return read_through(file, [](std::string_view) {});
  }
  if (pieces == expected.stored.end()) return read_archive_or_all(file, unsummed);
  std::uint64_t in_pieces = 0;
  for (const StoredPiece& piece : pieces->second) {
    CheckedFile part = file;
    part.begin = piece.offset;
    part.size = piece.length;
    part.name += ", byte " + std::to_string(piece.offset);
    in_pieces += piece.length;
    if (auto flaw = read_archive_or_all(part, unsummed); !flaw || *flaw) return flaw;
  }
  if (in_pieces < file.size) unsummed.add(file);
  return std::nullopt;
}

Flawed read_directory(const CheckpointContents& contents, const Sums& above, int depth, Unsummed& unsummed,
                      bool is_below_list = false) {
  if (depth > kDeepestInside)
    return runtime::fail(runtime::ErrorClass::Invalid,
                         contents.below + ": lies more than " + std::to_string(kDeepestInside) + " levels down");
  Sums sums = above;
  if (auto flaw = add_sums(contents, sums); !flaw || *flaw) return flaw;
  const bool is_beside_list = is_below_list || (!sums.empty() && names_all_state(contents, sums));
  const auto stored = stored_in(contents);
  if (!stored) return std::unexpected(stored.error());
  for (const auto& [name, info] : contents.entries) {
    if (info.kind == FileInfo::Kind::Directory) {
      const auto elsewhere = leads_elsewhere(contents, name, sums);
      if (!elsewhere) return std::unexpected(elsewhere.error());
      if (*elsewhere) continue;
      const auto inside = contents.inside(name);
      if (!inside) return std::unexpected(inside.error());
      if (auto flaw = read_directory(*inside, sums, depth + 1, unsummed, is_beside_list); !flaw || *flaw) return flaw;
    }
    if (info.kind != FileInfo::Kind::File) continue;
    const Expected expected{.sums = sums, .stored = *stored, .is_beside_list = is_beside_list};
    if (auto flaw = read_file(contents.checked(name), name, expected, unsummed); !flaw || *flaw) return flaw;
  }
  return std::nullopt;
}

}  // namespace

runtime::Result<std::optional<Flaw>> read_everything(const VolumeFiles& files, const Path& path, const FileInfo& info) {
  auto read = read_and_judge_sums(files, path, info);
  if (!read) return std::unexpected(read.error());
  return std::move(read->flaw);
}

runtime::Result<FullRead> read_and_judge_sums(const VolumeFiles& files, const Path& path, const FileInfo& info) {
  const std::string name = path.filename().string();
  CheckpointContents contents{.files = files, .path = path, .name = name, .itself = info};
  Unsummed unsummed;
  Flawed flaw = std::nullopt;
  if (info.kind == FileInfo::Kind::File) {
    flaw = read_archive_or_all({.files = files, .path = path, .name = name, .size = info.size}, unsummed);
  } else {
    auto entries = entries_of(files, path);
    if (!entries) return std::unexpected(entries.error());
    contents.entries = *std::move(entries);
    flaw = read_directory(contents, {}, 0, unsummed);
  }
  if (flaw) return FullRead{.flaw = *std::move(flaw), .unsummed = unsummed.name()};
  const runtime::Error& error = flaw.error();
  if (error.error_class == runtime::ErrorClass::NotFound)
    return FullRead{.flaw = *incomplete("a file went away meanwhile: " + error.message)};
  if (error.error_class == runtime::ErrorClass::Forbidden)
    return FullRead{.flaw = Flaw{.kind = FlawKind::Corrupt, .reason = error.message, .unread = true}};
  return std::unexpected(error);
}

}  // namespace reprise::agent
