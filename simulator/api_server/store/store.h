// The objects and their history: etcd's part. Knows no rule but that each write is a new version.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "simulator/api_server/api_server.h"
#include "simulator/api_server/store/version.h"

namespace reprise::simulator {

// "namespace/name", or "name": objects are in order of these bytes, as they are in etcd.
[[nodiscard]] std::string key_of(std::string_view namespace_, std::string_view name);

struct Record {
  Change change = Change::Added;
  ResourceId resource;
  std::string key;
  VersionPtr now;  // Deleted: the last state with the version of the deletion
  VersionPtr before;
};

class Store {
 public:
  using Objects = std::map<std::string, VersionPtr, std::less<>>;

  [[nodiscard]] VersionPtr get(ResourceId resource, std::string_view key) const;
  // All, or those of one namespace, in order.
  [[nodiscard]] std::vector<VersionPtr> list(ResourceId resource, std::string_view namespace_) const;
  // The same, from that key on, without copies.
  template <class Visit>
  void each(ResourceId resource, std::string_view namespace_, const std::string& from, Visit&& visit) const {
    const auto [begin, end] = range(resource, namespace_, from);
    for (auto at = begin; at != end; ++at) visit(at->first, at->second);
  }
  // The objects as they were at that version, which is not compacted. With their keys.
  [[nodiscard]] Objects at(ResourceId resource, std::string_view namespace_, std::uint64_t version) const;

  VersionPtr put(ResourceId resource, const std::string& key, Value object);
  // `last`: the state that watchers see as deleted.
  VersionPtr erase(ResourceId resource, const std::string& key, Value last);

  [[nodiscard]] std::uint64_t version() const { return version_; }
  // Older versions than this cannot be asked for.
  [[nodiscard]] std::uint64_t compacted() const { return compacted_; }
  void compact();

  // The first record of the kind after that version, if any. compacted() <= version.
  [[nodiscard]] const Record* next_record(ResourceId resource, std::uint64_t version) const;
  // True when a change of this kind after that version was compacted, or that version was.
  [[nodiscard]] bool forgot(ResourceId resource, std::uint64_t version) const;
  [[nodiscard]] const std::deque<Record>& history() const { return history_; }

  [[nodiscard]] std::unique_ptr<ApiServer::Subscription> subscribe(std::optional<ResourceId> resource,
                                                                   std::function<void(const ObjectChange&)> on_change);

 private:
  struct Kind {
    Objects objects;
    std::deque<std::uint64_t> versions;  // versions of the records of this kind
    std::uint64_t forgotten = 0;         // the last one that was compacted
  };
  struct Listeners;
  class Handle;

  using Range = std::pair<Objects::const_iterator, Objects::const_iterator>;
  [[nodiscard]] Range range(ResourceId resource, std::string_view namespace_, const std::string& from) const;
  [[nodiscard]] const Kind* kind(ResourceId resource) const;
  Kind& kind(ResourceId resource);
  VersionPtr write(Record record);
  void tell(const ObjectChange& change) const;

  std::uint64_t version_ = 0, compacted_ = 0;
  std::vector<Kind> kinds_;
  std::deque<Record> history_;  // versions compacted_ + 1 to version_
  std::shared_ptr<Listeners> listeners_;
};

[[nodiscard]] ObjectChange change_of(const Record& record);

}  // namespace reprise::simulator
