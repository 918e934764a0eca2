// Kubelets that reject pods: one that was just bound to them, or, after a restart, their running pods.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "runtime/base/random.h"
#include "simulator/actors/actors.h"

namespace reprise::simulator {

class KubeletRejects {
 public:
  // Both outlive it.
  KubeletRejects(Actors& actors, runtime::Random& random);

  // Arms mostly for the next pod of a job that is bound anywhere; else rejects all pods that run on some machine, whose
  // name this returns.
  [[nodiscard]] std::optional<std::string> inject();
  void end() { armed_ = false; }

 private:
  void see(const ObjectChange& change);

  Actors& actors_;
  runtime::Random& random_;
  bool armed_ = false;
  std::unique_ptr<ApiServer::Subscription> subscription_;
};

}  // namespace reprise::simulator
