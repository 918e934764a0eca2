#include "apps/kubectl-reprise/commands/steering/confirm.h"

#include <istream>
#include <ostream>

namespace reprise::plugin {

bool confirmed(Session& session, const std::string& consequence) {
  World& world = session.world;
  world.err << consequence << "\n";
  if (session.arguments.is_set("yes")) return true;
  if (!world.asks) {
    world.err << "Nothing was done: there is no terminal to ask at; confirm with --yes.\n";
    return false;
  }
  world.err << "Go on? [y/N] " << std::flush;
  std::string answer;
  std::getline(world.in, answer);
  const bool yes = answer == "y" || answer == "Y" || answer == "yes" || answer == "Yes";
  if (!yes) world.err << "Nothing was done.\n";
  return yes;
}

}  // namespace reprise::plugin
