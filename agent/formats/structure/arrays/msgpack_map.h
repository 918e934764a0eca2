// Files that hold one map of MessagePack, as Flax writes a training's state.
#pragma once

#include <string>
#include <vector>

#include "agent/formats/structure/checked_file.h"
#include "agent/formats/structure/flaw.h"

namespace reprise::agent {

struct MsgpackMap {
  enum class End { AtTheFiles, CutOff, NotKnown };  // NotKnown: it is none, more follows it, or it has too many values
  End end = End::NotKnown;
  std::vector<std::string> keys = {};  // keys of the map itself that are texts
};

// Long values are passed over without being read.
[[nodiscard]] runtime::Result<MsgpackMap> read_msgpack_map(const CheckedFile& file);

}  // namespace reprise::agent
