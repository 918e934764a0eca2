#include "apps/kubectl-reprise/run/parse_arguments.h"

#include <algorithm>

#include "apps/common/flags.h"
#include "apps/kubectl-reprise/cluster/job_name.h"
#include "apps/kubectl-reprise/cluster/scene.h"
#include "apps/kubectl-reprise/commands/commands.h"
#include "apps/kubectl-reprise/commands/help.h"

namespace reprise::plugin {
namespace {

namespace flags = apps::flags;
namespace po = flags::po;

constexpr const char* kProgram = "kubectl reprise";

po::options_description described(const std::vector<Flag>& all) {
  po::options_description known;
  for (const Flag& flag : all) {
    const std::string name = flag.letter == 0 ? flag.name : flag.name + "," + flag.letter;
    auto* value = po::value<std::vector<std::string>>()->composing();
    if (flag.argument.empty()) value->implicit_value({"true"}, "true")->zero_tokens();
    known.add_options()(name.c_str(), value, flag.help.c_str());
  }
  return known;
}

std::vector<Flag> flags_of(const Command& command) {
  std::vector<Flag> all = command.flags;
  all.insert(all.end(), global_flags().begin(), global_flags().end());
  return all;
}

void check(const Flag& flag, const std::vector<std::string>& values) {
  if (values.size() > 1 && !flag.many) throw flags::Wrong{"--" + flag.name + ": given more than once"};
  const std::vector<std::string> switches = {"true", "false"};
  const auto& allowed = flag.argument.empty() ? switches : flag.values;
  for (const std::string& value : values) {
    if (value.empty()) throw flags::Wrong{"--" + flag.name + ": a value is missing"};
    if (!allowed.empty() && std::ranges::find(allowed, value) == allowed.end())
      flags::wrong_value(flag.name, value, flags::alternatives(allowed));
    if (flag.accepts && !flag.accepts(value)) flags::wrong_value(flag.name, value, flag.allowed);
  }
}

void check_operand(Names names, const std::string& word) {
  if (word.empty()) throw flags::Wrong{"an argument is empty"};
  if (names != Names::Jobs && names != Names::Pools && names != Names::PoolsAndJobs) return;
  const auto wrong = [](const runtime::Error& error) { throw flags::Wrong{error.message}; };
  if (names == Names::Jobs) {
    if (const auto job = job_name(word); !job) wrong(job.error());
  } else if (const auto object = object_name(word); !object) {
    wrong(object.error());
  } else if (names == Names::Pools && object->kind == ObjectName::Kind::Job) {
    throw flags::Wrong{"found '" + word + "', must be a pool: NAME or pool/NAME"};
  }
}

// A flag that asks no cluster is about no object.
bool needs_operands(const Command& command, const Arguments& given) {
  return std::ranges::none_of(command.flags,
                              [&](const Flag& flag) { return flag.asks_no_cluster && given.is_set(flag.name); });
}

void check_operands(const Command& command, const Arguments& given) {
  const auto& words = given.words;
  if (words.size() > command.most) throw flags::Wrong{"unknown argument '" + words[command.most] + "'"};
  if (words.size() < command.least && needs_operands(command, given))
    throw flags::Wrong{"missing argument: " + command.operands};
  for (const std::string& word : words) check_operand(command.names, word);
}

// Skips words before the command's name: they can only be global flags, with their values behind or in them.
std::size_t place_of_command(const std::vector<std::string>& arguments) {
  std::size_t at = 0;
  while (at < arguments.size() && arguments[at].starts_with('-') && arguments[at].size() > 1) {
    const std::string& word = arguments[at];
    const bool alone = std::ranges::any_of(global_flags(), [&](const Flag& flag) {
      if (flag.argument.empty()) return false;
      return word == "--" + flag.name || (flag.letter != 0 && word == std::string("-") + flag.letter);
    });
    at += alone ? 2 : 1;
  }
  return std::min(at, arguments.size());
}

// "--wait=false" and "-n=vision", as kubectl takes them: Boost knows a switch's value and a letter's sign not.
struct Rewritten {
  std::vector<std::string> arguments;
  std::vector<std::pair<const Flag*, std::string>> switches;
};
Rewritten rewritten(const std::vector<Flag>& all, const std::vector<std::string>& arguments) {
  Rewritten result;
  for (const std::string& word : arguments) {
    const std::size_t equals = word.starts_with('-') ? word.find('=') : std::string::npos;
    const std::string name = word.substr(0, equals);
    const auto flag = std::ranges::find_if(all, [&](const Flag& each) {
      return name == "--" + each.name || (each.letter != 0 && name == std::string("-") + each.letter);
    });
    if (equals == std::string::npos || flag == all.end()) {
      result.arguments.push_back(word);
    } else if (flag->argument.empty()) {
      result.switches.emplace_back(&*flag, word.substr(equals + 1));
    } else {
      result.arguments.push_back("--" + flag->name + word.substr(equals));
    }
  }
  return result;
}

Arguments read(const Command& command, const std::vector<std::string>& arguments) {
  const std::vector<Flag> all = flags_of(command);
  const Rewritten words = rewritten(all, arguments);
  const auto given = flags::parse_with_words(described(all), words.arguments);
  Arguments read;
  for (const auto& [flag, value] : words.switches) {
    check(*flag, {value});
    read.add(flag->name, value);
  }
  read.words = given.words;
  for (const Flag& flag : all) {
    if (!given.flags.contains(flag.name)) continue;
    const auto& values = given.flags[flag.name].as<std::vector<std::string>>();
    check(flag, values);
    for (const std::string& value : values) read.add(flag.name, value);
  }
  if (!read.is_set("help")) check_operands(command, read);
  return read;
}

std::vector<std::string> known_commands() {
  std::vector<std::string> names;
  for (const Command& each : commands()) names.push_back(each.name);
  names.emplace_back("help");
  return names;
}

}  // namespace

std::expected<Called, apps::UsageText> parse_arguments(const std::vector<std::string>& arguments) {
  if (arguments == std::vector<std::string>{"--version"}) return parse_arguments({"version"});
  const std::size_t at = place_of_command(arguments);
  const bool helps = std::ranges::find(arguments, "--help") != arguments.end() ||
                     std::ranges::find(arguments, "-h") != arguments.end();
  if (at == arguments.size()) return std::unexpected(apps::UsageText{overview_text(), !helps});
  const bool asks_about = arguments[at] == "help";
  if (asks_about && at + 1 == arguments.size()) return std::unexpected(apps::UsageText{overview_text(), false});
  const std::string& name = arguments[asks_about ? at + 1 : at];
  const Command* command = find_command(name);
  if (command == nullptr)
    return std::unexpected(flags::usage_error(kProgram, flags::unknown_command(name, known_commands())));
  if (asks_about) return std::unexpected(apps::UsageText{help_text(*command), false});
  std::vector<std::string> rest = arguments;
  rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(at));
  try {
    Arguments given = read(*command, rest);
    if (given.is_set("help")) return std::unexpected(apps::UsageText{help_text(*command), false});
    return Called{command, std::move(given)};
  } catch (const flags::Wrong& wrong) {
    return std::unexpected(flags::usage_error(std::string(kProgram) + " " + command->name, wrong.text));
  }
}

}  // namespace reprise::plugin
