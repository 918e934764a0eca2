// Sends spans to a receiver of OTLP over HTTP, in its JSON encoding: in batches, in the background, never in anybody's
// way. Spans that do not fit into the queue, or cannot be sent, are dropped and counted
// (reprise_trace_spans_dropped_total{reason}).
//
// A receiver that cannot take a batch now (429, 502, 503, 504, or no answer) is asked again, with growing pauses or as
// it says by Retry-After; a rejected batch is dropped at once. Spans keep their ids, so that one that arrives twice is
// one.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/base/executor.h"
#include "runtime/base/log.h"
#include "runtime/base/random.h"
#include "runtime/http/transport.h"
#include "runtime/metrics/metrics.h"
#include "runtime/traces/otlp_json.h"

namespace reprise::runtime {

struct ExporterOptions {
  std::string path = "/v1/traces";
  std::vector<std::pair<std::string, std::string>> headers = {};  // for each request, beside the content's type
  TraceSource source = {};
  std::size_t queue_limit = 2048;  // spans that wait, beside the batch under way
  std::size_t batch_limit = 512;   // spans of one request
  Duration batch_delay{5'000};     // a span waits for company no longer
  Duration timeout{10'000};        // for one request
  int tries = 6;                   // for one batch
  Duration first_retry{1'000};     // doubles up to `longest_retry`
  Duration longest_retry{30'000};
};

class SpanExporter final : public SpanSink {
 public:
  // All outlive it; destroy it on the executor's thread, or after that has ended.
  SpanExporter(ExporterOptions options, Transport& transport, Executor& executor, Random& random,
               MetricsRegistry& metrics, Logger& logger);
  ~SpanExporter() override;
  SpanExporter(const SpanExporter&) = delete;
  SpanExporter& operator=(const SpanExporter&) = delete;

  void add(std::vector<Span> spans) override;
  // For the end of a process: all that was added so far is sent now, each batch tried once more at most; `done` runs on
  // the executor's thread when nothing is left. Any thread.
  void flush(std::function<void()> done);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace reprise::runtime
