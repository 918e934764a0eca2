#include "apps/reprise/demo/demo_proof.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <iterator>
#include <map>
#include <system_error>

#include "apps/reprise/text_file.h"

namespace reprise::apps {
namespace {

namespace fs = std::filesystem;

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

// Results by their first line, which says after how many steps they are.
std::multimap<std::string, std::string> results_below(const fs::path& directory) {
  std::multimap<std::string, std::string> results;
  std::error_code problem;
  fs::recursive_directory_iterator at(directory, fs::directory_options::skip_permission_denied, problem);
  for (; !problem && at != fs::recursive_directory_iterator(); at.increment(problem)) {
    if (at->path().filename() != "weights.txt" || at->path().parent_path().filename() != "final") continue;
    if (auto text = text_of_file(at->path())) results.emplace(first_line(*text), *text);
  }
  return results;
}

}  // namespace

bool run_program(const std::vector<std::string>& words) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int failed = posix_spawn(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return false;
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return false;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

DemoProof prove(const std::vector<DemoJob>& jobs, const fs::path& run, const fs::path& undisturbed,
                const fs::path& trainer, const fs::path& data, RunProgram program) {
  const auto results = results_below(run);
  DemoProof proof;
  for (const DemoJob& job : jobs) {
    const fs::path directory = undisturbed / std::to_string(job.steps);
    const bool ran = program(
        {trainer.string(), "--data", data.string(), "--dir", directory.string(), "--steps", std::to_string(job.steps)});
    const auto expected = text_of_file(directory / "final" / "weights.txt");
    if (!ran || !expected) {
      proof.different.push_back(job.name + ": the undisturbed run failed: " + trainer.string());
      continue;
    }
    const auto [begin, end] = results.equal_range(first_line(*expected));
    if (begin == end)
      proof.different.push_back(job.name + ": it left no final weights");
    else if (std::next(begin) != end)
      proof.different.push_back(job.name + ": it left final weights more than once");
    else if (begin->second != *expected)
      proof.different.push_back(job.name + ": its final weights are not those of an undisturbed run");
    else
      proof.equal.push_back(job.name);
  }
  return proof;
}

}  // namespace reprise::apps
