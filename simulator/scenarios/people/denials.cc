#include "simulator/scenarios/people/denials.h"

#include <array>
#include <vector>

#include "simulator/scenarios/run/chance.h"

namespace reprise::simulator {
namespace {

constexpr double minutes_from = 0.5, minutes_to = 20;
constexpr double share_of_node_pools = 0.33, pools_from = 2, pools_to = 10;

struct Manner {
  int code;
  const char* reason;
};
// Most answers give no reason. The last two: an endpoint that is not there, and a code that Kubernetes has no class
// for.
constexpr std::array manners{Manner{0, ""},
                             Manner{0, ""},
                             Manner{400, "BadRequest"},
                             Manner{403, "Forbidden"},
                             Manner{422, "Invalid"},
                             Manner{500, "InternalError"},
                             Manner{451, ""}};
constexpr std::array plurals{"pods", "pods", "pods", "services", "persistentvolumeclaims"};

template <class List>
const auto& one_of(const List& list, runtime::Random& random) {
  return list[static_cast<std::size_t>(random.uniform() * static_cast<double>(list.size()))];
}

}  // namespace

void Denials::begin(runtime::Random&& chance) {
  const bool wanted = chance.uniform() < share_of_node_pools;
  const Duration lasts = between(chance, pools_from, pools_to, Duration{60'000});
  const Manner manner = one_of(manners, chance);
  if (!wanted) return;
  denying_ = true;
  actors_.cluster.log.add("fault", "AdmissionDenies: nodepools of this operator");
  actors_.cluster.api.set_webhook(
      [this, manner](const ResourceType& type, const Value& object) -> std::optional<Denial> {
        if (type.plural != "nodepools" || array(object, {"metadata", "ownerReferences"}).empty()) return std::nullopt;
        return Denial{manner.code, manner.reason,
                      R"(admission webhook "guard.example.com" denied request )" + std::to_string(++asked_)};
      });
  timers_.after(lasts, [this] {
    denying_ = false;
    actors_.cluster.api.set_webhook({});
  });
}

std::optional<std::string> Denials::inject() {
  const Manner manner = one_of(manners, random_);
  const std::string plural = one_of(plurals, random_);
  // Half of the webhooks name the request, so that no two answers are equal.
  const bool each_its_own = random_.uniform() < 0.5;
  const Duration lasts = between(random_, minutes_from, minutes_to, Duration{60'000});
  if (denying_) return std::nullopt;
  denying_ = true;
  actors_.cluster.api.set_webhook(
      [this, manner, plural, each_its_own](const ResourceType& type, const Value&) -> std::optional<Denial> {
        if (!type.group.empty() || type.plural != plural) return std::nullopt;
        ++asked_;
        return Denial{manner.code, manner.reason,
                      R"(admission webhook "guard.example.com" denied the request: not now)" +
                          (each_its_own ? " (request " + std::to_string(asked_) + ")" : std::string())};
      });
  timers_.after(lasts, [this] {
    denying_ = false;
    actors_.cluster.api.set_webhook({});
  });
  return plural + " with " + (manner.code == 0 ? "no code" : std::to_string(manner.code));
}

void Denials::end() {
  timers_.cancel_all();
  denying_ = false;
  actors_.cluster.api.set_webhook({});
}

}  // namespace reprise::simulator
