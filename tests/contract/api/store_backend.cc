// The simulator's API server in this process.
#include <fstream>
#include <set>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "api/testing/source_tree.h"
#include "runtime/testing/virtual_clock.h"
#include "simulator/api_server/api_server.h"
#include "tests/contract/api/backend.h"

namespace reprise::contract {
namespace {

class StoreBackend;

class LocalStream final : public runtime::Stream {
 public:
  LocalStream(std::set<LocalStream*>& open, simulator::WatchAnswer answer, runtime::StreamSink& sink)
      : open_(open), answer_(std::move(answer)), sink_(sink) {
    open_.insert(this);
  }
  ~LocalStream() override { open_.erase(this); }
  LocalStream(const LocalStream&) = delete;
  LocalStream& operator=(const LocalStream&) = delete;

  void pump() {
    if (closed_) return;
    if (!std::exchange(begun_, true)) sink_.on_status(answer_.status, {});
    if (!answer_.cursor) {
      sink_.on_bytes(answer_.rejection);
      return close();
    }
    while (auto line = answer_.cursor->next()) sink_.on_bytes(*line + "\n");
    if (answer_.cursor->ended()) close();
  }
  void bookmark() {
    pump();
    if (closed_) return;
    if (auto line = answer_.cursor->bookmark()) sink_.on_bytes(*line + "\n");
  }

 private:
  void close() {
    closed_ = true;
    sink_.on_closed({});
  }

  std::set<LocalStream*>& open_;
  simulator::WatchAnswer answer_;
  runtime::StreamSink& sink_;
  bool begun_ = false, closed_ = false;
};

class StoreBackend final : public Backend, public runtime::Transport {
 public:
  StoreBackend() {
    for (const char* file : {"crds/reprise.dev_gpupools.yaml", "crds/reprise.dev_resumablejobs.yaml"}) {
      std::ifstream in(api::testing::source_tree() + "/" + file);
      std::stringstream text;
      text << in.rdbuf();
      if (auto added = server_.add_custom_resource(text.str()); !added) throw std::runtime_error(added.error().message);
    }
  }

  runtime::Transport& transport() override { return *this; }
  void let_watches_hear() override {
    for (LocalStream* stream : std::set(open_)) stream->pump();
  }
  void let_watches_idle() override {
    for (LocalStream* stream : std::set(open_)) stream->bookmark();
  }
  void compact() override { server_.compact(); }

  runtime::Result<runtime::Response> send(const runtime::Request& request) override { return server_.handle(request); }
  void send_async(runtime::Request request, std::function<void(runtime::Result<runtime::Response>)> done) override {
    done(send(request));
  }
  std::unique_ptr<runtime::Stream> open(runtime::Request request, runtime::StreamSink& sink) override {
    return std::make_unique<LocalStream>(open_, server_.watch(request), sink);
  }

 private:
  runtime::testing::VirtualClock clock_;
  runtime::SeededRandom random_{1};
  simulator::ApiServer server_{clock_, random_};
  std::set<LocalStream*> open_;
};

}  // namespace

Backend& backend() {
  static StoreBackend one;
  return one;
}

}  // namespace reprise::contract
