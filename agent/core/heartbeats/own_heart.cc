#include "agent/core/heartbeats/own_heart.h"

#include <algorithm>

namespace reprise::agent {

void OwnHeart::beat(runtime::Instant begun, bool placed) {
  if (placed) {
    placed_ = begun;
    refused_.reset();
  } else {
    refused_ = begun;
  }
}

bool OwnHeart::has_stopped() const {
  return placed_ && refused_ && *refused_ - *placed_ >= period_ * kStoppedQuarterPeriods / 4;
}

std::chrono::milliseconds OwnHeart::pause() const {
  constexpr std::chrono::milliseconds longest{450};
  return std::min(period_ / 8, longest);
}

}  // namespace reprise::agent
