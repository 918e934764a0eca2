// A server of HTTP on the loopback device for trainers that tell how far they are by the status protocol of Kubeflow's
// TrainJobs. It serves whoever has the token of a file that only the trainer's user may read, one after the other, each
// for a second at most.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace reprise::agent {

class StatusServer {
 public:
  using Tell = std::function<void(std::string_view body)>;

  // Null where there is no such port, thread or file. `tell` is called on the server's thread, also shortly after this
  // object is gone. `directory`: private to this pod, the token's.
  [[nodiscard]] static std::unique_ptr<StatusServer> open(const std::string& directory, Tell tell);
  StatusServer(const StatusServer&) = delete;
  StatusServer& operator=(const StatusServer&) = delete;
  ~StatusServer();

  // The variables by which a trainer finds it.
  [[nodiscard]] const std::map<std::string, std::string>& variables() const { return variables_; }

 private:
  struct State;
  StatusServer(std::shared_ptr<State> state, std::map<std::string, std::string> variables);

  std::shared_ptr<State> state_;
  std::map<std::string, std::string> variables_;
};

}  // namespace reprise::agent
