// An exporter of a real process, on a thread and on connections of its own: a receiver that is slow or gone is felt by
// nothing else.
#pragma once

#include <memory>

#include "runtime/traces/exporter.h"
#include "runtime/traces/otlp_endpoint.h"

namespace reprise::runtime {

class OtlpConnection final : public SpanSink {
 public:
  // Connects when there is something to send. Terminal: the file of authorities cannot be read. `metrics` and `logger`
  // outlive it.
  [[nodiscard]] static Result<std::unique_ptr<OtlpConnection>> open(const OtlpEndpoint& endpoint, TraceSource source,
                                                                    MetricsRegistry& metrics, Logger& logger);
  // Unsent spans are lost.
  ~OtlpConnection() override;
  OtlpConnection(const OtlpConnection&) = delete;
  OtlpConnection& operator=(const OtlpConnection&) = delete;

  void add(std::vector<Span> spans) override;
  // Sends the remaining spans; false: it took longer than `limit`. Blocks. Not from an executor's thread.
  bool flush(Duration limit);

 private:
  struct Parts;
  explicit OtlpConnection(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace reprise::runtime
