#include "simulator/cluster/cluster.h"

namespace reprise::simulator {

Duration jittered(runtime::Random& random, Duration base, double share) {
  const double factor = 1.0 + share * (2.0 * random.uniform() - 1.0);
  return Duration{static_cast<Duration::rep>(static_cast<double>(base.count()) * factor)};
}

}  // namespace reprise::simulator
