#include "agent/formats/layouts/hugging_face/model_directories.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <string>
#include <utility>
#include <vector>

#include "agent/formats/structure/json_file.h"
#include "agent/json/json.h"

namespace reprise::agent {
namespace {

using runtime::Result;

constexpr std::string_view kModules = "modules.json", kRouter = "router_config.json", kAdapter = "adapter_config.json";
constexpr int kDeepestModule = 8;

bool has_weights(const CheckpointContents& contents) {
  return std::ranges::any_of(kModelWeights, [&](auto file) { return contents.file(file) != nullptr; });
}

// True for weights in several files, each of which has an ending that is looked at.
bool has_index(const CheckpointContents& contents) {
  return std::ranges::any_of(contents.entries, [](const auto& entry) { return entry.first.ends_with(".index.json"); });
}

// True for shards of FSDP or DeepSpeed, in place of the model's own files.
bool has_shards(const CheckpointContents& contents) {
  return std::ranges::any_of(contents.entries, [](const auto& entry) {
    return entry.first.starts_with("pytorch_model_fsdp_") || entry.first.starts_with("global_step");
  });
}

// A module by its path below the directory; "" is that directory itself.
struct Module {
  std::string path, type;
};
struct Listed {
  std::optional<Flaw> flaw = {};
  std::vector<Module> modules = {};
};

// True by the class at the end of its name: a pooling has no weights, and what has some in files of other names is not
// known.
bool is_saved_with_weights(std::string_view type) {
  constexpr std::array<std::string_view, 9> kSavedWithWeights{
      "Dense", "Transformer",          "MLMTransformer",    "StaticEmbedding", "LayerNorm",
      "LSTM",  "WeightedLayerPooling", "SparseAutoEncoder", "CLIPModel"};
  return std::ranges::find(kSavedWithWeights, type.substr(type.rfind('.') + 1)) != kSavedWithWeights.end();
}

Result<Listed> modules_in(const CheckpointContents& contents) {
  if (!contents.entries.contains(kModules)) return Listed{};
  const auto read = read_json_array(contents.checked(kModules));
  if (!read) return std::unexpected(read.error());
  Listed listed{.flaw = read->flaw};
  for (const auto& each : read->array)
    if (const auto path = each.is_object() ? text_of(each.get_object(), "path") : std::nullopt)
      listed.modules.push_back({.path = *path, .type = text_of(each.get_object(), "type").value_or("")});
  return listed;
}

// "types" names the class of each module by the directory in which it lies.
Result<Listed> routes_in(const CheckpointContents& contents) {
  if (!contents.entries.contains(kRouter)) return Listed{};
  const auto read = read_json(contents.checked(kRouter));
  if (!read) return std::unexpected(read.error());
  Listed listed{.flaw = read->flaw};
  if (const auto* types = object_of(read->object, "types"))
    for (const auto& [path, type] : *types)
      listed.modules.push_back({.path = std::string(path), .type = text_of(*types, path).value_or("")});
  return listed;
}

class Look {
 public:
  ModelDirectories found;

  Result<void> at_adapters_of(const CheckpointContents& contents) {
    for (const auto& [name, info] : contents.entries) {
      if (info.kind != FileInfo::Kind::Directory || found.flaw) continue;
      const auto inside = contents.inside(name);
      if (!inside) return std::unexpected(inside.error());
      if (!inside->entries.contains(kAdapter)) continue;
      if (!has_weights(*inside)) found.flaw = missing(*inside, "adapter_model.safetensors");
      if (auto looked = at_files_of(*inside); !looked) return looked;
    }
    return {};
  }

  Result<void> at_modules_of(const CheckpointContents& contents, int depth) {
    for (const auto& list : {modules_in, routes_in}) {
      const auto listed = list(contents);
      if (!listed) return std::unexpected(listed.error());
      if (listed->flaw && !found.flaw) found.flaw = listed->flaw;
      for (const Module& module : listed->modules)
        if (auto looked = at_module(contents, module.path, module.type, depth); !looked) return looked;
    }
    return {};
  }

 private:
  Result<void> at_files_of(const CheckpointContents& contents) {
    found.any_weights = found.any_weights || has_weights(contents);
    const auto flaw = check_all(contents);
    if (!flaw) return std::unexpected(flaw.error());
    if (!found.flaw) found.flaw = *flaw;
    return {};
  }

  void miss_weights_of(const CheckpointContents& contents, std::string_view type) {
    const bool has_some = has_weights(contents) || has_index(contents) || has_shards(contents);
    if (is_saved_with_weights(type) && !has_some && !found.flaw)
      found.flaw = missing_by_name(contents, kModelWeights.front());
  }

  // A module whose path is empty lies among the checkpoint's own files, at which the caller looks.
  Result<void> at_module(const CheckpointContents& contents, std::string_view path, std::string_view type, int depth) {
    const std::string_view first = path.substr(0, path.find('/'));
    if (path.empty()) miss_weights_of(contents, type);
    if (first.empty() || found.flaw || depth >= kDeepestModule) return {};
    if (!contents.has_directory(first)) {
      found.flaw = Flaw{FlawKind::Incomplete, contents.below + std::string(first) + ": is not there"};
      return {};
    }
    const auto inside = contents.inside(first);
    if (!inside) return std::unexpected(inside.error());
    if (first.size() < path.size()) return at_module(*inside, path.substr(first.size() + 1), type, depth + 1);
    miss_weights_of(*inside, type);
    if (auto looked = at_files_of(*inside); !looked) return looked;
    return at_modules_of(*inside, depth + 1);
  }
};

}  // namespace

Result<ModelDirectories> look_at_model_directories(const CheckpointContents& contents) {
  Look look;
  if (auto looked = look.at_adapters_of(contents); !looked) return std::unexpected(looked.error());
  if (auto looked = look.at_modules_of(contents, 0); !looked) return std::unexpected(looked.error());
  return std::move(look.found);
}

}  // namespace reprise::agent
