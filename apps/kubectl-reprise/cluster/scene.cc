#include "apps/kubectl-reprise/cluster/scene.h"

#include <algorithm>
#include <array>

namespace reprise::plugin {
namespace {

using runtime::ErrorClass;

constexpr kube::KindInfo kPool = kube::KindOf<api::GpuPool>::info();
constexpr kube::KindInfo kJob = kube::KindOf<api::ResumableJob>::info();

struct Word {
  std::string_view word;
  ObjectName::Kind kind;
};
constexpr std::array kWords = {Word{"pool", ObjectName::Kind::Pool},
                               Word{"gp", ObjectName::Kind::Pool},
                               Word{"gpupool", ObjectName::Kind::Pool},
                               Word{"gpupools", ObjectName::Kind::Pool},
                               Word{"gpupool.reprise.dev", ObjectName::Kind::Pool},
                               Word{"job", ObjectName::Kind::Job},
                               Word{"rj", ObjectName::Kind::Job},
                               Word{"resumablejob", ObjectName::Kind::Job},
                               Word{"resumablejobs", ObjectName::Kind::Job},
                               Word{"resumablejob.reprise.dev", ObjectName::Kind::Job}};

// With all namespaces a name may stand for several jobs.
bool take(const std::vector<Json>& from, const std::string& name, std::vector<Json>& into) {
  bool found = false;
  for (const Json& each : from) {
    if (text_at(each, {"metadata", "name"}) != name) continue;
    into.push_back(each);
    found = true;
  }
  return found;
}

runtime::Result<Found> named(const Found& all, const std::string& ns, const std::vector<std::string>& names) {
  Found chosen;
  for (const std::string& word : names) {
    const auto wanted = object_name(word);
    if (!wanted) return std::unexpected(wanted.error());
    bool found = wanted->kind != ObjectName::Kind::Pool && take(all.jobs, wanted->name, chosen.jobs);
    if (wanted->kind != ObjectName::Kind::Job) found = take(all.pools, wanted->name, chosen.pools) || found;
    if (found) continue;
    const std::string where = ns.empty() ? "in any namespace" : "in namespace " + ns;
    const bool pools = wanted->kind != ObjectName::Kind::Job, jobs = wanted->kind != ObjectName::Kind::Pool;
    std::string text = "there is no ";
    text += jobs ? "ResumableJob " + wanted->name + " " + where : "GpuPool " + wanted->name;
    if (pools && jobs) text += ", and no GpuPool of that name";
    if (pools && !all.pools_unseen.empty()) text += " that can be seen (" + all.pools_unseen + ")";
    return runtime::fail(ErrorClass::NotFound, std::move(text));
  }
  return chosen;
}

}  // namespace

runtime::Result<ObjectName> object_name(const std::string& word) {
  const std::size_t slash = word.find('/');
  if (slash == std::string::npos) return ObjectName{ObjectName::Kind::Any, word};
  const auto found = std::ranges::find(kWords, std::string_view(word).substr(0, slash), &Word::word);
  if (found == kWords.end() || slash + 1 == word.size())
    return runtime::fail(ErrorClass::Invalid, "found '" + word + "', must be NAME, job/NAME or pool/NAME");
  return ObjectName{found->kind, word.substr(slash + 1)};
}

runtime::Result<Found> find_scene(runtime::Client& client, const std::string& ns,
                                  const std::vector<std::string>& names) {
  Found found;
  auto jobs = list_json(client, kJob, ns);
  if (!jobs && jobs.error().error_class == ErrorClass::NotFound)
    return runtime::fail(ErrorClass::NotFound,
                         "the cluster does not know resumablejobs.reprise.dev: install Reprise's chart first");
  if (!jobs) return std::unexpected(std::move(jobs).error());
  found.jobs = *std::move(jobs);
  auto pools = list_json(client, kPool, {});
  if (!pools && pools.error().error_class != ErrorClass::Forbidden) return std::unexpected(std::move(pools).error());
  if (pools)
    found.pools = *std::move(pools);
  else
    found.pools_unseen = pools.error().message;
  if (names.empty()) return found;
  return named(found, ns, names);
}

runtime::Result<Scene> decoded_scene(const Found& found) {
  Scene scene{.pools_unseen = found.pools_unseen};
  auto pools = decoded_all<api::GpuPool>(found.pools);
  if (!pools) return std::unexpected(std::move(pools).error());
  auto jobs = decoded_all<api::ResumableJob>(found.jobs);
  if (!jobs) return std::unexpected(std::move(jobs).error());
  scene.pools = *std::move(pools);
  scene.jobs = *std::move(jobs);
  return scene;
}

}  // namespace reprise::plugin
