#include "runtime/http/asio_executor.h"

#include <atomic>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <csignal>
#include <utility>

#include "runtime/http/internal/asio_impl.h"

namespace reprise::runtime {
namespace {

struct TimerState {
  explicit TimerState(boost::asio::io_context& context) : timer(context) {}
  boost::asio::steady_timer timer;
  std::atomic<bool> cancelled{false};
  std::function<void()> work;
};

class AsioTimer final : public Timer {
 public:
  AsioTimer(std::shared_ptr<AsioExecutor::Impl> impl, std::shared_ptr<TimerState> state)
      : impl_(std::move(impl)), state_(std::move(state)) {}
  ~AsioTimer() override {
    state_->cancelled = true;
    boost::asio::post(impl_->context, [state = std::move(state_)] {
      state->timer.cancel();
      state->work = nullptr;
    });
  }

 private:
  std::shared_ptr<AsioExecutor::Impl> impl_;
  std::shared_ptr<TimerState> state_;
};

}  // namespace

AsioExecutor::AsioExecutor() : impl_(std::make_shared<Impl>()) {
  impl_->thread = std::thread([impl = impl_.get()] {
    // TLS writes to sockets whose other end may be gone: that is an error of the write, not the process's end.
    sigset_t broken_pipe;
    sigemptyset(&broken_pipe);
    sigaddset(&broken_pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &broken_pipe, nullptr);
    impl->context.run();
  });
}

AsioExecutor::~AsioExecutor() {
  stop();
}

void AsioExecutor::post(std::function<void()> work) {
  boost::asio::post(impl_->context, std::move(work));
}

std::unique_ptr<Timer> AsioExecutor::after(Duration delay, std::function<void()> work) {
  auto state = std::make_shared<TimerState>(impl_->context);
  state->work = std::move(work);
  state->timer.expires_after(delay);
  post([state] {
    if (state->cancelled) return;
    state->timer.async_wait([state](const boost::system::error_code& error) {
      if (error || state->cancelled) return;
      const auto due = std::exchange(state->work, nullptr);
      if (due) due();
    });
  });
  return std::make_unique<AsioTimer>(impl_, std::move(state));
}

void AsioExecutor::stop() {
  impl_->guard.reset();
  impl_->context.stop();
  if (impl_->thread.joinable()) impl_->thread.join();
}

bool AsioExecutor::on_thread() const {
  return impl_->thread.get_id() == std::this_thread::get_id();
}

}  // namespace reprise::runtime
