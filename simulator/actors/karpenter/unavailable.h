// Offerings that the cloud lacked or called back: not tried again for three minutes.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "simulator/actors/karpenter/cloud.h"

namespace reprise::simulator {

class UnavailableOfferings {
 public:
  static constexpr Duration kFor{180'000};

  void add(const Offering& offering, Duration now) { until_[key(offering)] = now + kFor; }
  [[nodiscard]] bool contains(const Offering& offering, Duration now) const {
    const auto found = until_.find(key(offering));
    return found != until_.end() && found->second > now;
  }
  // The time at which the next offering may be asked for again.
  [[nodiscard]] std::optional<Duration> next_end(Duration now) const {
    std::optional<Duration> next;
    for (const auto& [name, until] : until_)
      if (until > now && (!next || until < *next)) next = until;
    return next;
  }

 private:
  static std::string key(const Offering& offering) {
    return offering.type->name + "/" + offering.zone + "/" + offering.capacity_type;
  }
  std::map<std::string, Duration> until_;
};

}  // namespace reprise::simulator
