// A manifest with any content: a value of bounded size and depth, or an error that names the line.
#include <algorithm>

#include "runtime/base/yaml_check.h"
#include "simulator/api_server/patch/yaml.h"
#include "tests/fuzz/invariant.h"

namespace {

using reprise::simulator::Value;

std::size_t depth_of(const Value& value) {
  std::size_t deepest = 0;
  if (value.is_array())
    for (const Value& each : value.get_array()) deepest = std::max(deepest, depth_of(each));
  if (value.is_object())
    for (const auto& member : value.get_object()) deepest = std::max(deepest, depth_of(member.value()));
  return value.is_structured() ? deepest + 1 : 0;
}

std::size_t values_of(const Value& value) {
  std::size_t sum = 1;
  if (value.is_array())
    for (const Value& each : value.get_array()) sum += values_of(each);
  if (value.is_object())
    for (const auto& member : value.get_object()) sum += values_of(member.value());
  return sum;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto value = reprise::simulator::read_yaml(reprise::fuzz::text_of(data, size));
  const reprise::runtime::YamlLimits limits;
  if (value) {
    reprise::fuzz::invariant(depth_of(*value) <= limits.depth, "what is accepted is not nested deeper than the limit");
    reprise::fuzz::invariant(values_of(*value) <= limits.values,
                             "what is accepted holds no more values than the limit");
  } else {
    reprise::fuzz::invariant(value.error().message.starts_with("line "), "a rejection names the line");
  }
  return 0;
}
