#include "agent/core/generations/halves/halves_by_pieces.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "agent/core/generations/halves/lacking_state.h"
#include "agent/formats/name_numbers.h"
#include "agent/formats/pieces/loose_file.h"

namespace reprise::agent {
namespace {

using Kinds = std::set<std::string>;

// Kinds of pieces that two saves at least have brought, whole or torn.
class Usual {
 public:
  void add(const Checkpoint& each) {
    const auto step = each.complete ? read_save_name(each.name).likely : std::nullopt;
    if (!step) return;
    for (const StateFiles& files : each.pieces.for_resume)
      if (may_be_needed(files)) note(files, *step);
    for (const std::string& kind : each.pieces.torn)
      if (const StateFiles files{.kind = kind}; may_be_needed(files)) note(files, *step);
  }
  [[nodiscard]] Kinds kinds() const {
    Kinds kinds;
    for (const auto& [kind, steps] : steps_)
      if (steps.size() > 1 && shown_.contains(kind)) kinds.insert(kind);
    return kinds;
  }

 private:
  void note(const StateFiles& files, std::int64_t step) {
    steps_[files.kind].insert(step);
    if (files.came_with_save) shown_.insert(files.kind);
  }

  std::map<std::string, std::set<std::int64_t>> steps_;
  Kinds shown_;
};

// That some whole save which is there has brought.
Kinds brought_to(const Checkpoints& found) {
  Kinds kinds;
  for (const Checkpoint& each : found)
    for (const StateFiles& files : each.pieces.for_resume)
      if (each.complete) kinds.insert(files.kind);
  return kinds;
}

// As if its pieces were state that it holds. Where others show by their lengths that one is cut off (`judged`), a name
// beside it says nothing.
void take_for_state(Checkpoint& checkpoint, const Kinds& usual, const Kinds& judged) {
  auto& state = checkpoint.state.kinds;
  const auto& pieces = checkpoint.pieces.for_resume;
  std::erase_if(state, [&](const StateFiles& each) {
    return usual.contains(each.kind) && judged.contains(each.kind) &&
           std::ranges::find(pieces, each.kind, &StateFiles::kind) == pieces.end();
  });
  for (const StateFiles& each : pieces)
    if (usual.contains(each.kind) && std::ranges::find(state, each.kind, &StateFiles::kind) == state.end())
      state.push_back(each);
}

// A trainer that has begun to write a piece has not left it out, however many attempts in a row were ended there.
void add_torn_ones(std::vector<HalfSave>& halves, const Checkpoints& found, const Kinds& usual) {
  for (const Checkpoint& each : found) {
    const auto step = each.complete ? read_save_name(each.name).likely : std::nullopt;
    if (!step || std::ranges::find(halves, *step, &HalfSave::step) != halves.end()) continue;
    std::vector<std::string> lacks;
    std::ranges::set_intersection(each.pieces.torn, usual, std::back_inserter(lacks));
    if (!lacks.empty())
      halves.push_back({.step = *step, .halves = {each.name}, .lacks = std::move(lacks), .is_over = true});
  }
}

bool is_answer(const std::string& name, const MadeCheckpoints& made) {
  bool answered = false;
  for (const MadeCheckpoint& each : made)
    if (each.name == name) answered = each.answered;
  return answered;
}

std::vector<HalfSave> without_answers(std::vector<HalfSave> halves, const MadeCheckpoints& made) {
  std::erase_if(halves, [&](const HalfSave& each) {
    return !each.is_cut_off && !each.halves.empty() &&
           std::ranges::all_of(each.halves, [&](const std::string& name) { return is_answer(name, made); });
  });
  return halves;
}

}  // namespace

bool may_be_needed(const StateFiles& files) {
  return may_hold_training(files.kind) || is_of_state(files) || names_training_data(files.kind);
}

std::set<std::string> kinds_that_saves_bring(const KnownParts& known) {
  Usual usual;
  for (const KnownPart& each : known) usual.add(each.checkpoint);
  return usual.kinds();
}

std::vector<HalfSave> find_halves_with_pieces(const Checkpoints& found, const MadeCheckpoints& made, Holds holds,
                                              const KnownParts& known) {
  auto halves = find_half_saves(found, made, holds, known);
  Usual usual;
  for (const Checkpoint& each : found) usual.add(each);
  for (const KnownPart& each : known) usual.add(each.checkpoint);
  const Kinds kinds = usual.kinds();
  if (kinds.empty()) return without_answers(std::move(halves), made);
  const Kinds judged = brought_to(found);
  Checkpoints with_pieces = found;
  KnownParts known_with_pieces = known;
  for (Checkpoint& each : with_pieces) take_for_state(each, kinds, judged);
  for (KnownPart& each : known_with_pieces) take_for_state(each.checkpoint, kinds, {});
  std::set<std::int64_t> steps;
  for (const HalfSave& each : halves) steps.insert(each.step);
  for (HalfSave& each : find_half_saves(with_pieces, made, holds, known_with_pieces)) {
    if (steps.contains(each.step)) continue;
    each.is_over = true;
    halves.push_back(std::move(each));
  }
  add_torn_ones(halves, found, kinds);
  std::ranges::stable_sort(halves, std::ranges::greater(), &HalfSave::step);
  return without_answers(std::move(halves), made);
}

}  // namespace reprise::agent
