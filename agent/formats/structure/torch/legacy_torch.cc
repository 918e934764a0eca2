#include "agent/formats/structure/torch/legacy_torch.h"

#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "agent/formats/structure/torch/pickle.h"
#include "agent/formats/structure/torch/thin_pickle.h"

namespace reprise::agent {
namespace {

// The pickle of torch's magic number, by protocol 2.
constexpr std::string_view kLegacyMagic{"\x80\x02\x8a\x0al\xfc\x9c\x46\xf9\x20j\xa8P\x19.", 15};
constexpr int kLegacyPickles = 5, kLegacyObject = 3;  // magic number, version, machine, object, keys of storages
constexpr std::uint64_t kMostOfLegacyObject = std::uint64_t{16} << 20U, kCountOfStorage = 8;

std::optional<std::uint64_t> bytes_of_storage(std::string_view kind) {
  constexpr std::array<std::pair<std::string_view, std::uint64_t>, 13> kKinds{{{"FloatStorage", 4},
                                                                               {"DoubleStorage", 8},
                                                                               {"HalfStorage", 2},
                                                                               {"BFloat16Storage", 2},
                                                                               {"LongStorage", 8},
                                                                               {"IntStorage", 4},
                                                                               {"ShortStorage", 2},
                                                                               {"CharStorage", 1},
                                                                               {"ByteStorage", 1},
                                                                               {"BoolStorage", 1},
                                                                               {"ComplexFloatStorage", 8},
                                                                               {"ComplexDoubleStorage", 16},
                                                                               {"UntypedStorage", 1}}};
  for (const auto& [name, bytes] : kKinds)
    if (name == kind) return bytes;
  return std::nullopt;
}

// ("storage", FloatStorage, "94283", "cpu", 4096, None): each stands once in the file, however often it is referred to.
// Empty: that cannot be told.
std::optional<std::uint64_t> bytes_of_storages(const Pickle& object) {
  constexpr std::size_t kKind = 1, kKey = 2, kCount = 4;
  std::map<std::string_view, std::uint64_t> storages;
  for (const PickleNode& node : object) {
    if (node.kind != PickleNode::Kind::Sequence || node.items.size() <= kCount) continue;
    const auto item = [&](std::size_t at) -> const PickleNode& { return object[node.items[at]]; };
    if (item(0).kind != PickleNode::Kind::Text || item(0).text != "storage") continue;
    const auto each = bytes_of_storage(item(kKind).text);
    std::uint64_t bytes = 0;
    if (!each || item(kCount).kind != PickleNode::Kind::Number || item(kCount).number < 0 ||
        __builtin_mul_overflow(*each, static_cast<std::uint64_t>(item(kCount).number), &bytes))
      return std::nullopt;
    storages[item(kKey).text] = bytes;
  }
  std::uint64_t all = 0;
  for (const auto& [key, bytes] : storages)
    if (__builtin_add_overflow(all, bytes + kCountOfStorage, &all)) return std::nullopt;
  return all;
}

struct WalkedPickles {
  PickleEnd::Is end = PickleEnd::Is::NotKnown;
  CheckedFile object;
  std::uint64_t storages = 0;  // bytes behind the pickles
};

runtime::Result<WalkedPickles> walk_pickles(const CheckedFile& file) {
  CheckedFile rest = file, object = file;
  for (int at = 0; at < kLegacyPickles; ++at) {
    const auto end = find_pickle_end(rest, kMostOfLegacyObject);
    if (!end) return std::unexpected(end.error());
    if (end->is != PickleEnd::Is::Reached) return WalkedPickles{.end = end->is, .object = object};
    if (at == kLegacyObject) object.begin = rest.begin, object.size = end->at;
    rest.begin += end->at;
    rest.size -= end->at;
  }
  const bool is_small = object.size <= kMostOfLegacyObject;
  return WalkedPickles{
      .end = is_small ? PickleEnd::Is::Reached : PickleEnd::Is::NotKnown, .object = object, .storages = rest.size};
}

}  // namespace

bool begins_as_legacy_torch(std::string_view head) {
  return head.starts_with(kLegacyMagic);
}

Flawed check_legacy_torch(const CheckedFile& file) {
  const auto walked = walk_pickles(file);
  if (!walked) return std::unexpected(walked.error());
  if (walked->end == PickleEnd::Is::NotKnown) return std::nullopt;
  if (walked->end == PickleEnd::Is::CutOff) return corrupt(file.name + ": ends before its pickles do: it was cut off");
  const auto bytes = walked->object.bytes(0, walked->object.size);
  if (!bytes) return std::unexpected(bytes.error());
  const auto pickle = read_pickle(*bytes);
  const auto needed = pickle ? bytes_of_storages(*pickle) : std::nullopt;
  if (!needed || *needed <= walked->storages) return std::nullopt;
  return corrupt(file.name + ": has " + std::to_string(walked->storages) + " of " + std::to_string(*needed) +
                 " bytes of its storages");
}

runtime::Result<std::optional<CheckedFile>> find_legacy_object(const CheckedFile& file) {
  const auto walked = walk_pickles(file);
  if (!walked) return std::unexpected(walked.error());
  if (walked->end != PickleEnd::Is::Reached) return std::nullopt;
  return walked->object;
}

}  // namespace reprise::agent
