#include "runtime/manager/internal/own_writes.h"

#include <utility>

#include "runtime/internal/json.h"

namespace reprise::runtime::internal {
namespace {

std::string version_of(const Json::Value& object) {
  return text_of(member(object, "metadata"), "resourceVersion");
}

}  // namespace

void OwnWrites::remember(const ObjectKey& key, std::string owner, std::vector<UnansweredWrite> unanswered) {
  const std::lock_guard lock(mutex_);
  trails_[key] = Trail{std::move(owner), std::move(unanswered)};
}

void OwnWrites::forget(const ObjectKey& key) {
  const std::lock_guard lock(mutex_);
  trails_.erase(key);
}

// Lists, since a client that follows a kind may list it but perhaps not get it.
Result<void> OwnWrites::resolve(const std::string& owner, const UnansweredWrite& write, Client& client) {
  if (!watermarks_.covers(write.kind, write.namespace_)) return {};
  ListOptions options{.limit = 1};
  if (!write.name.empty()) options.field_selector = "metadata.name=" + write.name;
  const auto page = client.list(write.kind, write.namespace_, options);
  if (!page) {
    // The list that brings a kind back is newer than any write from before.
    if (watermarks_.absent(write.kind)) return {};
    return std::unexpected(page.error());
  }
  const auto list = parse_json(*page);
  if (!list) return fail(ErrorClass::Unavailable, "the response of the API server is not JSON");
  const Json::Value& items = member(*list, "items");
  const bool found = items.isArray() && !items.empty();
  if (write.name.empty() || found) {
    watermarks_.wrote(owner, write.kind, write.namespace_, version_of(write.name.empty() ? *list : items[0U]));
  } else if (!write.uid.empty()) {
    watermarks_.removed(owner, write.kind, write.namespace_, write.uid, write.resource_version);
  }
  return {};
}

Result<void> OwnWrites::resolve(const ObjectKey& key, Client& client) {
  while (true) {
    std::string owner;
    UnansweredWrite write;
    {
      const std::lock_guard lock(mutex_);
      const auto trail = trails_.find(key);
      if (trail == trails_.end() || trail->second.unanswered.empty()) return {};
      owner = trail->second.owner;
      write = trail->second.unanswered.back();
    }
    if (auto resolved = resolve(owner, write, client); !resolved) {
      return std::unexpected(std::move(resolved).error().with_context("find out what became of an unanswered write"));
    }
    const std::lock_guard lock(mutex_);
    trails_.at(key).unanswered.pop_back();
  }
}

bool OwnWrites::caught_up(const ObjectKey& key, std::function<void()> wake) {
  std::string owner;
  {
    const std::lock_guard lock(mutex_);
    const auto trail = trails_.find(key);
    if (trail == trails_.end()) return true;
    if (std::exchange(trail->second.waiting, true)) return false;
    owner = trail->second.owner;
  }
  // Marked before asking: the wake may come before the answer does.
  if (!watermarks_.ready_or_wake(owner, std::move(wake))) return false;
  woken(key);
  return true;
}

void OwnWrites::woken(const ObjectKey& key) {
  const std::lock_guard lock(mutex_);
  if (const auto trail = trails_.find(key); trail != trails_.end()) trail->second.waiting = false;
}

}  // namespace reprise::runtime::internal
