// A machine is silent with a trainer on a share, a person says at once that it is off, and the share hangs while the
// next attempt looks whether somebody still writes to it.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "runtime/base/random.h"
#include "simulator/actors/actors.h"

namespace reprise::simulator {

class HastyWord {
 public:
  // Both outlive it.
  HastyWord(Actors& actors, runtime::Random& random);

  // The name of the machine; nothing where no trainer runs on a share, or where one is silent for it already.
  std::optional<std::string> strike();
  // What lasts ends.
  void end();

 private:
  struct Case {
    std::string machine, volume;
    std::int64_t attempt = 0;
    bool said = false;  // the person has spoken
    bool held = false;  // the share was made to hang
  };
  void see(const ObjectChange& change);
  void see_job(const Value& job, Case& of);
  void see_pod(const Value& pod, Case& of);
  [[nodiscard]] Duration seconds(double low, double high);
  void say(const std::string& what);

  Actors& actors_;
  runtime::Random& random_;
  ResourceId jobs_, pods_;
  std::map<std::string, Case, std::less<>> cases_;  // by uid of the job
  std::set<std::string> hanging_;
  Timers timers_;
  std::unique_ptr<ApiServer::Subscription> subscription_;
};

}  // namespace reprise::simulator
