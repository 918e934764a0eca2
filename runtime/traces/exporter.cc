#include "runtime/traces/exporter.h"

#include <algorithm>
#include <deque>
#include <iterator>
#include <mutex>
#include <optional>

#include "runtime/internal/json.h"

namespace reprise::runtime {
namespace {

constexpr const char* kDropped = "reprise_trace_spans_dropped_total";

struct Dropped {
  explicit Dropped(MetricsRegistry& metrics)
      : queue_full(of(metrics, "queue_full")),
        rejected(of(metrics, "rejected")),
        unreachable(of(metrics, "unreachable")) {}
  static Counter& of(MetricsRegistry& metrics, const char* reason) {
    return metrics.counter(kDropped, "Spans that no receiver has taken.", {{"reason", reason}});
  }
  Counter &queue_full, &rejected, &unreachable;
};

// True for OTLP's retryable statuses, and for a connection that did not come about or broke.
bool may_pass(const Result<Response>& result) {
  if (!result) return result.error().error_class == ErrorClass::Unavailable;
  const int status = result->status;
  return status == 429 || status == 502 || status == 503 || status == 504;
}

// The receiver's own text is left out: nobody vouches for its content.
std::string problem(const Result<Response>& result) {
  return result ? "HTTP status " + std::to_string(result->status) : result.error().message;
}

// The number of spans that a receiver rejected of a batch it has taken.
double rejected_of(const std::string& body) {
  const auto answer = internal::parse_json(body);
  if (!answer) return 0;
  const Json::Value& part = internal::member(*answer, "partialSuccess");
  const std::string text = internal::text_of(part, "rejectedSpans");  // 64 bits: a string
  const bool number =
      !text.empty() && text.size() < 10 && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
  return number ? std::stod(text) : static_cast<double>(internal::number_of(part, "rejectedSpans"));
}

}  // namespace

struct SpanExporter::State : std::enable_shared_from_this<SpanExporter::State> {
  State(ExporterOptions given, Transport& the_transport, Executor& the_executor, Random& the_random,
        MetricsRegistry& metrics, Logger& the_logger)
      : options(std::move(given)),
        transport(the_transport),
        executor(the_executor),
        random(the_random),
        logger(the_logger),
        sent(metrics.counter("reprise_trace_spans_sent_total", "Spans that a receiver has taken.")),
        dropped(metrics) {
    options.headers.emplace_back("Content-Type", "application/json");
  }

  void add(std::vector<Span> spans) {
    std::size_t taken = 0;
    {
      const std::lock_guard lock(mutex);
      taken = std::min(spans.size(), options.queue_limit - std::min(options.queue_limit, waiting.size()));
      const auto end = spans.begin() + static_cast<std::ptrdiff_t>(taken);
      waiting.insert(waiting.end(), std::move_iterator(spans.begin()), std::move_iterator(end));
    }
    dropped.queue_full.add(static_cast<double>(spans.size() - taken));
    if (taken > 0) post([](State& state) { state.consider(); });
  }

  void flush(std::function<void()> done) {
    post([done = std::move(done)](State& state) {
      state.flushes.push_back(done);
      state.armed = false;
      if (state.under_way) return;
      if (state.batch.empty()) return state.consider();
      state.send();
    });
  }

  template <class Work>
  void post(Work work) {
    executor.post([weak = weak_from_this(), work = std::move(work)] {
      if (const auto state = weak.lock()) work(*state);
    });
  }

  // On the executor's thread, as all below. A batch that failed waits for its next try, others behind it.
  void consider() {
    if (!batch.empty()) return;
    std::size_t count = 0;
    {
      const std::lock_guard lock(mutex);
      count = waiting.size();
      const bool now = count >= options.batch_limit || !flushes.empty();
      if (now) take_batch();
    }
    if (!batch.empty()) return send();
    if (count > 0 && !armed) arm(options.batch_delay, [](State& state) { state.take_what_waits(); });
    if (count > 0) return;
    for (const auto& done : std::exchange(flushes, {})) done();
  }

  void take_what_waits() {
    {
      const std::lock_guard lock(mutex);
      take_batch();
    }
    if (!batch.empty()) send();
  }

  // The lock is held.
  void take_batch() {
    const auto count = static_cast<std::ptrdiff_t>(std::min(waiting.size(), options.batch_limit));
    batch.assign(std::move_iterator(waiting.begin()), std::move_iterator(waiting.begin() + count));
    waiting.erase(waiting.begin(), waiting.begin() + count);
    failures = 0;
    armed = false;
  }

  template <class Work>
  void arm(Duration delay, Work work) {
    armed = true;
    timer = executor.after(delay, [weak = weak_from_this(), work] {
      const auto state = weak.lock();
      if (state && std::exchange(state->armed, false)) work(*state);
    });
  }

  void send() {
    under_way = true;
    Request request{.method = Method::Post,
                    .path_and_query = options.path,
                    .headers = options.headers,
                    .body = encode_otlp(options.source, batch),
                    .timeout = options.timeout};
    transport.send_async(std::move(request), [weak = weak_from_this()](Result<Response> result) {
      if (const auto state = weak.lock()) state->on_answer(result);
    });
  }

  void on_answer(const Result<Response>& result) {
    under_way = false;
    if (result && result->status >= 200 && result->status < 300) {
      const double rejected = std::min(rejected_of(result->body), static_cast<double>(batch.size()));
      dropped.rejected.add(rejected);
      sent.add(static_cast<double>(batch.size()) - rejected);
      return next();
    }
    if (!may_pass(result)) return give_up(dropped.rejected, problem(result));
    if (++failures >= options.tries || !flushes.empty()) return give_up(dropped.unreachable, problem(result));
    arm(pause(result), [](State& state) { state.send(); });
  }

  [[nodiscard]] Duration pause(const Result<Response>& result) {
    const Duration doubled = options.first_retry * (1 << std::min(failures - 1, 16));
    const Duration longest = std::min(doubled, options.longest_retry);
    const Duration own{static_cast<Duration::rep>(static_cast<double>(longest.count()) * (0.5 + random.uniform() / 2))};
    const auto asked = result ? result->retry_after : result.error().retry_after;
    return std::max(own, asked.value_or(Duration{0}));
  }

  void give_up(Counter& reason, const std::string& why) {
    reason.add(static_cast<double>(batch.size()));
    logger.warning("Dropped spans", {{"spans", std::to_string(batch.size())}, {"error", why}});
    next();
  }

  // Posted: answers that come at once must not nest.
  void next() {
    batch.clear();
    post([](State& state) { state.consider(); });
  }

  ExporterOptions options;
  Transport& transport;
  Executor& executor;
  Random& random;
  Logger& logger;
  Counter& sent;
  Dropped dropped;
  std::mutex mutex;
  std::deque<Span> waiting;
  // On the executor's thread:
  std::vector<Span> batch;  // to be sent, or sent and not answered
  bool under_way = false, armed = false;
  int failures = 0;
  std::unique_ptr<Timer> timer;  // for the next batch, or for its next try
  std::vector<std::function<void()>> flushes;
};

SpanExporter::SpanExporter(ExporterOptions options, Transport& transport, Executor& executor, Random& random,
                           MetricsRegistry& metrics, Logger& logger)
    : state_(std::make_shared<State>(std::move(options), transport, executor, random, metrics, logger)) {}

SpanExporter::~SpanExporter() = default;

void SpanExporter::add(std::vector<Span> spans) {
  state_->add(std::move(spans));
}

void SpanExporter::flush(std::function<void()> done) {
  state_->flush(std::move(done));
}

}  // namespace reprise::runtime
