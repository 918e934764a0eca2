// The context of one reconcile over the API server.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/manager/controller.h"
#include "runtime/manager/internal/cancellation.h"
#include "runtime/manager/internal/own_writes.h"

namespace reprise::runtime {

class ApiReconcileContext final : public ReconcileContext {
 public:
  // `owner` stands for the object until set_owner is called.
  ApiReconcileContext(ControllerEnvironment environment, Logger& logger, Instant deadline, std::string owner);

  [[nodiscard]] const Clock& clock() const override { return environment_.clock; }
  [[nodiscard]] Logger& logger() override { return logger_; }
  [[nodiscard]] Result<WritePermit> permit() override;
  [[nodiscard]] EventRecorder& events() override { return environment_.events; }
  [[nodiscard]] Instant deadline() const override { return deadline_; }
  [[nodiscard]] Client& client() override { return *client_; }
  void set_owner(std::string_view uid) override { owner_ = uid; }
  [[nodiscard]] const std::string& owner() const { return owner_; }
  // Something was written, or may have been.
  [[nodiscard]] bool wrote() const { return wrote_ || !unanswered_.empty(); }
  [[nodiscard]] std::vector<internal::UnansweredWrite> take_unanswered() { return std::exchange(unanswered_, {}); }

 private:
  [[nodiscard]] Result<std::string> create_json(const kube::KindInfo& kind, const std::string& ns,
                                                std::string body) override;
  [[nodiscard]] Result<std::string> patch_json(const kube::KindInfo& kind, const std::string& ns,
                                               const std::string& name, PatchType type, std::string body,
                                               std::string_view subresource) override;
  [[nodiscard]] Result<void> remove_object(const kube::KindInfo& kind, const kube::ObjectMeta& meta,
                                           DeleteOptions options) override;
  [[nodiscard]] Result<std::string> get_json(const kube::KindInfo& kind, const std::string& ns,
                                             const std::string& name) override;
  void remember_write(const kube::KindInfo& kind, const std::string& ns, const std::string& resource_version) override;
  [[nodiscard]] Result<void> in_time() const;
  void note_unanswered(const Error& error, internal::UnansweredWrite write);

  ControllerEnvironment environment_;
  Logger& logger_;
  Instant deadline_;
  internal::BoundedTransport transport_;
  std::unique_ptr<Client> client_;
  std::string owner_;
  bool wrote_ = false;
  std::vector<internal::UnansweredWrite> unanswered_;
};

}  // namespace reprise::runtime
