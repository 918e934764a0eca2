// Typed-by-kind verbs on the API server. They return the server's JSON; the caller decodes it. Mutating verbs take a
// WritePermit, clip their timeout to its end and look at it again right before the request leaves (NoPermit, nothing
// sent). A mutating request whose answer was lost is Unavailable: read again and decide again. The transport decides
// what is repeated and when (retry.h).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/base/clock.h"
#include "runtime/base/error.h"
#include "runtime/base/write_permit.h"
#include "runtime/http/transport.h"
#include "runtime/kube/meta.h"

namespace reprise::runtime {

enum class PatchType { Merge, Json };

struct DeleteOptions {
  std::optional<std::int64_t> grace_period_seconds;
  std::optional<std::string> uid;               // precondition; unset or empty: none
  std::optional<std::string> resource_version;  // precondition; unset or empty: none
  std::string propagation_policy;               // "Foreground", "Background", "Orphan"; empty: the kind's default
};

struct ListOptions {
  std::string label_selector, field_selector;
  std::string resource_version, resource_version_match;
  std::string continue_token;
  std::uint32_t limit = 0;
};

// One call in full, for those that cannot block. Views must outlive the call that takes it, not the answer.
struct Call {
  Method method = Method::Get;
  kube::KindInfo kind = {};
  std::string_view namespace_ = {}, name = {}, subresource = {};
  std::string query = {};  // "a=b&c=d", escaped
  std::string content_type = {};
  std::string body = {};
  Duration timeout{30'000};
  std::optional<WritePermit> permit = {};  // must be there for mutating methods: NoPermit otherwise
  bool urgent = false;                     // see Request
};

// Blocking verbs: from worker threads, never from the executor's. Names must be DNS subdomains: Invalid otherwise.
class Client {
 public:
  virtual ~Client() = default;
  [[nodiscard]] virtual Result<std::string> get(const kube::KindInfo& kind, std::string_view ns,
                                                std::string_view name) = 0;
  // One page as the server gives it.
  [[nodiscard]] virtual Result<std::string> list(const kube::KindInfo& kind, std::string_view ns,
                                                 const ListOptions& options) = 0;
  [[nodiscard]] virtual Result<std::string> create(const WritePermit& permit, const kube::KindInfo& kind,
                                                   std::string_view ns, std::string body) = 0;
  [[nodiscard]] virtual Result<std::string> patch(const WritePermit& permit, const kube::KindInfo& kind,
                                                  std::string_view ns, std::string_view name, PatchType type,
                                                  std::string body, std::string_view subresource = {}) = 0;
  [[nodiscard]] virtual Result<std::string> remove(const WritePermit& permit, const kube::KindInfo& kind,
                                                   std::string_view ns, std::string_view name,
                                                   const DeleteOptions& options) = 0;
  // `done` runs on the executor's thread. Any thread.
  virtual void call_async(const Call& call, std::function<void(Result<std::string>)> done) = 0;
};

// `transport` carries credentials already (see credentials.h) and outlives the client, as does `clock`.
[[nodiscard]] std::unique_ptr<Client> make_client(Transport& transport, const Clock& clock);

}  // namespace reprise::runtime
