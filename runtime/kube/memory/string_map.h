// Labels, annotations and the like: a map from text to text in order of the keys, in one block of memory that copies
// share (see list.h). Objects have few entries and there are many objects. Has std::map's interface as far as it is
// used.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
#include "runtime/kube/list.h"
#include "runtime/kube/text.h"

namespace reprise::kube {

// Finding takes logarithmic time; adding and erasing take linear time and make iterators invalid.
class StringMap {
 public:
  using key_type = Text;
  using mapped_type = Text;
  using value_type = std::pair<Text, Text>;
  using Entries = List<value_type>;
  using iterator = Entries::iterator;
  using const_iterator = Entries::const_iterator;

  StringMap() = default;
  // The first of several values for one key counts.
  StringMap(std::initializer_list<value_type> entries) {
    for (const value_type& entry : entries) emplace(entry.first, entry.second);
  }

  [[nodiscard]] const_iterator begin() const { return entries_.begin(); }
  [[nodiscard]] const_iterator end() const { return entries_.end(); }
  [[nodiscard]] iterator begin() { return entries_.begin(); }
  [[nodiscard]] iterator end() { return entries_.end(); }
  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  [[nodiscard]] bool empty() const { return entries_.empty(); }
  // The entries, for pools and estimates of memory.
  [[nodiscard]] const Entries& entries() const { return entries_; }
  [[nodiscard]] Entries& entries() { return entries_; }

  [[nodiscard]] const_iterator find(std::string_view key) const {
    const std::size_t at = place(key);
    return holds(at, key) ? begin() + at : end();
  }
  [[nodiscard]] iterator find(std::string_view key) {
    const std::size_t at = place(key);
    return holds(at, key) ? begin() + at : end();
  }
  [[nodiscard]] bool contains(std::string_view key) const { return holds(place(key), key); }
  [[nodiscard]] std::size_t count(std::string_view key) const { return contains(key) ? 1 : 0; }
  // Throws std::out_of_range.
  [[nodiscard]] const Text& at(std::string_view key) const {
    const auto found = find(key);
    if (found == end()) throw std::out_of_range("no entry " + std::string(key));
    return found->second;
  }
  Text& operator[](std::string_view key) { return emplace(key, Text()).first->second; }

  // Leaves an existing entry as it is.
  template <class Key, class Value>
  std::pair<iterator, bool> emplace(Key&& key, Value&& value) {
    const std::string_view name(key);
    const std::size_t at = place(name);
    if (holds(at, name)) return {begin() + at, false};
    return {entries_.insert(at, {Text(std::forward<Key>(key)), Text(std::forward<Value>(value))}), true};
  }
  template <class Key, class Value>
  std::pair<iterator, bool> try_emplace(Key&& key, Value&& value) {
    return emplace(std::forward<Key>(key), std::forward<Value>(value));
  }
  std::pair<iterator, bool> insert(value_type entry) {
    return emplace(std::move(entry.first), std::move(entry.second));
  }
  template <class Iterator>
  void insert(Iterator first, Iterator last) {
    for (; first != last; ++first) emplace(first->first, first->second);
  }
  template <class Key, class Value>
  std::pair<iterator, bool> insert_or_assign(Key&& key, Value&& value) {
    const std::string_view name(key);
    const std::size_t at = place(name);
    if (!holds(at, name)) return emplace(std::forward<Key>(key), std::forward<Value>(value));
    entries_[at].second = std::forward<Value>(value);
    return {begin() + at, false};
  }
  iterator erase(const_iterator at) { return entries_.erase(at); }
  std::size_t erase(std::string_view key) {
    const std::size_t at = place(key);
    if (!holds(at, key)) return 0;
    entries_.erase(std::as_const(entries_).begin() + at);
    return 1;
  }
  void clear() { entries_.clear(); }

  bool operator==(const StringMap&) const = default;
  auto operator<=>(const StringMap&) const = default;

 private:
  // The place of the key, or where it would be. The common case while reading: behind everything.
  [[nodiscard]] std::size_t place(std::string_view key) const {
    if (entries_.empty() || entries_.back().first < key) return entries_.size();
    const auto at = std::ranges::lower_bound(entries_, key, std::less<>(), name_of);
    return static_cast<std::size_t>(at - entries_.begin());
  }
  [[nodiscard]] bool holds(std::size_t at, std::string_view key) const {
    return at != entries_.size() && entries_[at].first == key;
  }
  static std::string_view name_of(const value_type& entry) { return entry.first; }

  Entries entries_;
};

// Takes one copy, however many go.
template <class Predicate>
std::size_t erase_if(StringMap& map, Predicate drop) {
  const StringMap& all = map;
  if (std::ranges::none_of(all, drop)) return 0;
  std::vector<StringMap::value_type> kept;
  std::ranges::copy_if(all, std::back_inserter(kept), std::not_fn(drop));
  const std::size_t erased = all.size() - kept.size();
  map.entries() = std::move(kept);
  return erased;
}

}  // namespace reprise::kube
