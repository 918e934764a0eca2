#include "agent/core/generations/halves/known_saves.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "agent/core/aside/checkpoint_order.h"
#include "agent/core/generations/halves/lacking_state.h"
#include "agent/formats/name_numbers.h"
#include "agent/json/json.h"

namespace reprise::agent {
namespace {

// Saves that show that a gang has shrunk (half_saves.h), and what it had before.
constexpr std::size_t kMostSaves = 5;
constexpr std::string_view kState = "state", kPieces = "pieces";
constexpr std::size_t kLongestList = std::size_t{60} << 10U;  // VolumeFiles::read ends at 64 KiB

StateKinds decode_state(const boost::json::object& object, std::string_view key) {
  const auto* list = object.if_contains(key);
  if (list == nullptr || !list->is_array()) return {};
  StateKinds kinds;
  for (const boost::json::value& value : list->get_array()) {
    if (!value.is_object()) continue;
    const auto& each = value.get_object();
    auto kind = text_of(each, "kind");
    const auto count = number_of(each, "count");
    if (!kind || !count) continue;
    kinds.push_back({.kind = *std::move(kind),
                     .count = *count,
                     .counts_itself = flag_of(each, "countsItself").value_or(false),
                     .first = text_of(each, "first").value_or(""),
                     .last = text_of(each, "last").value_or(""),
                     .came_with_save = flag_of(each, "cameWithSave").value_or(false)});
  }
  return kinds;
}

boost::json::array encode_state(const StateKinds& kinds) {
  boost::json::array list;
  for (const StateFiles& each : kinds) {
    boost::json::object object{{"kind", each.kind}, {"count", each.count}, {"first", each.first}, {"last", each.last}};
    if (each.counts_itself) object["countsItself"] = true;
    if (each.came_with_save) object["cameWithSave"] = true;
    list.push_back(std::move(object));
  }
  return list;
}

// Shortens the text for many ranks with a directory each; which of them belong together is worth more.
KnownParts without_state(KnownParts known) {
  for (KnownPart& each : known) {
    each.checkpoint.state = {};
    each.checkpoint.pieces = {};
  }
  return known;
}

std::optional<KnownPart> decode_part(const boost::json::value& value) {
  if (!value.is_object()) return std::nullopt;
  const auto& object = value.get_object();
  const auto name = text_of(object, "name");
  const auto step = number_of(object, "step");
  const auto time = number_of(object, "timeMicroseconds");
  if (!name || !step || !time) return std::nullopt;
  KnownPart part{.checkpoint = {.name = *name,
                                .step = *step,
                                .complete = true,
                                .time = runtime::WallTime(std::chrono::microseconds(*time)),
                                .format = text_of(object, "format").value_or("")},
                 .made = {}};
  part.checkpoint.state.kinds = decode_state(object, kState);
  part.checkpoint.pieces.for_resume = decode_state(object, kPieces);
  if (const auto order = number_of(object, "order"))
    part.made = {.order = *order,
                 .name = *name,
                 .job_uid = text_of(object, "jobUid").value_or(""),
                 .attempt = static_cast<std::int32_t>(number_of(object, "attempt").value_or(0)),
                 .gang = {.ranks = static_cast<std::int32_t>(number_of(object, "ranks").value_or(0)),
                          .devices = static_cast<std::int32_t>(number_of(object, "devices").value_or(0))}};
  return part;
}

MadeCheckpoint last_entry_of(const std::string& name, const MadeCheckpoints& made) {
  const auto last = std::ranges::find(made.rbegin(), made.rend(), name, &MadeCheckpoint::name);
  return last == made.rend() ? MadeCheckpoint{} : *last;
}

std::set<std::string_view> names_of(const Checkpoints& found) {
  std::set<std::string_view> names;
  for (const Checkpoint& each : found) names.insert(each.name);
  return names;
}

bool lies_in_checkpoint(const std::string& file, const Checkpoints& found) {
  return std::ranges::any_of(found, [&](const Checkpoint& each) { return file.starts_with(each.name + "/"); });
}

// True if it lacks a kind of piece that the known save of its name had: a half of what is saved anew behind a roll back
// tells less of what belongs together than the whole one that is gone. A file of what was no checkpoint yet, and is one
// by now, is no piece any more ("step-10-rank1/state.bin").
bool lacks_pieces_of(const Checkpoint& there, const Checkpoint& known, const Checkpoints& found) {
  return std::ranges::any_of(known.pieces.for_resume, [&](const StateFiles& each) {
    return !lies_in_checkpoint(each.first, found) &&
           std::ranges::find(there.pieces.for_resume, each.kind, &StateFiles::kind) == there.pieces.for_resume.end();
  });
}

KnownPart known_of(const Checkpoint& there, const Checkpoints& found, const MadeCheckpoints& made,
                   const KnownParts& before) {
  const auto known =
      std::ranges::find_if(before, [&](const KnownPart& each) { return each.checkpoint.name == there.name; });
  if (known != before.end() && lacks_pieces_of(there, known->checkpoint, found)) return *known;
  return {.checkpoint = there, .made = last_entry_of(there.name, made)};
}

}  // namespace

KnownParts last_saves(const Checkpoints& found, const MadeCheckpoints& made, const KnownParts& before) {
  std::map<std::int64_t, KnownParts, std::greater<>> by_step;
  const Appearances appearances = appearances_in(made);
  for (const Checkpoint& each : found) {
    if (!each.complete || may_be_none(each, made)) continue;
    if (is_doubtful(appearances, each.name)) continue;
    if (const auto step = read_save_name(each.name).likely)
      by_step[*step].push_back(known_of(each, found, made, before));
  }
  const auto there = names_of(found);
  for (const KnownPart& each : before)
    if (const auto step = read_save_name(each.checkpoint.name).likely; step && !there.contains(each.checkpoint.name))
      by_step[*step].push_back(each);
  KnownParts last;
  std::size_t made_ones = 0, others = 0;  // no number of others' saves pushes a job's own out
  for (auto& [step, parts] : by_step) {
    const bool is_made = std::ranges::any_of(parts, [](const KnownPart& each) { return each.made.order > 0; });
    if (++(is_made ? made_ones : others) > kMostSaves) continue;
    std::ranges::sort(parts, {}, [](const KnownPart& each) { return each.checkpoint.name; });
    std::ranges::move(parts, std::back_inserter(last));
  }
  return last;
}

MadeCheckpoints with_gone(MadeCheckpoints made, const KnownParts& known) {
  std::set<std::int64_t> orders;
  for (const MadeCheckpoint& each : made) orders.insert(each.order);
  for (const KnownPart& each : known)
    if (each.made.order > 0 && orders.insert(each.made.order).second) made.push_back(each.made);
  std::ranges::stable_sort(made, {}, &MadeCheckpoint::order);
  return made;
}

std::vector<HalfSave> find_half_saves(const Checkpoints& found, const MadeCheckpoints& made, Holds holds,
                                      const KnownParts& known) {
  const auto there = names_of(found);
  Checkpoints all = found;
  MadeCheckpoints entries = made;
  for (const KnownPart& each : known) {
    if (there.contains(each.checkpoint.name)) continue;
    all.push_back(each.checkpoint);
    if (each.made.order > 0) entries.push_back(each.made);
  }
  if (all.size() == found.size()) return find_half_saves(found, made, holds);
  std::ranges::stable_sort(entries, {}, &MadeCheckpoint::order);
  auto halves = find_half_saves(all, entries, holds);
  std::erase_if(halves, [&](HalfSave& each) {
    std::erase_if(each.halves, [&](const std::string& name) { return !there.contains(name); });
    return each.halves.empty();
  });
  return halves;
}

std::string encode_known(const KnownParts& known) {
  boost::json::array list;
  for (const KnownPart& each : known) {
    boost::json::object part{{"name", each.checkpoint.name},
                             {"step", each.checkpoint.step},
                             {"timeMicroseconds", each.checkpoint.time.time_since_epoch().count()}};
    if (!each.checkpoint.format.empty()) part["format"] = each.checkpoint.format;
    if (!each.checkpoint.state.kinds.empty()) part[kState] = encode_state(each.checkpoint.state.kinds);
    if (const auto& pieces = each.checkpoint.pieces.for_resume; !pieces.empty()) part[kPieces] = encode_state(pieces);
    if (each.made.order > 0) {
      part["order"] = each.made.order;
      part["jobUid"] = each.made.job_uid;
      part["attempt"] = each.made.attempt;
      if (each.made.gang.ranks > 0) part["ranks"] = each.made.gang.ranks;
      if (each.made.gang.devices > 0) part["devices"] = each.made.gang.devices;
    }
    list.push_back(std::move(part));
  }
  return to_text({{"parts", std::move(list)}});
}

KnownParts decode_known(std::string_view text) {
  const auto object = parse_object(text);
  const auto* list = object ? object->if_contains("parts") : nullptr;
  if (list == nullptr || !list->is_array()) return {};
  KnownParts known;
  for (const boost::json::value& value : list->get_array())
    if (auto part = decode_part(value)) known.push_back(*std::move(part));
  return known;
}

std::shared_ptr<KnownSaves> make_known_saves() {
  return std::make_shared<KnownSaves>();
}

KnownParts KnownSaves::get() const {
  const std::lock_guard lock(mutex_);
  return known_;
}

void KnownSaves::read(const VolumeFiles& files, const VolumeLayout& layout) {
  const auto text = files.read(layout.known_saves());
  if (!text) return;
  const std::lock_guard lock(mutex_);
  written_ = text->value_or("");
  known_ = decode_known(written_);
}

void KnownSaves::note(const VolumeFiles& files, const VolumeLayout& layout, const Checkpoints& found,
                      const MadeCheckpoints& made) {
  {
    const std::lock_guard lock(mutex_);
    auto last = last_saves(found, made, known_);
    const bool is_settled = last == known_;
    known_ = std::move(last);
    if (!is_settled) return;
  }
  write(files, layout);
}

void KnownSaves::forget(const VolumeFiles& files, const VolumeLayout& layout, const std::set<std::string>& names) {
  {
    const std::lock_guard lock(mutex_);
    if (std::erase_if(known_, [&](const KnownPart& each) { return names.contains(each.checkpoint.name); }) == 0) return;
  }
  write(files, layout);
}

// Parts of so many ranks that they do not fit tell by their ranks which belong together.
std::optional<std::string> KnownSaves::unwritten() const {
  std::string text = encode_known(known_);
  if (text.size() > kLongestList) text = encode_known(without_state(known_));
  if (text.size() > kLongestList) text = encode_known({});
  if (text == written_ || (known_.empty() && written_.empty())) return std::nullopt;
  return text;
}

// A caller that asks for known saves does not wait for the volume: the lock is not held while it is written.
void KnownSaves::write(const VolumeFiles& files, const VolumeLayout& layout) {
  std::optional<std::string> text;
  {
    const std::lock_guard lock(mutex_);
    if (is_writing_) return;  // the next look does it
    text = unwritten();
    is_writing_ = text.has_value();
  }
  if (!text) return;
  const auto written = files.write(layout.known_saves(), *text, Sync::No);
  const std::lock_guard lock(mutex_);
  is_writing_ = false;
  if (written) written_ = *std::move(text);
}

}  // namespace reprise::agent
