#include "simulator/api_server/patch/patch_merge.h"

namespace reprise::simulator {

void apply_merge_patch(Value& target, const Value& patch) {
  const JsonObject* members = patch.if_object();
  if (members == nullptr) {
    target = patch;
    return;
  }
  if (!target.is_object()) target.emplace_object();
  JsonObject& into = target.get_object();
  for (const auto& [name, value] : *members) {
    if (value.is_null()) {
      into.erase(name);
    } else {
      apply_merge_patch(into[name], value);
    }
  }
}

}  // namespace reprise::simulator
