#include "runtime/cache/store.h"

#include <gtest/gtest.h>

#include <random>

#include "runtime/testing/thing.h"

namespace reprise::runtime {
namespace {

using testing::Thing;
using Ptr = Store<Thing>::Ptr;

// The simplest model of a store.
struct Model {
  std::map<ObjectKey, Ptr> objects;

  [[nodiscard]] std::vector<Ptr> all() const {
    std::vector<Ptr> result;
    for (const auto& [key, object] : objects) result.push_back(object);
    return result;
  }
  [[nodiscard]] std::vector<Ptr> coloured(std::string_view color) const {
    std::vector<Ptr> result;
    for (const auto& [key, object] : objects) {
      if (object->meta.label("color") == color) result.push_back(object);
    }
    return result;
  }
  [[nodiscard]] Ptr by_uid(std::string_view uid) const {
    for (const auto& [key, object] : objects) {
      if (object->meta.uid == uid) return object;
    }
    return nullptr;
  }
};

class StoreProperty : public ::testing::TestWithParam<unsigned> {
 protected:
  StoreProperty() {
    store.add_index("color", [](const Thing& thing) {
      // An index may name a key twice, or none.
      const std::string color(thing.meta.label("color"));
      return color.empty() ? std::vector<std::string>() : std::vector{color, color};
    });
  }

  std::size_t below(std::size_t limit) { return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random); }
  ObjectKey any_key() { return {namespaces[below(namespaces.size())], "n" + std::to_string(below(12))}; }
  // A few uids for each key: an object made anew under its old name.
  Ptr any_object(const ObjectKey& key) {
    Thing thing;
    thing.meta.namespace_ = key.namespace_;
    thing.meta.name = key.name;
    thing.meta.uid = to_string(key) + "#" + std::to_string(below(3));
    thing.meta.resource_version = std::to_string(100 + ++version);
    thing.meta.labels.insert_or_assign("color", colors[below(colors.size())]);
    return std::make_shared<const Thing>(std::move(thing));
  }

  void compare() {
    ASSERT_EQ(store.size(), model.objects.size());
    ASSERT_EQ(store.all(), model.all());
    for (const std::string& color : colors) {
      ASSERT_EQ(store.by_index("color", color), color.empty() ? std::vector<Ptr>() : model.coloured(color));
    }
    for (const std::string& ns : namespaces) {
      for (int i = 0; i < 12; ++i) {
        const ObjectKey key{ns, "n" + std::to_string(i)};
        const auto found = model.objects.find(key);
        ASSERT_EQ(store.get(key), found == model.objects.end() ? nullptr : found->second);
        for (int n = 0; n < 3; ++n) {
          const std::string uid = to_string(key) + "#" + std::to_string(n);
          ASSERT_EQ(store.by_uid(uid), model.by_uid(uid));
          ASSERT_EQ(store.holds_undeleted(uid), model.by_uid(uid) != nullptr);
        }
      }
    }
  }

  void upsert(const std::string& scope, const Ptr& object) {
    const auto change = store.upsert(scope, object);
    Ptr& there = model.objects[key_of(*object)];
    ASSERT_EQ(change.before, there);
    ASSERT_EQ(change.after, object);
    there = object;
    ASSERT_EQ(store.resource_version(scope), object->meta.resource_version);
  }
  void erase(const std::string& scope, const ObjectKey& key) {
    const std::string at = std::to_string(100 + ++version);
    const auto found = model.objects.find(key);
    ASSERT_EQ(store.erase(scope, key, at), found == model.objects.end() ? nullptr : found->second);
    if (found != model.objects.end()) model.objects.erase(found);
    ASSERT_EQ(store.resource_version(scope), at);
  }
  // A list that has lost some objects, kept some as they were, and changed or made others.
  void replace(const std::string& scope) {
    Store<Thing>::Objects list;
    std::map<ObjectKey, Ptr> next;
    for (int i = 0; i < 12; ++i) {
      const ObjectKey key{scope.empty() ? namespaces[below(namespaces.size())] : scope, "n" + std::to_string(i)};
      const auto known = model.objects.find(key);
      if (below(3) == 0) continue;
      next[key] = known != model.objects.end() && below(2) == 0 ? known->second : any_object(key);
      list.put(next[key]);
    }
    std::map<ObjectKey, std::pair<Ptr, Ptr>> want;
    for (const auto& [key, object] : model.objects) {
      if ((scope.empty() || key.namespace_ == scope) && !next.contains(key)) want[key] = {object, nullptr};
    }
    for (const auto& [key, object] : next) {
      const auto known = model.objects.find(key);
      if (known == model.objects.end()) {
        want[key] = {nullptr, object};
      } else if (known->second != object) {
        want[key] = {known->second, object};
      }
    }
    store.begin_list(scope);
    const std::string at = std::to_string(100 + ++version);
    std::map<ObjectKey, std::pair<Ptr, Ptr>> seen;
    for (auto& change : store.replace(scope, std::move(list), at)) {
      const ObjectKey key = key_of(change.after ? *change.after : *change.before);
      ASSERT_TRUE(seen.emplace(key, std::pair(change.before, change.after)).second) << to_string(key) << " twice";
    }
    ASSERT_EQ(seen, want);
    for (const auto& [key, change] : want) {
      if (!change.second) model.objects.erase(key);
    }
    for (const auto& [key, object] : next) model.objects[key] = object;
    ASSERT_EQ(store.list_in_use(scope), store.lists_begun(scope));
    ASSERT_EQ(store.resource_version(scope), at);
  }

  std::mt19937 random{GetParam()};
  int version = 0;
  std::vector<std::string> namespaces{"a", "b", "c"};
  std::vector<std::string> colors{"", "red", "green"};
  bool scoped = GetParam() % 2 == 0;
  Store<Thing> store{scoped ? namespaces : std::vector<std::string>()};
  Model model;
};

TEST_P(StoreProperty, answers_like_a_plain_map_whatever_happens_to_it) {
  for (int step = 0; step < 300; ++step) {
    const ObjectKey key = any_key();
    const std::string scope = scoped ? key.namespace_ : "";
    switch (below(8)) {
      case 0:
        ASSERT_NO_FATAL_FAILURE(replace(scope));
        break;
      case 1:
      case 2:
      case 3:
        ASSERT_NO_FATAL_FAILURE(erase(scope, key));
        break;
      default:
        ASSERT_NO_FATAL_FAILURE(upsert(scope, any_object(key)));
    }
    ASSERT_NO_FATAL_FAILURE(compare()) << "after step " << step;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, StoreProperty, ::testing::Range(0U, 40U));

TEST(Store, counts_the_memory_of_what_it_holds_and_of_nothing_else) {
  const auto thing = [](const std::string& name, std::size_t annotation) {
    Thing made;
    made.meta.name = name;
    made.meta.uid = "u-" + name;
    made.meta.annotations.emplace("note", std::string(annotation, 'x'));
    return std::make_shared<const Thing>(std::move(made));
  };
  Store<Thing> store;
  (void)store.upsert("", thing("a", 10));
  const std::size_t small = store.bytes();
  (void)store.upsert("", thing("a", 10'010));
  EXPECT_NEAR(static_cast<double>(store.bytes() - small), 10'000, 100);
  (void)store.upsert("", thing("b", 10));
  (void)store.erase("", {"", "b"}, "3");
  (void)store.upsert("", thing("a", 10));
  EXPECT_NEAR(static_cast<double>(store.bytes()), static_cast<double>(small), 100);  // the slot of "b" is kept
}

TEST(SlotTable, finds_every_slot_however_hashes_collide) {
  std::mt19937 random(7);
  std::uniform_int_distribution<Slot> any_slot(0, 499);
  SlotTable table;
  std::map<Slot, std::size_t> there;
  for (int step = 0; step < 20'000; ++step) {
    const Slot slot = any_slot(random);
    const std::size_t hash = slot % 40;  // a dozen slots under each hash
    if (there.erase(slot) == 1) {
      table.erase(hash, slot);
    } else {
      table.insert(hash, slot);
      there[slot] = hash;
    }
    const Slot probe = any_slot(random);
    ASSERT_EQ(table.find(probe % 40, [&](Slot at) { return at == probe; }), there.contains(probe) ? probe : no_slot);
  }
}

}  // namespace
}  // namespace reprise::runtime
