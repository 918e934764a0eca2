#include "controllers/resumablejob/shell/missing_pods.h"

#include <algorithm>
#include <functional>

#include "controllers/resumablejob/pods/names.h"
#include "runtime/cache/watch/watch_event.h"

namespace reprise::controllers::resumablejob {
namespace {

using runtime::Result;

constexpr std::uint32_t kPage = 500;
// The attempt's time is of the operator's clock. An Event that is believed wrongly holds the job up; one that is not
// believed wrongly would forget a machine on which a rank may run.
constexpr std::chrono::minutes kClocksDiffer{1};
// More pods than this are asked for in one list.
constexpr std::size_t kFew = 4;

using Missing = std::vector<const api::RankStatus*>;

Missing missing_ranks(const Observation& seen, const OwnAttempt& own) {
  Missing missing;
  for (const api::RankStatus& rank : seen.job->status.members) {
    if (rank.proof != api::EndProof::None || (rank.pod_uid.empty() && own.never_made(rank.pod_name))) continue;
    const auto cached = [&](const std::vector<std::shared_ptr<const kube::Pod>>& pods) {
      return std::ranges::any_of(pods, [&](const auto& pod) {
        return rank.pod_uid.empty() ? pod->meta.name == rank.pod_name : pod->meta.uid == rank.pod_uid;
      });
    };
    if (!cached(seen.pods) && !cached(seen.deleted_pods)) missing.push_back(&rank);
  }
  return missing;
}

bool is_the_pod(const api::ResumableJob& job, const api::RankStatus& rank, const kube::ObjectMeta& pod) {
  if (pod.name != rank.pod_name) return false;
  return rank.pod_uid.empty() ? is_of_job(pod, job) : pod.uid == rank.pod_uid;
}

Result<void> none_lives(runtime::Client& client, runtime::ReconcileContext& context, const Missing& missing,
                        Observation& seen) {
  const api::ResumableJob& job = *seen.job;
  std::string living;
  const auto look_at = [&](const kube::Pod& pod) {
    const auto is_it = [&](const api::RankStatus* rank) { return is_the_pod(job, *rank, pod.meta); };
    const auto has_name = [&](const api::RankStatus* rank) { return rank->pod_name == pod.meta.name; };
    if (std::ranges::any_of(missing, is_it)) {
      living = pod.meta.name;
    } else if (std::ranges::any_of(missing, has_name)) {
      seen.strangers.insert(pod.meta.uid);
    }
  };
  if (missing.size() <= kFew) {
    for (const api::RankStatus* rank : missing) {
      auto live = context.read_live<kube::Pod>(job.meta.namespace_, rank->pod_name);
      if (!live) return std::unexpected(std::move(live).error());
      if (live->has_value()) look_at(**live);
    }
  } else {
    runtime::ListOptions options;
    options.label_selector = std::string(kJobUidLabel) + "=" + job.meta.uid;
    std::size_t undecodable = 0;
    auto listed =
        each_item(client, kube::KindOf<kube::Pod>::info(), job.meta.namespace_, options, [&](std::string_view json) {
          const auto pod = kube::KindOf<kube::Pod>::decode(json);
          if (!pod) ++undecodable;
          if (pod) look_at(*pod);
        });
    if (!listed) return listed;
    if (undecodable > 0) return runtime::fail(runtime::ErrorClass::Terminal, "a pod of the job does not decode");
  }
  if (living.empty()) return {};
  return runtime::fail(runtime::ErrorClass::Conflict, "the cache does not show pod " + living + " yet");
}

// "Successfully assigned vision/fit-1-0 to node-a"
void hear_scheduler(const kube::Event& event, const api::ResumableJob& job, const Missing& missing, Observation& seen) {
  // An Event from before the job, or from before the attempt was written down, is about a pod of an earlier job of that
  // name, which may have been there for a while beside this one.
  if (event.meta.creation_timestamp < job.meta.creation_timestamp) return;
  const auto& begun = job.status.attempt_start_time;
  if (begun && event.meta.creation_timestamp + kClocksDiffer < *begun) return;
  if (event.involved_uid.empty() || seen.strangers.contains(event.involved_uid)) return;
  const std::size_t at = event.message.rfind(" to ");
  if (at == std::string::npos) return;
  for (const api::RankStatus* rank : missing) {
    if (rank->pod_name != event.involved_name) continue;
    if (!rank->pod_uid.empty() && event.involved_uid != rank->pod_uid) continue;
    std::string node(event.message.substr(at + 4));
    if (!node.empty()) seen.scheduled[rank->pod_name] = {event.involved_uid, std::move(node)};
  }
}

Result<void> ask_scheduler(runtime::Client& client, const api::ResumableJob& job, const Missing& missing,
                           Observation& seen) {
  const auto list = [&](std::string selector) {
    runtime::ListOptions options;
    options.field_selector = std::move(selector);
    return each_item(client, kube::KindOf<kube::Event>::info(), job.meta.namespace_, options,
                     [&](std::string_view json) {
                       const auto event = kube::KindOf<kube::Event>::decode(json);
                       if (event) hear_scheduler(*event, job, missing, seen);
                     });
  };
  if (missing.size() > kFew) return list("reason=Scheduled");
  for (const api::RankStatus* rank : missing) {
    if (auto heard = list("involvedObject.name=" + std::string(rank->pod_name) + ",reason=Scheduled"); !heard) {
      return heard;
    }
  }
  return {};
}

}  // namespace

Result<void> each_item(runtime::Client& client, const kube::KindInfo& kind, const std::string& ns,
                       runtime::ListOptions options, const std::function<void(std::string_view)>& item) {
  options.limit = kPage;
  do {
    const auto page = client.list(kind, ns, options);
    if (!page) return std::unexpected(page.error());
    auto parsed = runtime::parse_list_page(*page, item);
    if (!parsed) return std::unexpected(std::move(parsed).error());
    options.continue_token = std::move(parsed->continue_token);
  } while (!options.continue_token.empty());
  return {};
}

Result<void> look_for_missing(runtime::Client& client, runtime::ReconcileContext& context, const OwnAttempt& own,
                              Observation& seen) {
  Missing missing = missing_ranks(seen, own);
  if (missing.empty()) return {};
  if (auto none = none_lives(client, context, missing, seen); !none) return none;
  std::erase_if(missing, [](const api::RankStatus* rank) { return !rank->node_name.empty(); });
  return ask_scheduler(client, *seen.job, missing, seen);
}

}  // namespace reprise::controllers::resumablejob
