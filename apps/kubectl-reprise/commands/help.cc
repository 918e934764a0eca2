#include "apps/kubectl-reprise/commands/help.h"

#include <algorithm>

#include "apps/kubectl-reprise/commands/commands.h"

namespace reprise::plugin {
namespace {

constexpr std::size_t kWidth = 100;

// Breaks at blanks; the first line begins at `margin`, too, so that the caller can write before it.
std::string wrapped(const std::string& text, std::size_t margin) {
  std::string all;
  std::size_t column = margin;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find_first_of(" \n", at), text.size());
    const std::size_t length = end - at;
    if (column > margin && column + 1 + length > kWidth) {
      all += '\n' + std::string(margin, ' ');
      column = margin;
    } else if (column > margin) {
      all += ' ';
      ++column;
    }
    all += text.substr(at, length);
    column += length;
    if (end < text.size() && text[end] == '\n') {
      all += '\n' + std::string(margin, ' ');
      column = margin;
    }
    at = end + 1;
  }
  return all;
}

std::string listed(const std::string& name, std::size_t width, const std::string& text) {
  const std::size_t margin = width + 4;
  return "  " + name + std::string(width - name.size() + 2, ' ') + wrapped(text, margin) + "\n";
}

std::string flags_text(const std::vector<Flag>& flags) {
  std::size_t width = 0;
  for (const Flag& flag : flags) width = std::max(width, flag_text(flag).size());
  std::string text;
  for (const Flag& flag : flags) text += listed(flag_text(flag), width, flag.help);
  return text;
}

}  // namespace

std::string synopsis(const Command& command) {
  return "kubectl reprise " + command.name + (command.operands.empty() ? "" : " " + command.operands) + " [flags]";
}

std::string flag_text(const Flag& flag) {
  const std::string letter = flag.letter == 0 ? "    " : std::string("-") + flag.letter + ", ";
  return letter + "--" + flag.name + (flag.argument.empty() ? "" : " " + flag.argument);
}

std::string overview_text() {
  std::string text =
      "Shows and steers Reprise's pools and jobs.\n\nUsage: kubectl reprise COMMAND [flags]\n\nCommands:\n";
  std::size_t width = 0;
  for (const Command& each : commands()) width = std::max(width, each.name.size());
  for (const Command& each : commands()) text += listed(each.name, width, each.summary);
  text += "\nFlags of all commands:\n" + flags_text(global_flags());
  return text + "\nSee 'kubectl reprise COMMAND --help'. 'kubectl reprise --version' prints the version.\n";
}

std::string help_text(const Command& command) {
  std::string text = wrapped(command.description, 0);
  text += "\n\nUsage: " + synopsis(command) + "\n";
  if (!command.examples.empty()) text += "\nExamples:\n";
  for (const Example& each : command.examples) text += "  # " + each.text + "\n  " + each.command + "\n";
  if (!command.flags.empty()) text += "\nFlags:\n" + flags_text(command.flags);
  return text + "\nFlags of all commands:\n" + flags_text(global_flags());
}

}  // namespace reprise::plugin
