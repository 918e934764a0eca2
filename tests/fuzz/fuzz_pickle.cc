// The pickles that torch writes beside its shards.
#include "agent/formats/structure/torch/dcp_metadata.h"
#include "agent/formats/structure/torch/pickle.h"
#include "tests/fuzz/invariant.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = reprise::fuzz::text_of(data, size);
  if (const auto pickle = reprise::agent::read_pickle(text)) {
    reprise::fuzz::invariant(pickle->size() <= text.size(), "a node needs a byte at least");
    for (const auto& node : *pickle) {
      for (const std::size_t item : node.items) reprise::fuzz::invariant(item < pickle->size(), "an item is a node");
      if (node.state) reprise::fuzz::invariant(*node.state < pickle->size(), "a state is a node");
    }
  }
  if (const auto stored = reprise::agent::files_in_metadata(text)) {
    for (const auto& [file, pieces] : *stored)
      for (const auto& piece : pieces)
        reprise::fuzz::invariant(piece.end() >= piece.offset, "a piece does not overflow");
  }
  return 0;
}
