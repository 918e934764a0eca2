#include "simulator/api_server/store/store.h"

#include <algorithm>
#include <utility>

namespace reprise::simulator {
namespace {

VersionPtr numbered(Value object, std::uint64_t version) {
  object.get_object()["metadata"].get_object()["resourceVersion"] = std::to_string(version);
  return std::make_shared<const Version>(std::move(object), version);
}

}  // namespace

// Outlived by handles, so shared with them. Listeners may come and go while they are called.
struct Store::Listeners {
  struct Listener {
    std::optional<ResourceId> only;
    std::function<void(const ObjectChange&)> tell;
  };
  std::vector<std::shared_ptr<const Listener>> in_order;
};

class Store::Handle final : public ApiServer::Subscription {
 public:
  Handle(std::weak_ptr<Listeners> listeners, std::weak_ptr<const Listeners::Listener> own)
      : listeners_(std::move(listeners)), own_(std::move(own)) {}
  ~Handle() override {
    if (const auto listeners = listeners_.lock()) std::erase(listeners->in_order, own_.lock());
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

 private:
  std::weak_ptr<Listeners> listeners_;
  std::weak_ptr<const Listeners::Listener> own_;
};

std::string key_of(std::string_view namespace_, std::string_view name) {
  std::string key;
  key.reserve(namespace_.size() + 1 + name.size());
  if (!namespace_.empty()) key.append(namespace_).append("/");
  return key.append(name);
}

const Store::Kind* Store::kind(ResourceId resource) const {
  return resource.index < kinds_.size() ? &kinds_[resource.index] : nullptr;
}

Store::Kind& Store::kind(ResourceId resource) {
  if (resource.index >= kinds_.size()) kinds_.resize(resource.index + 1U);
  return kinds_[resource.index];
}

VersionPtr Store::get(ResourceId resource, std::string_view key) const {
  const Kind* of = kind(resource);
  if (of == nullptr) return nullptr;
  const auto found = of->objects.find(key);
  return found == of->objects.end() ? nullptr : found->second;
}

Store::Range Store::range(ResourceId resource, std::string_view namespace_, const std::string& from) const {
  static const Objects none;
  const Kind* of = kind(resource);
  if (of == nullptr) return {none.end(), none.end()};
  if (namespace_.empty()) return {of->objects.lower_bound(from), of->objects.end()};
  std::string bound(namespace_);
  bound += '/';
  std::string end = bound;
  end.back() = '/' + 1;
  const auto last = of->objects.lower_bound(end);
  return {from < end ? of->objects.lower_bound(std::max(bound, from)) : last, last};
}

std::vector<VersionPtr> Store::list(ResourceId resource, std::string_view namespace_) const {
  std::vector<VersionPtr> found;
  each(resource, namespace_, {}, [&](const std::string&, const VersionPtr& version) { found.push_back(version); });
  return found;
}

Store::Objects Store::at(ResourceId resource, std::string_view namespace_, std::uint64_t version) const {
  Objects objects;
  const Kind* of = kind(resource);
  if (of == nullptr) return objects;
  const auto [begin, end] = range(resource, namespace_, {});
  objects.insert(begin, end);
  const std::string prefix = namespace_.empty() ? std::string{} : std::string(namespace_) + "/";
  // Goes back in time, from the latest change.
  for (auto later = of->versions.rbegin(); later != of->versions.rend() && *later > version; ++later) {
    const Record& record = history_[*later - compacted_ - 1];
    if (!record.key.starts_with(prefix)) continue;
    if (record.before) {
      objects[record.key] = record.before;
    } else {
      objects.erase(record.key);
    }
  }
  return objects;
}

VersionPtr Store::write(Record record) {
  VersionPtr written = record.now;
  version_ = written->number();
  kind(record.resource).versions.push_back(version_);
  history_.push_back(std::move(record));
  if (listeners_) tell(change_of(history_.back()));
  return written;
}

void Store::tell(const ObjectChange& change) const {
  std::vector<std::shared_ptr<const Listeners::Listener>> notified;
  notified.reserve(listeners_->in_order.size());
  for (const auto& listener : listeners_->in_order) {
    if (!listener->only || *listener->only == change.resource) notified.push_back(listener);
  }
  for (const auto& listener : notified) listener->tell(change);
}

VersionPtr Store::put(ResourceId resource, const std::string& key, Value object) {
  VersionPtr& place = kind(resource).objects[key];
  VersionPtr before = place;
  const Change change = before ? Change::Modified : Change::Added;
  Record record{change, resource, key, nullptr, std::move(before)};
  record.now = place = numbered(std::move(object), version_ + 1);
  return write(std::move(record));
}

VersionPtr Store::erase(ResourceId resource, const std::string& key, Value last) {
  Kind& of = kind(resource);
  const auto found = of.objects.find(key);
  Record record{Change::Deleted, resource, key, nullptr, found->second};
  of.objects.erase(found);
  record.now = numbered(std::move(last), version_ + 1);
  return write(std::move(record));
}

void Store::compact() {
  history_.clear();
  for (Kind& of : kinds_) {
    if (!of.versions.empty()) of.forgotten = of.versions.back();
    of.versions.clear();
  }
  compacted_ = version_;
}

bool Store::forgot(ResourceId resource, std::uint64_t version) const {
  const Kind* of = kind(resource);
  return of != nullptr && version < of->forgotten;
}

const Record* Store::next_record(ResourceId resource, std::uint64_t version) const {
  const Kind* of = kind(resource);
  if (of == nullptr) return nullptr;
  const auto found = std::upper_bound(of->versions.begin(), of->versions.end(), version);
  return found == of->versions.end() ? nullptr : &history_[*found - compacted_ - 1];
}

std::unique_ptr<ApiServer::Subscription> Store::subscribe(std::optional<ResourceId> resource,
                                                          std::function<void(const ObjectChange&)> on_change) {
  if (!listeners_) listeners_ = std::make_shared<Listeners>();
  auto listener = std::make_shared<const Listeners::Listener>(resource, std::move(on_change));
  listeners_->in_order.push_back(listener);
  return std::make_unique<Handle>(listeners_, std::move(listener));
}

ObjectChange change_of(const Record& record) {
  return {.version = record.now->number(),
          .resource = record.resource,
          .change = record.change,
          .object = object_of(record.now),
          .before = object_of(record.before)};
}

}  // namespace reprise::simulator
