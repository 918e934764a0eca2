#include "runtime/client/tracked_transport.h"

#include <string>
#include <utility>

namespace reprise::runtime {
namespace {

std::string title(const Request& request) {
  return std::string(name(request.method)) + " " + request.path_and_query.substr(0, request.path_and_query.find('?'));
}

class TrackedTransport final : public Transport {
 public:
  TrackedTransport(Transport& inner, RunningWork& requests) : inner_(inner), requests_(requests) {}

  Result<Response> send(const Request& request) override {
    const auto mark = requests_.begin(title(request));
    return inner_.send(request);
  }

  void send_async(Request request, std::function<void(Result<Response>)> done) override {
    std::shared_ptr<RunningWork::Mark> mark = requests_.begin(title(request));
    inner_.send_async(std::move(request),
                      [mark = std::move(mark), done = std::move(done)](Result<Response> response) mutable {
                        mark.reset();
                        done(std::move(response));
                      });
  }

  std::unique_ptr<Stream> open(Request request, StreamSink& sink) override {
    return inner_.open(std::move(request), sink);
  }

 private:
  Transport& inner_;
  RunningWork& requests_;
};

}  // namespace

std::unique_ptr<Transport> with_request_tracking(Transport& inner, RunningWork& requests) {
  return std::make_unique<TrackedTransport>(inner, requests);
}

}  // namespace reprise::runtime
