#include "api/testing/source_tree.h"

namespace reprise::api::testing {

std::string source_tree() {
  return REPRISE_SOURCE_TREE;
}

}  // namespace reprise::api::testing
