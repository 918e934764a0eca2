#include "controllers/gpupool/rentable/pod_sum.h"

#include <algorithm>
#include <boost/json/parse.hpp>

namespace reprise::controllers::rentable {
namespace {

// An init container that is started again whenever it ends runs beside the others.
std::vector<bool> sidecars_of(const std::string& pod_template, std::size_t count) {
  std::vector<bool> out(count, false);
  boost::system::error_code error;
  const boost::json::value pod = boost::json::parse(pod_template, error);
  if (error) return out;
  const boost::json::value* list = pod.find_pointer("/spec/initContainers", error);
  if (list == nullptr || !list->is_array()) return out;
  for (std::size_t i = 0; i < std::min(count, list->get_array().size()); ++i) {
    const auto* container = list->get_array()[i].if_object();
    const auto* policy = container == nullptr ? nullptr : container->if_contains("restartPolicy");
    out[i] = policy != nullptr && policy->is_string() && policy->get_string() == "Always";
  }
  return out;
}

}  // namespace

PodSum::PodSum(const api::PodTemplate& pod) : pod_(pod) {
  if (!pod.init_containers.empty())
    is_sidecar_ = sidecars_of(pod.json.empty() ? std::string() : pod.json.text(), pod.init_containers.size());
}

std::int64_t PodSum::of(const Amount& amount) const {
  std::int64_t sidecars = 0, at_start = 0, running = 0;
  std::size_t index = 0;
  for (const api::TemplateContainer& each : pod_.init_containers) {
    at_start = std::max(at_start, sidecars + amount(each));
    if (is_sidecar_[index++]) sidecars += amount(each);
  }
  for (const api::TemplateContainer& each : pod_.containers) running += amount(each);
  return std::max(at_start, sidecars + running);
}

}  // namespace reprise::controllers::rentable
