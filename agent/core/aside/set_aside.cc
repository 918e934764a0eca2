#include "agent/core/aside/set_aside.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <vector>

#include "agent/json/json.h"

namespace reprise::agent {
namespace {

using runtime::Result;

constexpr std::string_view kDamaged = "damaged-";

bool same(const Checkpoint& found, const Checkpoint& set_aside) {
  return found.name == set_aside.name && found.complete == set_aside.complete &&
         (!found.complete || found.time == set_aside.time);
}

std::optional<Checkpoint> decode_checkpoint(const boost::json::value& value) {
  if (!value.is_object()) return std::nullopt;
  const auto& object = value.get_object();
  const auto name = text_of(object, "name");
  const auto step = number_of(object, "step");
  const auto complete = flag_of(object, "complete");
  const auto time = number_of(object, "timeMicroseconds");
  if (!name || !step || !complete || !time) return std::nullopt;
  return Checkpoint{
      .name = *name, .step = *step, .complete = *complete, .time = runtime::WallTime(std::chrono::microseconds(*time))};
}

boost::json::object encode_checkpoint(const Checkpoint& each) {
  return {{"name", each.name},
          {"step", each.step},
          {"complete", each.complete},
          {"timeMicroseconds", each.time.time_since_epoch().count()}};
}

// Divides them by the bytes of their text: a path may have thousands.
std::vector<Checkpoints> in_lists(const Checkpoints& set_aside, const Identity& by) {
  std::vector<Checkpoints> lists;
  std::size_t bytes = 0;
  for (const Checkpoint& each : set_aside) {
    const std::size_t more = to_text(encode_checkpoint(each)).size() + 1;
    if (lists.empty() || bytes + more > VolumeFiles::kMostInOneList) {
      lists.emplace_back();
      bytes = encode_set_aside({}, by).size();
    }
    bytes += more;
    lists.back().push_back(each);
  }
  return lists;
}

constexpr std::string_view kAdvice =
    ", and which ones count is not known; bring it back, or delete it where none of them is to be left out";

// An agent that was killed while it made the file has promised nothing yet: it is empty. Any other text that says
// nothing may be what a start from scratch has renounced.
Result<void> unreadable(const VolumeLayout& layout, const std::string& name) {
  return runtime::fail(runtime::ErrorClass::Invalid, "read " + (layout.set_aside() / name).string() +
                                                         ": it is no list of checkpoints that were set aside" +
                                                         std::string(kAdvice));
}

// The storage may give it back; where it does not, only a person can say.
Result<Checkpoints> lost_list(runtime::Error error) {
  error.message += ": it lists checkpoints that were set aside" + std::string(kAdvice);
  return std::unexpected(std::move(error));
}

}  // namespace

Checkpoints without_set_aside(Checkpoints found, const Checkpoints& set_aside) {
  std::erase_if(found, [&](const Checkpoint& each) {
    return std::any_of(set_aside.begin(), set_aside.end(), [&](const Checkpoint& other) { return same(each, other); });
  });
  return found;
}

std::string encode_set_aside(const Checkpoints& set_aside, const Identity& by) {
  boost::json::array list;
  for (const Checkpoint& each : set_aside) list.push_back(encode_checkpoint(each));
  return to_text(
      {{"jobUid", by.job_uid}, {"attempt", by.attempt}, {"podUid", by.pod_uid}, {"checkpoints", std::move(list)}});
}

std::optional<Checkpoints> decode_set_aside(std::string_view text) {
  const auto object = parse_object(text);
  const auto* list = object ? object->if_contains("checkpoints") : nullptr;
  if (list == nullptr || !list->is_array()) return std::nullopt;
  Checkpoints set_aside;
  for (const boost::json::value& value : list->get_array()) {
    auto checkpoint = decode_checkpoint(value);
    if (!checkpoint) return std::nullopt;
    set_aside.push_back(std::move(*checkpoint));
  }
  return set_aside;
}

Result<Checkpoints> SetAside::read(const VolumeFiles& files, const VolumeLayout& layout) {
  const auto names = files.list(layout.set_aside());
  if (!names) return std::unexpected(names.error());
  std::vector<std::string> unread;
  {
    const std::lock_guard lock(mutex_);
    for (const std::string& name : *names) {
      if (!name.starts_with('.') && !lists_.contains(name)) unread.push_back(name);
    }
  }
  std::vector<std::filesystem::path> paths;
  for (const std::string& name : unread) paths.push_back(layout.set_aside() / name);
  // Nobody waits for another one's volume: the lock is not held while it is read. Two may read the same list.
  std::map<std::string, Checkpoints> read;
  Result<void> known;
  const auto done = files.read_all(paths, [&](std::size_t at, const auto& text) {
    if (!text || text->empty()) return;
    if (auto list = decode_set_aside(*text))
      read[unread[at]] = std::move(*list);
    else
      known = unreadable(layout, unread[at]);
  });
  if (!done && says_lost(done.error())) return lost_list(done.error());
  if (!done) return std::unexpected(done.error());
  if (!known) return std::unexpected(known.error());
  const std::lock_guard lock(mutex_);
  lists_.merge(read);
  // A person who takes a list away brings its checkpoints back.
  std::erase_if(lists_,
                [&](const auto& each) { return !std::binary_search(names->begin(), names->end(), each.first); });
  return listed({});
}

// Called with the lock held.
Checkpoints SetAside::listed(std::string_view prefix) {
  Checkpoints all;
  for (const auto& [name, list] : lists_)
    if (name.starts_with(prefix)) all.insert(all.end(), list.begin(), list.end());
  return all;
}

Result<Checkpoints> SetAside::read_damaged(const VolumeFiles& files, const VolumeLayout& layout) {
  if (auto all = read(files, layout); !all) return all;
  const std::lock_guard lock(mutex_);
  return listed(kDamaged);
}

Result<void> SetAside::add(const VolumeFiles& files, const VolumeLayout& layout, const Checkpoints& set_aside,
                           const Identity& by, Why why) {
  const std::string prefix(why == Why::Damaged ? kDamaged : std::string_view());
  const auto names = files.list(layout.set_aside());
  if (!names) return std::unexpected(names.error());
  std::size_t number = 0;
  for (const Checkpoints& list : in_lists(set_aside, by)) {
    std::string name;
    do {
      name = prefix + std::to_string(by.attempt) + "-" + by.pod_uid + "-" + std::to_string(number++) + ".json";
    } while (std::binary_search(names->begin(), names->end(), name));
    const auto path = layout.set_aside() / name;
    if (auto written = files.write(path, encode_set_aside(list, by), Sync::Yes); !written) {
      static_cast<void>(files.remove(path));  // a part of it on a full volume
      return written;
    }
  }
  return {};
}

}  // namespace reprise::agent
