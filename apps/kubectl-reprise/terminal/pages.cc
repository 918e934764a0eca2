#include "apps/kubectl-reprise/terminal/pages.h"

#include "apps/kubectl-reprise/commands/commands.h"
#include "apps/kubectl-reprise/commands/help.h"
#include "apps/kubectl-reprise/run/exit_codes.h"
#include "version.h"

namespace reprise::plugin {
namespace {

// A backslash, and a dot or a quote at the beginning of a line, mean something to troff; a hyphen is a minus.
std::string troff(const std::string& text) {
  std::string escaped;
  for (const char each : text) {
    if ((each == '.' || each == '\'') && (escaped.empty() || escaped.ends_with('\n'))) escaped += "\\&";
    if (each == '\\')
      escaped += "\\e";
    else if (each == '-')
      escaped += "\\-";
    else
      escaped += each;
  }
  return escaped;
}

std::string troff_flags(const std::vector<Flag>& flags) {
  std::string text;
  for (const Flag& flag : flags) {
    const std::string shown = flag_text(flag);
    text += ".TP\n.B " + troff(shown.substr(shown.find_first_not_of(' '))) + "\n" + troff(flag.help) + ".\n";
  }
  return text;
}

std::string markdown_flags(const std::vector<Flag>& flags) {
  std::string text = "| Flag | |\n|---|---|\n";
  for (const Flag& flag : flags) {
    const std::string shown = flag_text(flag);
    text += "| `" + shown.substr(shown.find_first_not_of(' ')) + "` | " + flag.help + " |\n";
  }
  return text;
}

constexpr const char* kIntroduction =
    "`kubectl reprise` shows and steers pools and jobs from a terminal. It is a kubectl plugin: one program,\n"
    "`kubectl-reprise`, anywhere on the PATH (`cmake --install build/release --component kubectl` puts it there, with\n"
    "`kubectl_complete-reprise` for kubectl's own completion and the manual page `kubectl-reprise(1)`). It reads the "
    "same\n"
    "kubeconfig as kubectl and has the rights of whoever calls it, nothing more.\n";

}  // namespace

std::string manual_page() {
  std::string text =
      ".\\\" Written from the table of commands: kubectl-reprise __man\n.TH KUBECTL\\-REPRISE 1 \"\" \"reprise " +
      std::string(apps::kVersion) + "\" \"Reprise\"\n";
  text += ".SH NAME\nkubectl\\-reprise \\- show and steer Reprise's pools and jobs\n";
  text += ".SH SYNOPSIS\n.B kubectl reprise\n.I COMMAND\n[flags]\n.SH COMMANDS\n";
  for (const Command& each : commands()) {
    text += ".SS " + troff(synopsis(each)) + "\n" + troff(each.description) + "\n" + troff_flags(each.flags);
    for (const Example& example : each.examples)
      text += ".PP\nExample, " + troff(example.text) + ":\n.PP\n.RS\n.nf\n" + troff(example.command) + "\n.fi\n.RE\n";
  }
  text += ".SH FLAGS OF ALL COMMANDS\n" + troff_flags(global_flags()) + ".SH EXIT STATUS\n";
  for (const ExitCodeMeaning& each : kExitCodes)
    text += ".TP\n.B " + std::to_string(each.code) + "\n" + troff(std::string(each.meaning)) + ".\n";
  text +=
      ".SH ENVIRONMENT\n.TP\n.B KUBECONFIG\nthe kubeconfig, where \\-\\-kubeconfig is not given; several files, with "
      "colons between them, are read as one, as kubectl does.\n";
  return text + ".TP\n.B NO_COLOR\nset to anything: no colours.\n";
}

std::string reference_page() {
  std::string text =
      "<!-- Written from the table of commands: build/release/bin/kubectl-reprise __reference > "
      "docs/kubectl-reprise.md -->\n"
      "# kubectl reprise\n\n";
  text += kIntroduction;
  text += "\n| Command | |\n|---|---|\n";
  for (const Command& each : commands())
    text += "| [`" + each.name + "`](#" + each.name + ") | " + each.summary + " |\n";
  for (const Command& each : commands()) {
    text += "\n## " + each.name + "\n\n`" + synopsis(each) + "`\n\n" + each.description + "\n";
    if (!each.flags.empty()) text += "\n" + markdown_flags(each.flags);
    for (const Example& example : each.examples)
      text += "\nFor example, " + example.text + ":\n\n```\n" + example.command + "\n```\n";
  }
  text += "\n## Flags of all commands\n\n" + markdown_flags(global_flags());
  text += "\n## Exit codes\n\n| Code | |\n|---|---|\n";
  for (const ExitCodeMeaning& each : kExitCodes)
    text += "| " + std::to_string(each.code) + " | " + std::string(each.meaning) + " |\n";
  return text;
}

}  // namespace reprise::plugin
