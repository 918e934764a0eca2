#include "agent/formats/layouts/plain/plain_file.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "agent/formats/names/unjudged_name.h"
#include "agent/formats/structure/arrays/msgpack_map.h"
#include "agent/formats/structure/state_file.h"
#include "agent/formats/structure/torch/saved_object.h"
#include "agent/formats/structure/torch/torch_file.h"

namespace reprise::agent {
namespace {

// A model alone lies in an archive with a small object. One that is too large to be read holds more: it counts, lest a
// file that has grown be passed over for the one before.
runtime::Result<bool> may_hold_optimizer(const CheckedFile& file) {
  const auto saved = read_saved_object(file);
  if (!saved) return std::unexpected(saved.error());
  return *saved ? names_optimizer((*saved)->nodes) : is_large_saved_object(file);
}

CheckedFile itself_of(const CheckpointContents& contents) {
  return {.files = contents.files, .path = contents.path, .name = contents.name, .size = contents.itself.size};
}

// A file that is torn says nothing of what is in it.
runtime::Result<Judgement> judge_torch_file(const CheckpointContents& contents, bool needs_optimizer,
                                            PassedFiles& with_optimizer) {
  const CheckedFile file = itself_of(contents);
  const auto flaw = check_torch_file(file);
  if (!flaw) return std::unexpected(flaw.error());
  Judgement judged{.flaw = *flaw, .completed = contents.itself.modified};
  if (judged.flaw || with_optimizer.has(contents.path, contents.itself)) return judged;
  const auto holds_one = may_hold_optimizer(file);
  if (!holds_one) return std::unexpected(holds_one.error());
  (needs_optimizer ? judged.is_somebody_elses : judged.holds_no_optimizer) = !*holds_one;
  if (*holds_one) with_optimizer.add(contents.path, contents.itself);
  return judged;
}

// A map with the parameters, and with the optimizer's state under a key of its own: weights alone are left alone.
runtime::Result<Judgement> judge_flax(const CheckpointContents& contents, PassedFiles& passed) {
  const CheckedFile file = itself_of(contents);
  Judgement judged{.completed = contents.itself.modified};
  if (passed.has(contents.path, contents.itself)) return judged;
  const auto map = read_msgpack_map(file);
  if (!map) return std::unexpected(map.error());
  const auto has = [&](std::string_view begin) {
    return std::ranges::any_of(map->keys, [&](const std::string& key) { return key.starts_with(begin); });
  };
  switch (map->end) {
    case MsgpackMap::End::AtTheFiles:
      judged.is_somebody_elses = !has("opt");
      break;
    case MsgpackMap::End::CutOff:
      judged.is_somebody_elses = !has("opt") && !has("params");
      judged.flaw = Flaw{FlawKind::Corrupt, file.name + ": ends before its map does: it was cut off"};
      break;
    case MsgpackMap::End::NotKnown:
      judged.is_somebody_elses = true;
  }
  if (!judged.flaw && !judged.is_somebody_elses) passed.add(contents.path, contents.itself);
  return judged;
}

// Detectron2's checkpointer names its newest save in this file.
runtime::Result<bool> is_beside_detectrons_tracker(const CheckpointContents& contents) {
  const auto tracker = contents.files.look(contents.path.parent_path() / "last_checkpoint", Links::Follow);
  if (!tracker) return std::unexpected(tracker.error());
  return *tracker && (*tracker)->kind == FileInfo::Kind::File;
}

}  // namespace

bool names_optimizer(const Pickle& pickle) {
  if (pickle.front().kind != PickleNode::Kind::Mapping) return false;
  const auto& items = pickle.front().items;
  for (std::size_t at = 0; at + 1 < items.size(); at += 2) {
    const PickleNode& key = pickle[items[at]];
    if (key.kind == PickleNode::Kind::Text && key.text.contains("optim")) return true;
  }
  return false;
}

runtime::Result<Judgement> judge_plain_file(const CheckpointContents& contents, bool needs_optimizer,
                                            PassedFiles& with_optimizer) {
  if (is_named_by_flax(contents.name)) return judge_flax(contents, with_optimizer);
  if (!is_named_by_detectron(contents.name)) return judge_torch_file(contents, needs_optimizer, with_optimizer);
  const auto tracked = is_beside_detectrons_tracker(contents);
  if (!tracked) return std::unexpected(tracked.error());
  if (!*tracked) return Judgement{.is_somebody_elses = true};
  return judge_torch_file(contents, true, with_optimizer);
}

runtime::Result<Judgement> judge_pickle_file(const CheckpointContents& contents) {
  const CheckedFile file = itself_of(contents);
  const auto flaw = check_state_file(file);
  if (!flaw) return std::unexpected(flaw.error());
  Judgement judged{.flaw = *flaw, .completed = contents.itself.modified};
  if (judged.flaw) return judged;
  const auto head = file.bytes(0, 2);
  if (!head) return std::unexpected(head.error());
  judged.is_somebody_elses = !head->starts_with('\x80') && *head != "PK";
  return judged;
}

}  // namespace reprise::agent
