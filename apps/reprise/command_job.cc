#include "apps/reprise/command_job.h"

#include <algorithm>
#include <boost/json/serialize.hpp>

#include "api/gpu_pool.h"
#include "simulator/base/json.h"

namespace reprise::apps {
namespace {

using simulator::JsonArray;
using simulator::JsonObject;
using simulator::set;
using simulator::Value;

constexpr std::size_t kLongestName = 30;

bool is_script(const std::string& word) {
  return word.ends_with(".py") || word.ends_with(".sh");
}

// Named after the script, else the program, in the form of job names.
std::string name_of(const std::vector<std::string>& command) {
  const auto script = std::ranges::find_if(command, is_script);
  const std::filesystem::path path = script == command.end() ? command.front() : *script;
  std::string name;
  for (const char each : path.stem().string()) {
    const bool letter = (each >= 'a' && each <= 'z') || (each >= 'A' && each <= 'Z');
    const bool digit = each >= '0' && each <= '9';
    if (name.empty() && !letter) continue;
    if (letter || digit)
      name += letter ? static_cast<char>(each | 0x20) : each;
    else if (!name.ends_with('-'))
      name += '-';
  }
  name.resize(std::min(name.size(), kLongestName));
  while (name.ends_with('-')) name.pop_back();
  return name.empty() ? "train" : name;
}

// Keeps "$(NAME)" as it stands: a shell has expanded the word already.
std::string literal(const std::string& word) {
  std::string text;
  for (const char each : word) text.append(each == '$' ? 2 : 1, each);
  return text;
}

}  // namespace

std::string command_job(const std::vector<std::string>& command, const std::filesystem::path& checkpoints, int ranks) {
  JsonArray words;
  for (const std::string& word : command) words.emplace_back(literal(word));
  Value job(JsonObject{});
  set(job, {"apiVersion"}, "reprise.dev/v1alpha1");
  set(job, {"kind"}, "ResumableJob");
  set(job, {"metadata", "name"}, name_of(command));
  set(job, {"spec", "parallelism"}, ranks);
  set(job, {"spec", "checkpoint", "path"}, checkpoints.string());
  set(job, {"spec", "checkpoint", "volume", "claimTemplate", "spec"},
      JsonObject{{"accessModes", JsonArray{"ReadWriteMany"}},
                 {"resources", JsonObject{{"requests", JsonObject{{"storage", "100Ti"}}}}}});
  JsonObject trainer{{"name", "trainer"}, {"image", "none"}, {"command", words}};
  trainer["resources"] = JsonObject{{"limits", JsonObject{{api::kUnitResource, 1}}}};
  set(job, {"spec", "template", "spec", "containers"}, JsonArray{trainer});
  return boost::json::serialize(job);
}

}  // namespace reprise::apps
