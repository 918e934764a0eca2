#include "agent/formats/names/unfinished_name.h"

#include <algorithm>
#include <array>
#include <optional>

#include "agent/formats/checkpoint_name.h"
#include "agent/formats/names/name_words.h"

namespace reprise::agent {
namespace {

using NameParts = std::vector<NamePart>;

// Words that only unfinished saves bear, wherever in a name they stand.
constexpr std::array<std::string_view, 7> kAlways{"incomplete",  "unfinished", "inprogress", "inflight",
                                                  "uncommitted", "unsynced",   "temporary"};
// Words for work on files: a save bears such a word while the work lasts, and other things bear a word of its kind
// ("creative-writing-step-5", "copying-task-step-5").
constexpr std::array<std::string_view, 24> kDoings{
    "writing",  "saving",    "uploading",    "downloading", "copying",    "moving",     "renaming",  "deleting",
    "removing", "staging",   "syncing",      "flushing",    "committing", "finalizing", "replacing", "pruning",
    "purging",  "restoring", "transferring", "unpacking",   "extracting", "dumping",    "creating",  "updating"};
// Words for a save that waits, or is to go ("corrupted-cifar-step-5" is neither).
constexpr std::array<std::string_view, 13> kStates{"pending", "wip",     "deleted",   "removed", "trash",
                                                   "trashed", "garbage", "corrupted", "aborted", "failed",
                                                   "broken",  "staged",  "incoming"};
constexpr std::array<std::string_view, 2> kTemporaryWords{"temp", "partial"};
constexpr std::array<std::string_view, 2> kBehindIn{"progress", "flight"};
constexpr std::string_view kTmp = "tmp";
// Endings of files alone: "part-0" is a shard.
constexpr std::array<std::string_view, 5> kEndings{"part", "new", "filepart", "crdownload", "download"};
// The writer's name may follow: "step_20.writing_rank0".
constexpr std::array<std::string_view, 8> kWriters{"rank", "shard", "worker", "node", "host", "pid", "process", "gpu"};

bool is_one_of(const auto& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

// The place in front of a word, but for the endings of a file: "step", "20" of "step_20.pt.writing".
std::size_t in_front_of(const NameParts& parts, std::size_t at) {
  constexpr std::array<std::string_view, 8> kOfFiles{"pt", "pth", "tar", "bin", "ckpt", "safetensors", "npz", "pkl"};
  while (at > 1 && is_one_of(kOfFiles, parts[at - 1].text)) --at;
  return at;
}

// "step_20-writing", "20_writing", "step_20-writing-rank-3"; not "creative-writing-5".
bool is_behind_checkpoint(const NameParts& parts, std::size_t at) {
  const std::size_t end = in_front_of(parts, at);
  std::size_t number = end;
  while (number > 0 && parts[number - 1].is_number) --number;
  const bool names_one = number < end && (number == 0 || is_word_for_checkpoint(parts[number - 1].text));
  return names_one &&
         std::all_of(parts.begin() + static_cast<std::ptrdiff_t>(at) + 1, parts.end(),
                     [](const NamePart& part) { return part.is_number || is_one_of(kWriters, part.text); });
}

// "step_20.temp-81": as an ending, whatever follows but another checkpoint's name.
bool is_an_ending(std::string_view name, const NameParts& parts, std::size_t at) {
  if (at == 0 || name[parts[at].begin - 1] != '.' || !parts[in_front_of(parts, at) - 1].is_number) return false;
  return std::none_of(parts.begin() + static_cast<std::ptrdiff_t>(at), parts.end(),
                      [](const NamePart& part) { return is_word_for_checkpoint(part.text); });
}

bool is_in_front_of_checkpoint(const NameParts& parts, std::size_t at) {
  return at == 0 && parts.size() > 1 && is_word_for_checkpoint(parts[1].text);
}

bool says_unfinished(std::string_view name, const NameParts& parts, std::size_t at) {
  const std::string& word = parts[at].text;
  if (parts[at].is_number) return false;
  // "tmp", what tempfile makes of it, and what object stores' tools do: "tmpk3x9", "gstmp".
  if (word.starts_with(kTmp) || word.ends_with(kTmp) || is_one_of(kAlways, word)) return true;
  if (is_one_of(kBehindIn, word)) return at > 0 && parts[at - 1].text == "in";
  const bool is_last = at + 1 == parts.size() && at > 0;
  if (is_one_of(kEndings, word)) return is_last && (word == "part" || name[parts[at].begin - 1] == '.');
  if (is_one_of(kTemporaryWords, word) && (is_last || (at == 0 && parts.size() > 1 && !parts[1].is_number)))
    return true;
  if (!is_one_of(kTemporaryWords, word) && !is_one_of(kStates, word) && !is_one_of(kDoings, word)) return false;
  return is_behind_checkpoint(parts, at) || is_an_ending(name, parts, at) || is_in_front_of_checkpoint(parts, at);
}

// True for a directory as tempfile.mkdtemp() calls it.
bool is_called_by_tempfile(std::string_view name) {
  constexpr std::size_t kRandom = 8;
  return name.starts_with(kTmp) && name.size() == kTmp.size() + kRandom &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string_view::npos;
}

// "staging", "staging_3": from there a save is moved to its place when it is whole.
bool is_for_staging(const NameParts& parts) {
  const bool says_so = !parts.empty() && (parts.front().text == "staging" || parts.front().text == "staged");
  return says_so && std::all_of(parts.begin() + 1, parts.end(), [](const NamePart& part) { return part.is_number; });
}

bool is_named_for_unfinished(std::string_view directory) {
  constexpr std::array<std::string_view, 6> kPlaces{"tmp", "temp", "trash", "garbage", "deleted", "deleting"};
  if (is_called_by_tempfile(directory)) return true;
  const NameParts parts = parts_of_name(directory);
  if (is_for_staging(parts)) return true;
  return parts.size() == 1 && (is_one_of(kPlaces, parts.front().text) || is_one_of(kAlways, parts.front().text));
}

// Signs of NVIDIA's NeMo, and of scripts.
constexpr std::array<std::string_view, 2> kSigns{"-unfinished", ".unfinished"};

// One sign stands for a checkpoint, its averaged weights and the archive made of it.
std::string_view stem_of_nemo(std::string_view name) {
  for (const std::string_view ending : {".nemo", ".ckpt", "-EMA"})
    if (name.size() > ending.size() && name.ends_with(ending)) name.remove_suffix(ending.size());
  return name;
}

// "mp_rank_00", "tp_rank_00_pp_rank_001"
bool is_directory_of_rank(std::string_view directory) {
  const NameParts parts = parts_of_name(directory);
  return std::ranges::any_of(parts, [](const NamePart& part) { return part.text == "rank"; });
}

std::optional<std::size_t> unfinished_word_in(std::string_view name, const NameParts& parts) {
  for (std::size_t at = 0; at < parts.size(); ++at)
    if (says_unfinished(name, parts, at)) return at;
  return std::nullopt;
}

}  // namespace

bool may_be_sign_of_unfinished(std::string_view file) {
  return std::ranges::any_of(kSigns, [&](std::string_view sign) { return file.ends_with(sign); });
}

std::vector<std::string> signs_of_unfinished(std::string_view path) {
  std::vector<std::string> signs;
  for (std::string_view rest = path; !rest.empty(); rest = directory_of(rest)) {
    if (rest != path && !names_checkpoint(rest)) continue;  // a sign of a whole run is none of its saves
    const std::string_view stem = stem_of_nemo(last_part(rest));
    for (std::string_view directory = directory_of(rest);; directory = directory_of(directory)) {
      const std::string begin = directory.empty() ? std::string() : std::string(directory) + "/";
      for (const std::string_view sign : kSigns) {
        signs.push_back(begin + std::string(stem) + std::string(sign));
        if (stem != last_part(rest)) signs.push_back(begin + std::string(last_part(rest)) + std::string(sign));
      }
      if (directory.empty() || !is_directory_of_rank(last_part(directory))) break;
    }
  }
  return signs;
}

bool names_unfinished_save(std::string_view name) {
  const std::string_view stem = without_file_ending(name);
  return unfinished_word_in(stem, parts_of_name(stem)).has_value();
}

bool is_place_of_unfinished(std::string_view directories) {
  for (std::size_t begin = 0; begin < directories.size();) {
    const std::size_t end = std::min(directories.find('/', begin), directories.size());
    if (is_named_for_unfinished(directories.substr(begin, end - begin))) return true;
    begin = end + 1;
  }
  return false;
}

std::string_view name_when_finished(std::string_view name) {
  const NameParts parts = parts_of_name(name);
  const auto at = unfinished_word_in(name, parts);
  if (!at) return name;
  if (*at == 0) return parts.size() > 1 ? name.substr(parts[1].begin) : name;
  const std::size_t before = *at - (is_one_of(kBehindIn, parts[*at].text) && *at > 1 ? 2 : 1);
  return name.substr(0, parts[before].begin + parts[before].text.size());
}

}  // namespace reprise::agent
