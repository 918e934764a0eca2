#include "agent/formats/search/nested_checkpoints.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "agent/formats/checkpoint.h"
#include "agent/formats/checkpoint_name.h"
#include "agent/formats/names/copied_name.h"
#include "agent/formats/names/date_in_name.h"
#include "agent/formats/names/place_name.h"
#include "agent/formats/names/step_directory.h"
#include "agent/formats/names/unfinished_name.h"

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

bool is_numbered_below_root(const FoundCheckpoint& each) {
  const std::size_t name = each.path.rfind('/');
  return each.format == kMarkerFormat && name != std::string::npos &&
         each.path.find_first_not_of("0123456789", name + 1) == std::string::npos;
}

// "data/20261124/_SUCCESS", but not "checkpoints/005000/_COMPLETE".
bool is_partition_of_data(const FoundCheckpoint& each) {
  constexpr std::string_view kOfSpark = "_SUCCESS";
  if (!is_numbered_below_root(each)) return false;
  switch (said_of_place(directory_of(each.path))) {
    case Place::OfCheckpoints:
      return false;
    case Place::OfData:
      return true;
    case Place::Unknown:
      break;
  }
  return each.judgement.flaw || each.judgement.mark == kOfSpark || is_day(last_part(each.path));
}

void tell(Unsearched::Some& of, const FoundCheckpoint& each) {
  if (!is_one_by_name_alone(each) || !each.judgement.mark.empty()) of.add(each.path);
}

// A torn one among whole ones of a marker is none of data either.
void leave_out_data(Found& found, NotTaken& left) {
  Paths marked;
  for (const FoundCheckpoint& each : found)
    if (!each.judgement.flaw && is_numbered_below_root(each) && !is_partition_of_data(each))
      marked.insert(naming_of(each.path));
  std::erase_if(found, [&](const FoundCheckpoint& each) {
    if (!is_partition_of_data(each) || (each.judgement.flaw && marked.contains(naming_of(each.path)))) return false;
    tell(left.data, each);
    return true;
  });
}

void leave_out_parts(Found& found, NotTaken& left) {
  Paths marked, torn;
  for (const FoundCheckpoint& each : found)
    if (each.format == kMarkerFormat && !each.judgement.flaw) marked.insert(naming_of(each.path));
  for (const FoundCheckpoint& each : found)
    if (is_one_by_name_alone(each) && marked.contains(naming_of(each.path))) torn.insert(each.path);
  std::erase_if(found, [&](const FoundCheckpoint& each) {
    const bool lies_in_torn =
        std::ranges::any_of(holders_of(each.path), [&](const std::string& holder) { return torn.contains(holder); });
    if (!lies_in_torn && step_around(each.path).empty()) return false;
    tell(left.parts, each);
    return true;
  });
}

void leave_out_unfinished(Found& found, NotTaken& left) {
  std::erase_if(found, [&](const FoundCheckpoint& each) {
    if (!is_place_of_unfinished(directory_of(each.path))) return false;
    tell(left.unfinished, each);
    return true;
  });
}

void leave_out_copies(Found& found, NotTaken& left) {
  std::erase_if(found, [&](const FoundCheckpoint& each) {
    if (!names_copy(last_part(each.path)) && !is_place_of_copies(directory_of(each.path))) return false;
    tell(left.copies, each);
    return true;
  });
}

}  // namespace

bool is_one_by_name_alone(const FoundCheckpoint& found) {
  return found.format == kMarkerFormat && found.judgement.flaw;
}

Found without_nested(Found found, NotTaken& left) {
  leave_out_unfinished(found, left);
  leave_out_copies(found, left);
  leave_out_parts(found, left);
  leave_out_data(found, left);
  Paths holders;
  for (const FoundCheckpoint& each : found)
    if (!is_one_by_name_alone(each)) holders.merge(holders_of(each.path));
  std::erase_if(found,
                [&](const FoundCheckpoint& each) { return is_one_by_name_alone(each) && holders.contains(each.path); });
  return found;
}

}  // namespace reprise::agent
