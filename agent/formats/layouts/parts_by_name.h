// The parts of a save as its files' names tell them: what ranks and shards have written differs in a number. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "agent/formats/checkpoint.h"
#include "agent/formats/verify/holds.h"

namespace reprise::agent {

// 3 of "model-00001-of-00003.safetensors", "rank_0_of_3.pt" and "optim_world_size_3_rank_0.pt"; nothing of
// "step_40_of_100.pt" and "fold_1_of_5.pt".
[[nodiscard]] std::optional<std::int64_t> count_in_name(std::string_view path);

class PartsByName {
 public:
  void add(const std::string& path);
  // The first whose name counts more like it than there are, and how many there are. Of ranks' parts those of this
  // volume have to be there, of a model's weights all ("model-00001-of-00003.safetensors"): each rank loads them whole.
  struct TooFew {
    std::string path;
    std::size_t there = 0;
    std::int64_t needed = 0;
  };
  [[nodiscard]] std::optional<TooFew> too_few(HeldParts held = {}) const;
  // The first of another save of whose kind of name none is here.
  [[nodiscard]] std::optional<std::string> lacks_kind(const PartsByName& other) const;
  [[nodiscard]] std::vector<StateFiles> kinds() const;

 private:
  struct Alike {
    std::set<std::string> paths;
    std::map<std::int64_t, std::set<std::string>> by_count;
  };
  std::map<std::string, Alike> alike_;  // by the path but for its numbers
};

}  // namespace reprise::agent
