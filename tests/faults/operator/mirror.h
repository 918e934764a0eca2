// A controller small enough that invariants can be stated about it: each ConfigMap labelled
// reprise.dev/faults-role=source has one copy, a headless Service with the same text, and no copy outlives its source.
#pragma once

#include <string_view>

#include "runtime/base/random.h"
#include "runtime/cache/store.h"
#include "runtime/kube/core.h"
#include "runtime/manager/reconciler.h"
#include "runtime/metrics/metrics.h"

namespace reprise::faults {

inline constexpr std::string_view source_selector = "reprise.dev/faults-role=source";
inline constexpr std::string_view copy_selector = "reprise.dev/faults-role=copy";
inline constexpr std::string_view copies_of = "copies-of";  // index of the copies' store: by the source's name

// How copies are named. A fixed name makes a second copy impossible; with fresh names only an up-to-date view of one's
// own writes does.
enum class CopyNames { Fixed, Fresh };

// The key of the source that a copy belongs to.
[[nodiscard]] runtime::ObjectKey source_of(const kube::Service& copy);

// Callable from several threads. Everything given outlives it.
class Mirror final : public runtime::Reconciler {
 public:
  Mirror(const runtime::Store<kube::ConfigMap>& sources, const runtime::Store<kube::Service>& copies, CopyNames names,
         runtime::Random& random, runtime::MetricsRegistry& metrics);

  [[nodiscard]] runtime::Result<runtime::Next> reconcile(runtime::ReconcileContext& context,
                                                         const runtime::ObjectKey& key) override;

 private:
  using Copies = std::vector<std::shared_ptr<const kube::Service>>;
  [[nodiscard]] runtime::Result<void> remove_all(runtime::ReconcileContext& context, const Copies& copies);
  [[nodiscard]] runtime::Result<void> create(runtime::ReconcileContext& context, const kube::ConfigMap& source);
  [[nodiscard]] runtime::Result<void> bring_up_to_date(runtime::ReconcileContext& context,
                                                       const kube::ConfigMap& source, const kube::Service& copy);

  const runtime::Store<kube::ConfigMap>& sources_;
  const runtime::Store<kube::Service>& copies_;
  CopyNames names_;
  runtime::Random& random_;
  runtime::Counter &created_, &changed_, &deleted_;
};

}  // namespace reprise::faults
