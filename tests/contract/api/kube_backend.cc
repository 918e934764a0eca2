// A real kube-apiserver: $KUBECONFIG. Actions that no request can do are asked of tests/contract/run through two pipes.
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <functional>
#include <future>
#include <stdexcept>
#include <string>
#include <thread>

#include "runtime/client/config.h"
#include "runtime/http/curl_transport.h"
#include "tests/contract/api/backend.h"

namespace reprise::contract {
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr) throw std::runtime_error(std::string(name) + " is not set: use tests/contract/run");
  return value;
}

runtime::ServerConfig server() {
  auto config = runtime::read_kubeconfig(environment("KUBECONFIG"), "");
  if (!config) throw std::runtime_error(config.error().message);
  return config->server;
}

class KubeBackend final : public Backend, public runtime::Transport {
 public:
  KubeBackend() : transport_(runtime::make_curl_transport(executor_, server())) {}
  ~KubeBackend() override { executor_.stop(); }

  runtime::Transport& transport() override { return *this; }
  void let_watches_hear() override { std::this_thread::sleep_for(std::chrono::milliseconds(20)); }
  void let_watches_idle() override { std::this_thread::sleep_for(std::chrono::milliseconds(200)); }
  void compact() override {
    constexpr std::string_view order = "compact\n";
    if (write(std::stoi(environment("REPRISE_CONTRACT_ORDERS")), order.data(), order.size()) < 0)
      throw std::runtime_error("nobody takes orders");
    std::array<char, 16> answer{};
    if (read(std::stoi(environment("REPRISE_CONTRACT_ANSWERS")), answer.data(), answer.size()) <= 0)
      throw std::runtime_error("the order was not carried out");
  }

  runtime::Result<runtime::Response> send(const runtime::Request& request) override {
    return transport_->send(request);
  }
  void send_async(runtime::Request request, std::function<void(runtime::Result<runtime::Response>)> done) override {
    transport_->send_async(std::move(request), std::move(done));
  }
  std::unique_ptr<runtime::Stream> open(runtime::Request request, runtime::StreamSink& sink) override {
    std::unique_ptr<runtime::Stream> stream;
    on_thread([&] { stream = transport_->open(std::move(request), sink); });
    return std::make_unique<Handle>(*this, std::move(stream));
  }

 private:
  // Streams live on the executor's thread.
  void on_thread(const std::function<void()>& work) {
    std::promise<void> done;
    executor_.post([&] {
      work();
      done.set_value();
    });
    done.get_future().wait();
  }

  class Handle final : public runtime::Stream {
   public:
    Handle(KubeBackend& owner, std::unique_ptr<runtime::Stream> stream) : owner_(owner), stream_(std::move(stream)) {}
    ~Handle() override {
      owner_.on_thread([this] { stream_.reset(); });
    }
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;

   private:
    KubeBackend& owner_;
    std::unique_ptr<runtime::Stream> stream_;
  };

  runtime::AsioExecutor executor_;
  std::unique_ptr<runtime::CurlTransport> transport_;
};

}  // namespace

Backend& backend() {
  static KubeBackend one;
  return one;
}

}  // namespace reprise::contract
