#include "agent/formats/layouts/marked/marked_files.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "agent/formats/layouts/hugging_face/training_arguments.h"
#include "agent/formats/layouts/hugging_face/weight_index.h"
#include "agent/formats/layouts/marked/manifest.h"
#include "agent/formats/layouts/orbax/ocdbt_store.h"
#include "agent/formats/layouts/orbax/orbax.h"
#include "agent/formats/layouts/parts_by_name.h"
#include "agent/formats/layouts/pytorch_dcp/pytorch_dcp.h"
#include "agent/formats/names/name_words.h"
#include "agent/formats/names/unfinished_name.h"
#include "agent/formats/structure/json_file.h"
#include "agent/formats/structure/state_file.h"
#include "agent/formats/verify/lost_bytes.h"

namespace reprise::agent {
namespace {

using runtime::Result;

constexpr std::string_view kShardMetadata = ".metadata", kShardEnding = ".distcp", kWeightIndexEnding = ".index.json";
constexpr std::string_view kOrbaxMark = "_CHECKPOINT_METADATA";
constexpr std::string_view kTensorIndexEnding = ".index", kTensorData = ".data-";
constexpr int kDeepestMarked = 8;
constexpr std::size_t kMostMarkedDirectories = 4'096;
constexpr std::chrono::seconds kMarkClocksDiffer(10);

// True for JSON that libraries read at a resume; other JSON may be left open for ever ("trace.json").
bool is_json_of_state(std::string_view name) {
  constexpr std::array<std::string_view, 5> kOfState{"state", "metadata", "index", "config", "modules"};
  return name.ends_with(".json") && std::ranges::any_of(parts_of_name(name), [&](const NamePart& part) {
           return std::ranges::find(kOfState, part.text) != kOfState.end();
         });
}

bool is_looked_into(std::string_view name) {
  return name != kTrainingArguments && (is_named_as_state(name) || is_json_of_state(name));
}

// "weights", "optimizer": of which nothing tells whether they are whole.
bool may_be_state_without_ending(std::string_view name) {
  constexpr std::string_view kSmallLetters = "abcdefghijklmnopqrstuvwxyz";
  return !name.contains('.') && name.find_first_of(kSmallLetters) != std::string_view::npos;
}

// A program that stages a file renames it when it is whole.
bool is_passed_over(std::string_view name) {
  return name.starts_with('.') || names_unfinished_save(name);
}

class MarkedWalk {
 public:
  MarkedWalk(const FileInfo* mark, PassedFiles& passed) : mark_(mark), passed_(passed) {}

  // Walks through `here`, of which names and kinds suffice.
  Flawed into(CheckpointContents here, int depth) {
    if (auto flaw = check_lists(here); !flaw || *flaw) return flaw;
    if (auto flaw = check_files(here); !flaw || *flaw) return flaw;
    // A store's manifest says what its directories hold, and so does the metadata of an item of Orbax.
    if (here.entries.contains(kOcdbtManifest) || here.entries.contains(kOrbaxMark)) return std::nullopt;
    return into_directories_of(here, depth);
  }

  Flawed into_directories_of(const CheckpointContents& here, int depth) {
    if (depth >= kDeepestMarked) return std::nullopt;
    for (const auto& [name, info] : here.entries) {
      if (info.kind != FileInfo::Kind::Directory || is_passed_over(name)) continue;
      if (++directories_ > kMostMarkedDirectories) return too_much();
      auto inside = below(here, name);
      if (!inside) return std::unexpected(inside.error());
      if (auto flaw = into(*std::move(inside), depth + 1); !flaw || *flaw) return flaw;
    }
    return std::nullopt;
  }

  // All files that were looked at; empty where there was too much.
  [[nodiscard]] MarkedFiles seen() const {
    return {.state = has_seen_all_ ? seen_.kinds() : std::vector<StateFiles>(), .has_sums = has_sums_};
  }

 private:
  static Result<CheckpointContents> below(const CheckpointContents& here, const std::string& name) {
    CheckpointContents inside{.files = here.files,
                              .path = here.path / name,
                              .name = name,
                              .itself = {.kind = FileInfo::Kind::Directory},
                              .below = here.below + name + "/"};
    const auto listed = here.files.list_entries(inside.path);
    const bool is_gone_or_link = !listed && listed.error().error_class == runtime::ErrorClass::Invalid;
    if (!listed && !is_gone_or_link) return std::unexpected(listed.error());
    if (!listed) return inside;
    for (const DirectoryEntry& each : *listed) inside.entries.emplace(each.name, FileInfo{.kind = each.kind});
    return inside;
  }

  // Asks about an entry only now, when it is needed. A link that leads nowhere may do so on another machine.
  static Result<bool> ask_about(CheckpointContents& here, const std::string& name) {
    const auto info = here.files.look(here.path / name, Links::Follow);
    if (!info) return std::unexpected(info.error());
    const bool is_file = *info && (*info)->kind == FileInfo::Kind::File;
    if (is_file) here.entries[name] = **info;
    return is_file;
  }

  // Others call a file of theirs so, too.
  static Result<bool> names_shards(CheckpointContents& here) {
    constexpr std::string_view kWriter = "torch.distributed.checkpoint";
    constexpr std::size_t kFirst = 4'096;
    if (!here.entries.contains(kShardMetadata)) return false;
    const bool has_shards =
        std::ranges::any_of(here.entries, [](const auto& entry) { return entry.first.ends_with(kShardEnding); });
    if (has_shards) return true;
    const auto is_file = ask_about(here, std::string(kShardMetadata));
    if (!is_file || !*is_file) return is_file;
    const auto head = here.checked(kShardMetadata).bytes(0, kFirst);
    if (!head) return std::unexpected(head.error());
    return head->contains(kWriter);
  }

  Flawed check_lists(CheckpointContents& here) {
    if (auto flaw = check_sums_of(here); !flaw || *flaw) return flaw;
    const auto any = [&](std::string_view ending) {
      return std::ranges::any_of(here.entries, [&](const auto& entry) { return entry.first.ends_with(ending); });
    };
    // A rank with a volume of its own has shards and a mark, and another one the metadata.
    const auto metadata = names_shards(here);
    if (!metadata) return std::unexpected(metadata.error());
    const bool has_shards = *metadata || (mark_ == nullptr && any(kShardEnding));
    const bool is_orbax = here.entries.contains(kOrbaxMark);
    if (has_shards || is_orbax || here.entries.contains(kOcdbtManifest)) {
      const auto known = entries_of(here.files, here.path);
      if (!known) return std::unexpected(known.error());
      here.entries = *known;
    }
    if (has_shards) {
      const auto judged = PyTorchDcpLayout().judge(here);
      if (!judged) return std::unexpected(judged.error());
      if (judged->flaw) return judged->flaw;
    }
    if (is_orbax) {
      const auto judged = OrbaxLayout(OrbaxLayout::Takes::Marked).judge(here);
      if (!judged) return std::unexpected(judged.error());
      if (judged->flaw && !judged->flaw->by_name) return judged->flaw;
    }
    if (!is_orbax && here.entries.contains(kOcdbtManifest))
      if (auto flaw = check_ocdbt_store(here); !flaw || *flaw) return flaw;
    std::vector<std::string> weights, tensors;
    for (const auto& [name, info] : here.entries) {
      if (is_passed_over(name)) continue;
      if (name.ends_with(kWeightIndexEnding)) weights.push_back(name);
      if (name.ends_with(kTensorIndexEnding)) tensors.push_back(name);
    }
    for (const std::string& name : weights)
      if (auto flaw = check_weights_of(here, name); !flaw || *flaw) return flaw;
    for (const std::string& name : tensors)
      if (auto flaw = check_tensors_of(here, name); !flaw || *flaw) return flaw;
    return std::nullopt;
  }

  // Checks that listed files are there: for raw files nothing else tells that they are of the save before.
  Flawed check_sums_of(CheckpointContents& here) {
    const std::string name(list_of_sums_in(here));
    if (name.empty()) return std::nullopt;
    const auto is_file = ask_about(here, name);
    if (!is_file) return std::unexpected(is_file.error());
    if (!*is_file) return std::nullopt;
    const auto list = sum_list_in(here);
    if (!list) return std::unexpected(list.error());
    if ((*list)->is_of_another_make) return std::nullopt;
    if ((*list)->flaw) return (*list)->flaw;
    has_sums_ = true;
    for (const auto& [file, sum] : (*list)->sums) {
      const auto info = here.files.look(here.path / file, Links::Follow);
      if (!info) return std::unexpected(info.error());
      if (!*info) return incomplete(here.below + file + ": is not there, and " + name + " lists it");
    }
    return std::nullopt;
  }

  // An index that came with a model to start from names none of what is here.
  static Flawed check_weights_of(CheckpointContents& here, const std::string& index) {
    const auto is_there = ask_about(here, index);
    if (!is_there) return std::unexpected(is_there.error());
    const auto listed = *is_there ? files_in_weight_index(here.checked(index)) : Result<std::vector<std::string>>{};
    if (!listed) return std::unexpected(listed.error());
    bool any = false;
    for (const std::string& file : *listed) any = any || here.entries.contains(file);
    for (const std::string& file : *listed) {
      if (!any) break;
      const auto file_is_there = ask_about(here, file);
      if (!file_is_there) return std::unexpected(file_is_there.error());
      if (auto flaw = missing(here, file)) return flaw;
    }
    return std::nullopt;
  }

  // "ckpt-5.index" of TensorFlow's beside "ckpt-5.data-00000-of-00001": a table, which ends with its mark.
  static Flawed check_tensors_of(CheckpointContents& here, const std::string& index) {
    constexpr std::string_view kTableEnds{"\x57\xfb\x80\x8b\x24\x75\x47\xdb", 8};
    const auto is_there = ask_about(here, index);
    if (!is_there) return std::unexpected(is_there.error());
    const CheckedFile file = here.checked(index);
    const std::string data = index.substr(0, index.size() - kTensorIndexEnding.size()) + std::string(kTensorData);
    const auto first = here.entries.lower_bound(data);
    const bool has_data = first != here.entries.end() && first->first.starts_with(data);
    if (!*is_there) return std::nullopt;
    const auto end = file.size < kTableEnds.size() ? Result<std::string>{}
                                                   : file.bytes(file.size - kTableEnds.size(), kTableEnds.size());
    if (!end) return std::unexpected(end.error());
    const bool is_table = *end == kTableEnds;
    if (!has_data) return is_table ? incomplete(here.below + data + "*: is not there") : Flawed{std::nullopt};
    if (!is_table) return corrupt(file.name + ": has no end of a table: it was cut off");
    PartsByName parts;
    for (auto at = first; at != here.entries.end() && at->first.starts_with(data); ++at) parts.add(at->first);
    return said_of(here, parts);
  }

  static Flawed said_of(const CheckpointContents& here, const PartsByName& parts) {
    const auto too_few = parts.too_few(here.held);
    if (!too_few) return std::nullopt;
    return incomplete(here.below + too_few->path + ": there are " + std::to_string(too_few->there) + " of " +
                      std::to_string(too_few->needed));
  }

  Flawed check_files(CheckpointContents& here) {
    PartsByName parts;
    bool any_newer = false;
    std::vector<std::string> names;
    for (const auto& [name, info] : here.entries)
      if (here.below.empty() && info.kind != FileInfo::Kind::Directory && may_be_state_without_ending(name) &&
          !is_passed_over(name))
        seen_.add(name);
    for (const auto& [name, info] : here.entries)
      if (info.kind != FileInfo::Kind::Directory && is_looked_into(name) && !is_passed_over(name))
        names.push_back(name);
    for (const std::string& name : names) {
      if (++files_ > kMostMarkedFiles) return too_much();
      const auto is_file = ask_about(here, name);
      if (!is_file) return std::unexpected(is_file.error());
      if (!*is_file) continue;
      const FileInfo& info = *here.file(name);
      if (is_named_as_state(name)) parts.add(name);
      seen_.add(here.below + name);
      any_newer = any_newer || (mark_ != nullptr && info.modified > mark_->modified + kMarkClocksDiffer);
      const CheckedFile file = here.checked(name);
      if (passed_.has(file.path, info)) continue;
      if (auto flaw = is_named_as_state(name) ? check_state_file(file) : check_json_ends(file); !flaw || *flaw)
        return flaw;
      passed_.add(file.path, info);
    }
    return any_newer ? said_of(here, parts) : Flawed{std::nullopt};
  }

  Flawed too_much() {
    has_seen_all_ = false;
    return std::nullopt;
  }

  const FileInfo* mark_;  // nullptr: there is none
  PassedFiles& passed_;
  PartsByName seen_;
  bool has_seen_all_ = true, has_sums_ = false;
  std::size_t files_ = 0, directories_ = 0;
};

}  // namespace

Flawed check_marked_files(const CheckpointContents& contents, const FileInfo& mark, PassedFiles& passed,
                          MarkedFiles* seen) {
  MarkedWalk walk(&mark, passed);
  auto flaw = walk.into(contents, 0);
  if (seen != nullptr) *seen = walk.seen();
  if (flaw) return flaw;
  if (says_lost(flaw.error())) return lost_is_flaw(std::move(flaw), contents.path);
  // An unreadable file says nothing, and the mark is there.
  const auto problem = flaw.error().error_class;
  const bool says_something = problem == runtime::ErrorClass::NotFound || problem == runtime::ErrorClass::Forbidden;
  return says_something ? std::move(flaw) : Flawed{std::nullopt};
}

Flawed check_files_below(const CheckpointContents& contents, PassedFiles& passed) {
  return MarkedWalk(nullptr, passed).into_directories_of(contents, 0);
}

}  // namespace reprise::agent
