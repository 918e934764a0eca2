#include "agent/formats/nested_checkpoints.h"

#include <algorithm>
#include <set>
#include <string>

#include "agent/formats/checkpoint.h"
#include "agent/formats/checkpoint_name.h"

namespace reprise::agent {
namespace {

using Found = std::vector<FoundCheckpoint>;
using Paths = std::set<std::string>;

// The directories below the root in which it lies.
Paths holders_of(const std::string& path) {
  Paths holders;
  for (std::size_t slash = path.find('/'); slash != std::string::npos; slash = path.find('/', slash + 1))
    holders.insert(path.substr(0, slash));
  return holders;
}

// "data/20261124"
bool is_partition_of_data(const FoundCheckpoint& each) {
  const std::size_t name = each.path.rfind('/');
  return each.format == kMarkerFormat && name != std::string::npos &&
         each.path.find_first_not_of("0123456789", name + 1) == std::string::npos;
}

void leave_out_parts(Found& found) {
  Paths marked, torn;
  for (const FoundCheckpoint& each : found)
    if (each.format == kMarkerFormat && !each.judgement.flaw) marked.insert(naming_of(each.path));
  for (const FoundCheckpoint& each : found)
    if (is_one_by_name_alone(each) && marked.contains(naming_of(each.path))) torn.insert(each.path);
  std::erase_if(found, [&](const FoundCheckpoint& each) {
    return std::ranges::any_of(holders_of(each.path), [&](const std::string& holder) { return torn.contains(holder); });
  });
}

}  // namespace

bool is_one_by_name_alone(const FoundCheckpoint& found) {
  return found.format == kMarkerFormat && found.judgement.flaw;
}

Found without_nested(Found found) {
  std::erase_if(found, is_partition_of_data);
  leave_out_parts(found);
  Paths holders;
  for (const FoundCheckpoint& each : found)
    if (!is_one_by_name_alone(each)) holders.merge(holders_of(each.path));
  std::erase_if(found,
                [&](const FoundCheckpoint& each) { return is_one_by_name_alone(each) && holders.contains(each.path); });
  return found;
}

}  // namespace reprise::agent
