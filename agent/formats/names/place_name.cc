#include "agent/formats/names/place_name.h"

#include <algorithm>
#include <array>

#include "agent/formats/checkpoint_name.h"
#include "agent/formats/names/name_words.h"

namespace reprise::agent {
namespace {

constexpr std::array<std::string_view, 12> kPlacesOfCheckpoints{"checkpoint", "checkpoints", "ckpt",   "ckpts",
                                                                "snapshot",   "snapshots",   "save",   "saves",
                                                                "steps",      "step",        "epochs", "iterations"};
constexpr std::array<std::string_view, 9> kPlacesOfData{"data",  "dataset", "datasets", "corpus", "shards",
                                                        "cache", "samples", "tokens",   "parquet"};

Place said_of_place_by(std::string_view name) {
  const auto parts = parts_of_name(name);
  if (std::ranges::any_of(parts, &NamePart::is_number)) return Place::Unknown;
  const auto has_one_of = [&](const auto& words) {
    return std::ranges::any_of(
        parts, [&](const NamePart& part) { return std::ranges::find(words, part.text) != words.end(); });
  };
  // "saved_data", "checkpoint-cache"
  if (has_one_of(kPlacesOfData)) return Place::OfData;
  return has_one_of(kPlacesOfCheckpoints) ? Place::OfCheckpoints : Place::Unknown;
}

}  // namespace

Place said_of_place(std::string_view directories) {
  for (; !directories.empty(); directories = directory_of(directories))
    if (const Place place = said_of_place_by(last_part(directories)); place != Place::Unknown) return place;
  return Place::Unknown;
}

}  // namespace reprise::agent
