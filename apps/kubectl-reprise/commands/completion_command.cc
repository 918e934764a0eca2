#include "apps/kubectl-reprise/commands/completion_command.h"

#include <ostream>

namespace reprise::plugin {
namespace {

constexpr const char* kBash = R"(# Completion of kubectl-reprise for bash: source <(kubectl-reprise completion bash)
_kubectl_reprise() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :0) compopt -o default ;;
      :*) ;;
      *) COMPREPLY+=("${line%%$'\t'*}") ;;
    esac
  done < <(kubectl-reprise __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _kubectl_reprise kubectl-reprise
)";

constexpr const char* kZsh = R"(#compdef kubectl-reprise
# Completion of kubectl-reprise for zsh: source <(kubectl-reprise completion zsh)
_kubectl_reprise() {
  local -a found
  local line
  while IFS= read -r line; do
    [[ $line == :0 ]] && _files
    [[ $line == :[0-9] ]] && continue
    if [[ $line == *$'\t'* ]]; then
      found+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
    else
      found+=("${line//:/\\:}")
    fi
  done < <(kubectl-reprise __complete "${(@)words[2,CURRENT]}" 2>/dev/null)
  _describe 'kubectl-reprise' found
}
compdef _kubectl_reprise kubectl-reprise
)";

constexpr const char* kFish = R"(# Completion of kubectl-reprise for fish: kubectl-reprise completion fish | source
function __kubectl_reprise
  set -l typed (commandline -opc) (commandline -ct)
  kubectl-reprise __complete $typed[2..-1] 2>/dev/null | string match -rv '^:[0-9]$'
end
complete -c kubectl-reprise -f -a '(__kubectl_reprise)'
)";

}  // namespace

Command completion_command() {
  return {.name = "completion",
          .operands = "bash|zsh|fish",
          .summary = "print the completion script of a shell",
          .description =
              "Prints a script that completes 'kubectl-reprise'. For 'kubectl reprise', kubectl's own completion asks "
              "kubectl_complete-reprise, which is installed beside the plugin and must be on the PATH.",
          .examples = {{"for this shell", "source <(kubectl reprise completion bash)"}},
          .least = 1,
          .most = 1,
          .names = Names::Shells,
          .connects = false,
          .run = [](Session& session) -> runtime::Result<ExitCode> {
            const std::string& shell = session.arguments.words.front();
            const char* script = shell == "bash" ? kBash : shell == "zsh" ? kZsh : shell == "fish" ? kFish : nullptr;
            if (script == nullptr) {
              session.world.err << "kubectl reprise completion: found '" << shell << "', must be bash, zsh or fish\n";
              return kUsage;
            }
            session.world.out << script;
            return kDone;
          }};
}

}  // namespace reprise::plugin
