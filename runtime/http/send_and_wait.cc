#include "runtime/http/send_and_wait.h"

#include <future>
#include <utility>

namespace reprise::runtime {

Result<Response> send_and_wait(Transport& transport, const Request& request) {
  auto promise = std::make_shared<std::promise<Result<Response>>>();
  auto answer = promise->get_future();
  transport.send_async(
      request, [promise = std::move(promise)](Result<Response> result) { promise->set_value(std::move(result)); });
  try {
    return answer.get();
  } catch (const std::future_error&) {
    return fail(ErrorClass::Cancelled, "the transport has stopped");
  }
}

}  // namespace reprise::runtime
