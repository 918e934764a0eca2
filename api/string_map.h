// Labels, annotations and the like: a map from text to text in order of the keys, in one block of memory. Objects have
// few entries and there are many objects, so a sorted list takes half of what a tree would. Has std::map's interface as
// far as it is used.
#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace reprise::api {

// Adding in order of the keys, as the API server sends them, takes constant time; otherwise adding and erasing take
// linear time. Both make iterators invalid.
class StringMap {
 public:
  using key_type = std::string;
  using mapped_type = std::string;
  using value_type = std::pair<std::string, std::string>;
  using iterator = std::vector<value_type>::iterator;
  using const_iterator = std::vector<value_type>::const_iterator;

  StringMap() = default;
  // Of several values for one key the first counts.
  StringMap(std::initializer_list<value_type> entries) {
    for (const value_type& entry : entries) emplace(entry.first, entry.second);
  }

  [[nodiscard]] const_iterator begin() const { return entries_.begin(); }
  [[nodiscard]] const_iterator end() const { return entries_.end(); }
  [[nodiscard]] iterator begin() { return entries_.begin(); }
  [[nodiscard]] iterator end() { return entries_.end(); }
  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  [[nodiscard]] bool empty() const { return entries_.empty(); }
  // Of entries, for estimates of memory.
  [[nodiscard]] std::size_t capacity() const { return entries_.capacity(); }

  [[nodiscard]] const_iterator find(std::string_view key) const {
    const auto at = place(key);
    return at != entries_.end() && at->first == key ? at : entries_.end();
  }
  [[nodiscard]] iterator find(std::string_view key) {
    const auto at = place(key);
    return at != entries_.end() && at->first == key ? at : entries_.end();
  }
  [[nodiscard]] bool contains(std::string_view key) const { return find(key) != end(); }
  [[nodiscard]] std::size_t count(std::string_view key) const { return contains(key) ? 1 : 0; }
  // Throws std::out_of_range.
  [[nodiscard]] const std::string& at(std::string_view key) const {
    const auto found = find(key);
    if (found == end()) throw std::out_of_range("no entry " + std::string(key));
    return found->second;
  }
  std::string& operator[](std::string_view key) { return emplace(key, std::string()).first->second; }

  // Leaves what is there as it is.
  template <class Key, class Value>
  std::pair<iterator, bool> emplace(Key&& key, Value&& value) {
    const std::string_view name(key);
    const auto at = place(name);
    if (at != entries_.end() && at->first == name) return {at, false};
    return {make(at, std::string(std::forward<Key>(key)), std::string(std::forward<Value>(value))), true};
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
    auto placed = emplace(std::forward<Key>(key), std::string());
    placed.first->second = std::forward<Value>(value);
    return placed;
  }
  iterator erase(const_iterator at) { return entries_.erase(at); }
  std::size_t erase(std::string_view key) {
    const auto at = find(key);
    if (at == end()) return 0;
    entries_.erase(at);
    return 1;
  }
  void clear() { entries_.clear(); }
  // For objects that are kept: no room for more entries.
  void shrink_to_fit() { entries_.shrink_to_fit(); }

  bool operator==(const StringMap&) const = default;
  auto operator<=>(const StringMap&) const = default;

 private:
  // Where the key is or would be. The common case while reading: behind everything.
  [[nodiscard]] iterator place(std::string_view key) {
    if (entries_.empty() || entries_.back().first < key) return entries_.end();
    return std::ranges::lower_bound(entries_, key, {}, name_of);
  }
  [[nodiscard]] const_iterator place(std::string_view key) const {
    if (entries_.empty() || entries_.back().first < key) return entries_.end();
    return std::ranges::lower_bound(entries_, key, {}, name_of);
  }
  static std::string_view name_of(const value_type& entry) { return entry.first; }
  iterator make(iterator at, std::string key, std::string value) {
    return entries_.emplace(at, std::move(key), std::move(value));
  }

  std::vector<value_type> entries_;
};

template <class Predicate>
std::size_t erase_if(StringMap& map, Predicate drop) {
  std::size_t erased = 0;
  for (auto at = map.begin(); at != map.end();) {
    if (!drop(*at)) {
      ++at;
      continue;
    }
    at = map.erase(at);
    ++erased;
  }
  return erased;
}

}  // namespace reprise::api
