#include "controllers/common/capacity_label.h"

namespace reprise::controllers {

std::string_view capacity_label(api::CapacityType type) {
  switch (type) {
    case api::CapacityType::Spot:
      return "spot";
    case api::CapacityType::OnDemand:
      return "on-demand";
    case api::CapacityType::Reserved:
      return "reserved";
  }
  return "";
}

}  // namespace reprise::controllers
