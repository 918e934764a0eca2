#include "agent/testing/scene.h"

#include <unistd.h>

#include <algorithm>

namespace reprise::agent::testing_support {

namespace fs = std::filesystem;

Scene::Scene() {
  fs::create_directory(volume());
}

std::string agent_binary() {
  return REPRISE_AGENT_BINARY;
}

std::vector<std::string> as_pid_1(const std::vector<std::string>& command) {
  std::vector<std::string> words{"unshare", "--pid", "--fork", "--mount-proc", "--kill-child"};
  if (::geteuid() != 0) words.insert(words.end(), {"--user", "--map-root-user"});
  words.insert(words.end(), command.begin(), command.end());
  return words;
}

std::vector<std::string> after_a_suspension(const std::vector<std::string>& command) {
  std::vector<std::string> words{"unshare", "--time", "--boottime", "86400", "--fork", "--kill-child"};
  if (::geteuid() != 0) words.insert(words.end(), {"--user", "--map-root-user"});
  words.insert(words.end(), command.begin(), command.end());
  return words;
}

fs::path Scene::termination_log(int attempt, int index) const {
  return path("termination-" + std::to_string(attempt) + "-" + std::to_string(index));
}

Variables Scene::variables(const Rank& rank) const {
  Variables variables{{"REPRISE_JOB_UID", "job-1"},
                      {"REPRISE_POD_UID", "pod-" + std::to_string(rank.attempt) + "-" + std::to_string(rank.index)},
                      {"REPRISE_ATTEMPT", std::to_string(rank.attempt)},
                      {"JOB_COMPLETION_INDEX", std::to_string(rank.index)},
                      {"REPRISE_CHECKPOINT_DIR", volume().string()},
                      {"REPRISE_CHECKPOINT_FORMAT", "Marker"},
                      {"REPRISE_CHECKPOINT_GRACE_SECONDS", "30"},
                      {"REPRISE_TERMINATION_LOG", termination_log(rank.attempt, rank.index).string()},
                      {"REPRISE_HEARTBEAT_SECONDS", "0.1"},
                      {"REPRISE_WATCH_SECONDS", "0.02"},
                      {"TMPDIR", directory_.path().string()}};
  for (const auto& [name, value] : rank.variables) variables[name] = value;
  return variables;
}

Process Scene::run(const Rank& rank, const std::vector<std::string>& command) const {
  put_text(termination_log(rank.attempt, rank.index), "");
  std::vector<std::string> words{agent_binary(), "run", "--"};
  words.insert(words.end(), command.begin(), command.end());
  return Process({.words = words,
                  .variables = variables(rank),
                  .output = path("output-" + std::to_string(rank.attempt) + "-" + std::to_string(rank.index)),
                  .input = rank.input,
                  .directory = rank.directory});
}

std::vector<std::string> Scene::trainer(int steps, int save_every, int step_milliseconds,
                                        std::vector<std::string> more) const {
  std::vector<std::string> words{REPRISE_TRAINER_BINARY,
                                 "--data",
                                 REPRISE_TRAINER_DATA,
                                 "--dir",
                                 volume().string(),
                                 "--steps",
                                 std::to_string(steps),
                                 "--save-every",
                                 std::to_string(save_every),
                                 "--step-milliseconds",
                                 std::to_string(step_milliseconds)};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

std::optional<Record> Scene::record(int attempt, int index) const {
  return decode_record(text_in(layout().record(attempt, index)));
}

std::optional<Record> Scene::termination(int attempt, int index) const {
  return decode_record(text_in(termination_log(attempt, index)));
}

std::string Scene::output(int attempt, int index) const {
  return text_in(path("output-" + std::to_string(attempt) + "-" + std::to_string(index)));
}

std::vector<std::string> Scene::checkpoints() const {
  std::vector<std::string> names;
  std::error_code problem;
  for (fs::directory_iterator entry(volume(), problem); !problem && entry != fs::directory_iterator();
       entry.increment(problem)) {
    if (fs::exists(entry->path() / "_COMPLETE", problem)) names.push_back(entry->path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

bool Scene::wait_for_checkpoint() const {
  return eventually([this] { return !checkpoints().empty(); });
}

bool Scene::wait_for_text(int attempt, const std::string& text) const {
  return eventually([&] { return output(attempt).find(text) != std::string::npos; });
}

}  // namespace reprise::agent::testing_support
