#include "apps/kubectl-reprise/commands/complete.h"

#include <algorithm>

#include "apps/kubectl-reprise/cluster/fetch.h"
#include "apps/kubectl-reprise/cluster/scene.h"
#include "apps/kubectl-reprise/commands/commands.h"
#include "runtime/kube/core.h"

namespace reprise::plugin {
namespace {

std::vector<Flag> flags_of(const Command* command) {
  std::vector<Flag> all = command == nullptr ? std::vector<Flag>() : command->flags;
  all.insert(all.end(), global_flags().begin(), global_flags().end());
  return all;
}

// The flag that `word` is, with its value still to come: "--output", "-o".
const Flag* awaits_value(const std::vector<Flag>& flags, const std::string& word) {
  const auto found = std::ranges::find_if(flags, [&](const Flag& flag) {
    const bool named = word == "--" + flag.name || (flag.letter != 0 && word == std::string("-") + flag.letter);
    return named && !flag.argument.empty();
  });
  return found == flags.end() ? nullptr : &*found;
}

class Completion {
 public:
  Completion(const std::vector<std::string>& typed, const LookUp& look_up) : typed_(typed), look_up_(look_up) {}

  Candidates all() {
    find_command_word();
    const std::vector<Flag> flags = flags_of(command_);
    const std::string& word = typed_.back();
    const Flag* before = typed_.size() > 1 ? awaits_value(flags, typed_[typed_.size() - 2]) : nullptr;
    if (before != nullptr) {
      values_of(*before, "");
    } else if (const std::size_t equals = word.find('='); word.starts_with("--") && equals != std::string::npos) {
      if (const Flag* flag = awaits_value(flags, word.substr(0, equals))) values_of(*flag, word.substr(0, equals + 1));
    } else if (word.starts_with('-')) {
      for (const Flag& flag : flags) add("--" + flag.name, flag.help);
    } else if (command_ == nullptr) {
      commands_by_name();
    } else {
      names(command_->names, "");
    }
    return std::move(found_);
  }

 private:
  void find_command_word() {
    const std::vector<Flag> flags = flags_of(nullptr);
    for (std::size_t i = 0; i + 1 < typed_.size(); ++i) {
      if (awaits_value(flags, typed_[i]) != nullptr)
        ++i;
      else if (!typed_[i].starts_with('-') && typed_[i] == "help" && !helps_)
        helps_ = true;
      else if (!typed_[i].starts_with('-')) {
        command_ = find_command(typed_[i]);
        return;
      }
    }
  }
  void commands_by_name() {
    for (const Command& each : commands()) add(each.name, each.summary);
    if (!helps_) add("help", "show the help of a command");
  }
  void values_of(const Flag& flag, const std::string& before) {
    for (const std::string& value : flag.values) add(before + value, "");
    names(flag.names, before);
  }
  void names(Names names, const std::string& before) {
    switch (names) {
      case Names::None:
        return;
      case Names::Files:
        found_.files = true;
        return;
      case Names::Shells:
        for (const char* shell : {"bash", "zsh", "fish"}) add(before + shell, "");
        return;
      case Names::Jobs:
      case Names::Pools:
      case Names::PoolsAndJobs:
      case Names::Namespaces:
        for (const std::string& name : look_up_(names, typed_)) add(before + name, "");
        return;
    }
  }
  void add(const std::string& word, const std::string& help) {
    if (word.starts_with(typed_.back())) found_.words.push_back({word, help});
  }

  const std::vector<std::string>& typed_;
  const LookUp& look_up_;
  const Command* command_ = nullptr;
  bool helps_ = false;
  Candidates found_;
};

// The value of a flag among words that need not be whole yet.
std::string typed_value(const std::vector<std::string>& typed, const std::string& name, const std::string& letter) {
  for (std::size_t i = 0; i + 1 < typed.size(); ++i) {
    if (typed[i] == "--" + name || (!letter.empty() && typed[i] == letter)) return typed[i + 1];
    if (typed[i].starts_with("--" + name + "=")) return typed[i].substr(name.size() + 3);
  }
  return {};
}

template <class T>
void add_names(runtime::Client& client, const std::string& ns, std::vector<std::string>& names) {
  const auto objects = list_json(client, kube::KindOf<T>::info(), ns);
  if (!objects) return;
  for (const Json& each : *objects) names.push_back(text_at(each, {"metadata", "name"}));
}

}  // namespace

Candidates complete(const std::vector<std::string>& typed, const LookUp& look_up) {
  if (typed.empty()) return complete({""}, look_up);
  return Completion(typed, look_up).all();
}

std::string completion_answer(const Candidates& candidates) {
  std::string text;
  for (const Candidate& each : candidates.words) text += each.word + (each.help.empty() ? "" : "\t" + each.help) + "\n";
  return text + (candidates.files ? ":0\n" : ":4\n");
}

std::vector<std::string> look_up_names(World& world, Names names, const std::vector<std::string>& typed) {
  const auto cluster = world.connect({.kubeconfig = typed_value(typed, "kubeconfig", ""),
                                      .context = typed_value(typed, "context", ""),
                                      .server = typed_value(typed, "server", "-s")});
  std::vector<std::string> found;
  if (!cluster) return found;
  runtime::Client& client = (*cluster)->client();
  std::string ns = typed_value(typed, "namespace", "-n");
  if (ns.empty()) ns = (*cluster)->context_namespace();
  if (names == Names::Namespaces) add_names<kube::Namespace>(client, {}, found);
  if (names == Names::Jobs || names == Names::PoolsAndJobs)
    add_names<api::ResumableJob>(client, ns.empty() ? "default" : ns, found);
  if (names == Names::Pools || names == Names::PoolsAndJobs) add_names<api::GpuPool>(client, {}, found);
  return found;
}

}  // namespace reprise::plugin
