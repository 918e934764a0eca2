// A command: one row of the table (commands.h) from which arguments are read, and help, completion, the manual page and
// docs/kubectl-reprise.md are written.
#pragma once

#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apps/kubectl-reprise/cluster/cluster.h"
#include "apps/kubectl-reprise/run/exit_codes.h"
#include "apps/kubectl-reprise/terminal/terminal.h"
#include "runtime/base/clock.h"

namespace reprise::plugin {

// The kind of name expected at a place; completion looks it up.
enum class Names { None, Jobs, Pools, PoolsAndJobs, Namespaces, Shells, Files };

struct Flag {
  std::string name;
  char letter = 0;            // 0: none
  std::string argument = {};  // "NAME"; empty: a switch, which also takes =true and =false
  std::string help = {};
  std::vector<std::string> values = {};                // all that are allowed; empty: any that is accepted
  std::function<bool(std::string_view)> accepts = {};  // none: anything
  std::string allowed = {};                            // "a duration such as 2s": the accepted values, for the message
  Names names = Names::None;
  bool many = false;             // may be given several times
  bool asks_no_cluster = false;  // the command with this flag
};

// The arguments of a call; each flag is one of the command's own or a global one.
class Arguments {
 public:
  std::vector<std::string> words;
  void add(const std::string& flag, std::string value) { values_.emplace_back(flag, std::move(value)); }
  [[nodiscard]] bool is_set(std::string_view flag, bool otherwise = false) const;
  // The last value given.
  [[nodiscard]] std::optional<std::string> value(std::string_view flag) const;
  [[nodiscard]] std::vector<std::string> all(std::string_view flag) const;

 private:
  std::vector<std::pair<std::string, std::string>> values_;
};

// The world outside, for tests to stand in for.
struct World {
  std::ostream& out;
  std::ostream& err;
  std::istream& in;
  const runtime::Clock& clock;
  bool asks = false;     // somebody sits at the input
  bool colours = false;  // the output is a terminal, and NO_COLOR is not set
  std::function<runtime::Result<std::unique_ptr<Cluster>>(const ClusterChoice&)> connect;
  std::function<void(runtime::Duration)> pause;
  std::function<std::unique_ptr<LiveTerminal>()> open_terminal;  // see terminal.h
};

// One call of one command.
struct Session {
  World& world;
  const Arguments& arguments;
  Cluster* cluster = nullptr;  // for commands that need one, never null

  [[nodiscard]] runtime::Client& client() const { return cluster->client(); }
  // The namespace of -n, else of the context, else "default".
  [[nodiscard]] std::string namespace_() const;
  // Empty with -A: all of them.
  [[nodiscard]] std::string scope() const;
};

struct Example {
  std::string text, command;
};

struct Command {
  std::string name;
  std::string operands = {};  // "JOB...": as the synopsis shows them
  std::string summary;        // one line, no full stop
  std::string description = {};
  std::vector<Flag> flags = {};
  std::vector<Example> examples = {};
  std::size_t least = 0, most = 0;  // operands
  Names names = Names::None;        // the kind of the operands
  bool connects = true;
  std::function<runtime::Result<ExitCode>(Session&)> run = {};
};

inline constexpr std::size_t kAnyNumber = static_cast<std::size_t>(-1);

}  // namespace reprise::plugin
