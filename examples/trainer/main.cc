// A small real trainer that keeps the contract of the agent: resumes from $REPRISE_RESUME_FROM, saves when asked
// (SIGUSR1, the notice file, SIGTERM), and ends with the same bits however often it was interrupted.
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

#include "examples/trainer/checkpoints.h"
#include "examples/trainer/dataset.h"
#include "examples/trainer/model.h"
#include "examples/trainer/options.h"

namespace {

namespace example = reprise::example;

volatile std::sig_atomic_t g_save_requested = 0;
volatile std::sig_atomic_t g_terminated = 0;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// On a volume that the ranks share one of them writes for all.
bool writes() {
  const std::string rank = variable("JOB_COMPLETION_INDEX");
  return rank.empty() || rank == "0" || variable("REPRISE_VOLUME_ACCESS") == "PerIndex";
}

// Tells if the notice file says something that it did not say before.
class NoticeFile {
 public:
  bool asks() {
    if (file_.empty()) return false;
    std::ifstream in(file_);
    const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    if (text.empty() || text == last_) return false;
    last_ = text;
    return true;
  }

 private:
  std::string file_ = variable("REPRISE_NOTICE_FILE");
  std::string last_;
};

void listen(example::OnTerm on_term) {
  std::signal(SIGUSR1, [](int) { g_save_requested = 1; });
  if (on_term == example::OnTerm::Ignore)
    std::signal(SIGTERM, SIG_IGN);
  else
    std::signal(SIGTERM, [](int) { g_terminated = 1; });
}

int failed(const std::string& why) {
  std::fprintf(stderr, "trainer: %s\n", why.c_str());
  return 1;
}

int train(const example::Options& options, const std::vector<example::Point>& points, example::Model model) {
  const bool writer = writes();
  std::int64_t saved = model.step;
  NoticeFile notice;
  const auto keep = [&] {
    if (!writer || saved == model.step) return;
    if (example::save(model, options.dir))
      saved = model.step;
    else
      std::fprintf(stderr, "trainer: step %lld could not be saved\n", static_cast<long long>(model.step));
  };
  while (model.step < options.steps) {
    const double loss = example::advance(model, points);
    if (options.step_milliseconds > 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(options.step_milliseconds));
    }
    const bool due = options.save_every > 0 && model.step % options.save_every == 0;
    if (due) std::printf("step %lld loss %.6f\n", static_cast<long long>(model.step), loss);
    if (g_terminated != 0) {
      if (options.on_sigterm == example::OnTerm::Save) keep();
      return options.exit_code;
    }
    const bool requested = g_save_requested != 0 || notice.asks();
    g_save_requested = 0;
    if (due || requested) keep();
    std::fflush(stdout);
  }
  if (writer && !example::save_result(model, options.dir)) return failed("the result could not be written");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::string problem;
  const auto options = example::read_options({argv + 1, argv + argc}, problem);
  if (!options) {
    std::fprintf(stderr, "trainer: %s", problem.c_str());
    return 2;
  }
  listen(options->on_sigterm);
  const auto points = example::read_points(options->data, problem);
  if (!points) return failed(problem);
  auto model = example::fresh_model(*points);
  if (const std::string from = variable("REPRISE_RESUME_FROM"); !from.empty()) {
    const auto loaded = example::load(from);
    if (!loaded || loaded->weights.size() != model.weights.size()) return failed("cannot load " + from);
    model = *loaded;
    std::printf("resumed from step %lld\n", static_cast<long long>(model.step));
  } else {
    std::printf("started from scratch\n");
  }
  std::fflush(stdout);
  return train(*options, *points, std::move(model));
}
