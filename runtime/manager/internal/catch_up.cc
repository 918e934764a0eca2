#include "runtime/manager/internal/catch_up.h"

#include <algorithm>
#include <utility>

#include "runtime/base/resource_version.h"
#include "runtime/internal/json.h"

namespace reprise::runtime::internal {
namespace {

constexpr Duration probe_timeout{5'000};

bool is_passing(ErrorClass error_class) {
  return error_class == ErrorClass::Unavailable || error_class == ErrorClass::Throttled;
}

}  // namespace

CatchUp::CatchUp(const Informers& informers, Client& client, Executor& executor, const Clock& clock, Logger& logger,
                 CatchUpPolicy policy)
    : informers_(informers), client_(client), executor_(executor), clock_(clock), logger_(logger), policy_(policy) {}

void CatchUp::start(std::function<void(Result<void>)> done) {
  done_ = std::move(done);
  const Instant now = clock_.steady();
  {
    const std::lock_guard lock(mutex_);
    began_ = now;
    for (const auto& informer : informers_) {
      for (const WatchStatus& watch : informer->watches()) {
        caches_.push_back({.informer = informer.get(),
                           .namespace_ = watch.namespace_,
                           .lists_begun = informer->view().lists_begun(watch.namespace_),
                           .until = {},
                           .listing = informer->size() <= policy_.few,
                           .due = now});
      }
    }
  }
  if (caches_.empty()) return finish({});
  logger_.info("Waiting for caches to show the previous leader's writes", {{"caches", std::to_string(caches_.size())}});
  on_timer();
}

void CatchUp::stop() {
  done_ = nullptr;
  timer_.reset();
}

bool CatchUp::caught_up(const Cache& cache) {
  const StoreView& view = cache.informer->view();
  if (view.list_in_use(cache.namespace_) > cache.lists_begun) return true;
  return !cache.until.empty() && at_least(view.resource_version(cache.namespace_), cache.until);
}

void CatchUp::advanced() {
  if (!done_) return;
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(caches_, caught_up);
  }
  if (caches_.empty()) finish({});
}

void CatchUp::on_timer() {
  const Instant now = clock_.steady();
  if (now - began_ >= policy_.limit) {
    std::string missing;
    for (const std::string& line : describe()) missing += (missing.empty() ? "" : "; ") + line;
    return finish(fail(ErrorClass::Unavailable, "timed out waiting for caches to catch up: " + missing));
  }
  // A look may be answered at once, and caches be gone after it.
  std::vector<std::pair<InformerBase*, std::string>> due;
  for (const Cache& cache : caches_) {
    if (cache.due <= now) due.emplace_back(cache.informer, cache.namespace_);
  }
  for (const auto& [informer, ns] : due) {
    if (Cache* const cache = find(informer, ns)) look(*cache, now);
  }
  if (done_) arm();
}

void CatchUp::look(Cache& cache, Instant now) {
  const bool asks_version = !cache.listing && cache.until.empty();
  {
    const std::lock_guard lock(mutex_);
    cache.due = now + policy_.retry;
    if (!asks_version) ++cache.looks;
  }
  if (asks_version) return probe(cache);
  // A list that is under way already is left alone.
  cache.informer->look_again(cache.namespace_, cache.listing || cache.looks > policy_.watches);
}

// Without a selector: the version is the same, and the server need not search for an object that matches.
void CatchUp::probe(const Cache& cache) {
  client_.call_async(
      {.kind = cache.informer->kind(), .namespace_ = cache.namespace_, .query = "limit=1", .timeout = probe_timeout},
      [weak = weak_from_this(), informer = cache.informer, ns = cache.namespace_](const Result<std::string>& page) {
        if (const auto self = weak.lock()) self->on_probe(informer, ns, page);
      });
}

CatchUp::Cache* CatchUp::find(const InformerBase* informer, const std::string& ns) {
  const auto found = std::find_if(caches_.begin(), caches_.end(), [&](const Cache& cache) {
    return cache.informer == informer && cache.namespace_ == ns;
  });
  return found == caches_.end() ? nullptr : &*found;
}

void CatchUp::on_probe(const InformerBase* informer, const std::string& ns, const Result<std::string>& page) {
  Cache* const cache = find(informer, ns);
  if (!done_ || cache == nullptr) return;
  if (!page && is_passing(page.error().error_class)) return;  // asked again when it is due
  const auto list = page ? parse_json(*page) : std::nullopt;
  {
    const std::lock_guard lock(mutex_);
    if (list) cache->until = text_of(member(*list, "metadata"), "resourceVersion");
    // A service account that may list by a selector only: the informer's own list is allowed.
    cache->listing = cache->until.empty();
    cache->due = clock_.steady() + (cache->listing ? Duration{0} : policy_.timeout);
  }
  advanced();
  if (done_) arm();
}

void CatchUp::arm() {
  Instant next = began_ + policy_.limit;
  for (const Cache& cache : caches_) next = std::min(next, cache.due);
  const auto delay = std::max(std::chrono::ceil<Duration>(next - clock_.steady()), Duration{0});
  timer_ = executor_.after(delay, [weak = weak_from_this()] {
    const auto self = weak.lock();
    if (self && self->done_) self->on_timer();
  });
}

void CatchUp::finish(Result<void> result) {
  timer_.reset();
  if (result) {
    const auto took = std::chrono::duration_cast<Duration>(clock_.steady() - began_);
    logger_.info("Caches show the previous leader's writes", {{"milliseconds", std::to_string(took.count())}});
  }
  if (const auto done = std::exchange(done_, nullptr)) done(std::move(result));
}

std::vector<std::string> CatchUp::describe() const {
  std::vector<std::string> lines;
  const std::lock_guard lock(mutex_);
  for (const Cache& cache : caches_) {
    lines.push_back("kind=" + std::string(cache.informer->kind().kind) + " namespace=" + cache.namespace_ +
                    " at=" + cache.informer->view().resource_version(cache.namespace_) + " until=" +
                    (cache.until.empty() ? "listed" : cache.until) + " looks=" + std::to_string(cache.looks));
  }
  return lines;
}

std::size_t CatchUp::behind() const {
  const std::lock_guard lock(mutex_);
  return caches_.size();
}

Result<void> CatchUp::check() const {
  const std::lock_guard lock(mutex_);
  if (caches_.empty() || clock_.steady() - began_ <= policy_.limit) return {};
  return fail(ErrorClass::Unavailable,
              "this process leads and does not work: " + std::to_string(caches_.size()) + " caches have not caught up");
}

}  // namespace reprise::runtime::internal
