// A stream of chance that belongs to one thing alone: an addition leaves every other draw of a seed as it was, whatever
// the order of additions.
#pragma once

#include <cstdint>
#include <string_view>

#include "runtime/base/random.h"

namespace reprise::simulator {

// FNV-1a: the same on every machine and in every build, which std::hash does not promise.
constexpr std::uint64_t hash_of_name(std::string_view name) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char letter : name) hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3;
  return hash;
}

// `name`: unique among all streams of a scenario, such as a fault's name or "workload/pre-stop".
inline runtime::SeededRandom own_stream(std::uint64_t seed, std::string_view name) {
  return runtime::SeededRandom(seed ^ hash_of_name(name));
}

}  // namespace reprise::simulator
