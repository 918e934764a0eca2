// Follows several logs at once. pump() hands out their lines on the caller's thread.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "apps/kubectl-reprise/cluster/cluster.h"
#include "apps/kubectl-reprise/commands/logs/log_lines.h"

namespace reprise::plugin {

class LogStreams {
 public:
  LogStreams(Cluster& cluster, bool prefixes);
  // Has the executor end all streams.
  ~LogStreams();
  LogStreams(const LogStreams&) = delete;
  LogStreams& operator=(const LogStreams&) = delete;

  // `key`: identifies the pod; open each once.
  void open(const std::string& key, const std::string& source, const std::string& path);
  [[nodiscard]] bool knows(const std::string& key) const { return sinks_.contains(key); }
  // Whole lines that have come since, without a line that is not whole yet.
  [[nodiscard]] std::string pump();
  // Opened streams that have not ended.
  [[nodiscard]] std::size_t running() const;
  // The reasons why streams broke off or did not begin, one line each; each once.
  [[nodiscard]] std::string troubles();

 private:
  class Sink;
  Cluster& cluster_;
  LogLines lines_;
  std::map<std::string, std::shared_ptr<Sink>> sinks_;
};

}  // namespace reprise::plugin
