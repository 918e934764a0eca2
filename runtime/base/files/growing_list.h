// Reads a list that grows while its entries are looked at, as /proc does: who stood in it may have made another and be
// gone before its turn.
#pragma once

#include <set>

namespace reprise::runtime {

// So often at the most: a list that grows for ever holds nobody up.
inline constexpr int kMostReadings = 16;

// `read()` gives the entries of now. `tell(entry)` is called once for each, until a reading brings no new one: whatever
// is in the list at the last reading was told, and looked at after it had come.
template <typename Entry, typename Read, typename Tell>
void tell_each_of_growing(const Read& read, const Tell& tell) {
  std::set<Entry> told;
  for (int reading = 0; reading < kMostReadings; ++reading) {
    const auto before = told.size();
    for (const Entry& each : read())
      if (told.insert(each).second) tell(each);
    if (told.size() == before) return;
  }
}

}  // namespace reprise::runtime
