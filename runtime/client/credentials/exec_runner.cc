#include <memory>
#include <thread>
#include <utility>

#include "runtime/client/credentials/exec_credential.h"
#include "runtime/client/internal/child_process.h"

namespace reprise::runtime {
namespace {

class ThreadRunner final : public ExecRunner {
 public:
  ThreadRunner(ExecPlugin plugin, Executor& executor) : plugin_(std::move(plugin)), executor_(executor) {}
  ~ThreadRunner() override {
    stop_.stop();
    if (thread_.joinable()) thread_.join();
  }

  void start(std::function<void(ExecOutcome)> done) override {
    if (thread_.joinable()) thread_.join();  // the thread has called `done`, so it is at its end
    thread_ = std::thread([this, done = std::move(done)] {
      executor_.post([done, outcome = run_exec_plugin(plugin_, stop_)] { done(outcome); });
    });
  }

 private:
  ExecPlugin plugin_;
  Executor& executor_;
  ChildStop stop_;
  std::thread thread_;
};

}  // namespace

std::unique_ptr<ExecRunner> make_exec_runner(ExecPlugin plugin, Executor& executor) {
  return std::make_unique<ThreadRunner>(std::move(plugin), executor);
}

}  // namespace reprise::runtime
