// Candidates for the end of a command line, from the table of commands and from the cluster: for the shells' scripts
// and kubectl_complete-reprise.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "apps/kubectl-reprise/commands/command.h"

namespace reprise::plugin {

struct Candidate {
  std::string word, help;  // `help` may be empty
};
struct Candidates {
  std::vector<Candidate> words;
  bool files = false;  // names of files may stand there
};
// Looks up existing names, given the words typed so far; empty when the cluster does not answer.
using LookUp = std::function<std::vector<std::string>(Names, const std::vector<std::string>& typed)>;

// `typed`: all words after the program's name; the last one is to be completed and may be empty.
[[nodiscard]] Candidates complete(const std::vector<std::string>& typed, const LookUp& look_up);
// The form that kubectl expects of kubectl_complete-reprise: a candidate per line, a tab before its help, and at the
// end ":4" or, where files may stand, ":0".
[[nodiscard]] std::string completion_answer(const Candidates& candidates);
[[nodiscard]] std::vector<std::string> look_up_names(World& world, Names names, const std::vector<std::string>& typed);

}  // namespace reprise::plugin
