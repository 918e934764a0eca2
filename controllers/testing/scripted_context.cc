#include "controllers/testing/scripted_context.h"

#include <algorithm>
#include <stdexcept>

namespace reprise::controllers::testing {

using runtime::ErrorClass;
using runtime::Result;

class ScriptedContext::Reads final : public runtime::Client {
 public:
  explicit Reads(ScriptedContext& owner) : owner_(owner) {}
  Answer get(const kube::KindInfo& kind, std::string_view, std::string_view name) override {
    const std::string key = std::string(kind.kind) + "/" + std::string(name);
    owner_.requests.push_back("get " + key);
    const auto found = owner_.objects.find(key);
    if (found == owner_.objects.end()) return runtime::fail(ErrorClass::NotFound, "no such object");
    return found->second;
  }
  Answer list(const kube::KindInfo& kind, std::string_view, const runtime::ListOptions&) override {
    owner_.requests.push_back("list " + std::string(kind.kind));
    const auto found = owner_.lists.find(kind.kind);
    return R"({"metadata":{"resourceVersion":"9"},"items":[)" + (found == owner_.lists.end() ? "" : found->second) +
           "]}";
  }
  Answer create(const runtime::WritePermit&, const kube::KindInfo&, std::string_view, std::string) override {
    throw std::logic_error("writes go through the context");
  }
  Answer patch(const runtime::WritePermit&, const kube::KindInfo&, std::string_view, std::string_view,
               runtime::PatchType, std::string, std::string_view) override {
    throw std::logic_error("writes go through the context");
  }
  Answer remove(const runtime::WritePermit&, const kube::KindInfo&, std::string_view, std::string_view,
                const runtime::DeleteOptions&) override {
    throw std::logic_error("writes go through the context");
  }
  void call_async(const runtime::Call&, std::function<void(Answer)>) override {
    throw std::logic_error("a reconcile waits for its answers");
  }

 private:
  ScriptedContext& owner_;
};

class ScriptedContext::NoEvents final : public runtime::EventRecorder {
 public:
  void record(const kube::KindInfo&, const kube::ObjectMeta&, runtime::EventType, std::string, std::string,
              std::string) override {}
};

ScriptedContext::ScriptedContext()
    : reads_(std::make_unique<Reads>(*this)),
      events_(std::make_unique<NoEvents>()),
      logger_(runtime::make_null_logger()) {}

ScriptedContext::~ScriptedContext() = default;

Result<runtime::WritePermit> ScriptedContext::permit() {
  return runtime::fail(ErrorClass::NoPermit, "not asked for here");
}
runtime::EventRecorder& ScriptedContext::events() {
  return *events_;
}
runtime::Client& ScriptedContext::client() {
  return *reads_;
}

std::size_t ScriptedContext::times(std::string_view request) const {
  return static_cast<std::size_t>(std::ranges::count(requests, request));
}

ScriptedContext::Answer ScriptedContext::create_json(const kube::KindInfo& kind, const std::string&, std::string body) {
  requests.push_back("create " + std::string(kind.kind));
  if (!on_create) throw std::logic_error("nothing is created here");
  return on_create(kind, body);
}

ScriptedContext::Answer ScriptedContext::patch_json(const kube::KindInfo& kind, const std::string&,
                                                    const std::string& name, runtime::PatchType, std::string body,
                                                    std::string_view subresource) {
  requests.push_back("patch " + std::string(kind.kind) + "/" + name +
                     (subresource.empty() ? "" : "/" + std::string(subresource)));
  if (!on_patch) throw std::logic_error("nothing is changed here");
  return on_patch(kind, body);
}

Result<void> ScriptedContext::remove_object(const kube::KindInfo& kind, const kube::ObjectMeta& meta,
                                            runtime::DeleteOptions) {
  requests.push_back("remove " + std::string(kind.kind) + "/" + meta.name);
  if (!on_remove) throw std::logic_error("nothing is removed here");
  return on_remove(kind, meta);
}

ScriptedContext::Answer ScriptedContext::get_json(const kube::KindInfo& kind, const std::string& ns,
                                                  const std::string& name) {
  return reads_->get(kind, ns, name);
}

}  // namespace reprise::controllers::testing
