#include "agent/formats/search/checkpoint_search.h"

namespace reprise::agent {

void count_looks(SearchMemory& memory, int looks) {
  for (auto& [path, each] : memory.complete) each.looks_since += looks;
  for (auto& [path, each] : memory.directories)
    if (each.looks_unchanged > 0) each.looks_unchanged += looks;
  if (memory.looks_since_hidden > 0) memory.looks_since_hidden += looks;
}

}  // namespace reprise::agent
