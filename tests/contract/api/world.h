// The tools of a contract test: a namespace of its own, requests in a line, watches that are heard frame by frame.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "simulator/base/json.h"
#include "tests/contract/api/backend.h"

namespace reprise::contract {

using simulator::Value;

struct Reply {
  int status = 0;
  std::string raw;
  Value body;  // null when it was no JSON

  [[nodiscard]] std::string_view text(simulator::Path path) const { return simulator::text(body, path); }
  [[nodiscard]] std::int64_t number(simulator::Path path, std::int64_t otherwise = -1) const {
    return simulator::number(body, path, otherwise);
  }
  [[nodiscard]] bool has(simulator::Path path) const { return simulator::find(body, path) != nullptr; }
  [[nodiscard]] std::string version() const { return std::string(text({"metadata", "resourceVersion"})); }
  [[nodiscard]] std::string uid() const { return std::string(text({"metadata", "uid"})); }
  [[nodiscard]] std::string reason() const { return std::string(text({"reason"})); }
  [[nodiscard]] std::string message() const { return std::string(text({"message"})); }
};

[[nodiscard]] Value json(std::string_view text);
[[nodiscard]] std::string encoded(const Value& value);

struct Frame {
  std::string type;  // "ADDED"
  Value object;
  [[nodiscard]] std::string_view name() const { return simulator::name_of(object); }
  [[nodiscard]] std::string version() const {
    return std::string(simulator::text(object, {"metadata", "resourceVersion"}));
  }
};

class Watch final : public runtime::StreamSink {
 public:
  explicit Watch(std::string path_and_query, std::string_view accept = "application/json");
  ~Watch() override;
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  // The next frame that is no bookmark; fails the test when none comes.
  Frame next();
  // The next frame of any kind.
  Frame next_of_all();
  // The HTTP status.
  int status();
  // The answer that came instead of frames.
  std::string rejection();
  // True when the server ends the watch.
  bool closes();

  void on_status(int status, std::optional<runtime::Duration> retry_after) override;
  void on_bytes(std::string_view bytes) override;
  void on_closed(std::optional<runtime::Error> error) override;

 private:
  bool await(const std::function<bool()>& seen, bool idle);

  std::mutex mutex_;
  std::string rest_;
  std::deque<std::string> lines_;
  std::optional<int> status_;
  bool closed_ = false;
  std::unique_ptr<runtime::Stream> stream_;
};

class Contract : public testing::Test {
 public:
  ~Contract() override;

 protected:
  Contract();

  static Reply call(runtime::Method method, std::string path, std::string body = {}, std::string_view content = {},
                    std::string_view accept = "application/json");
  static Reply get(std::string path) { return call(runtime::Method::Get, std::move(path)); }
  static Reply post(std::string path, const Value& body);
  static Reply put(std::string path, const Value& body);
  static Reply merge(std::string path, std::string patch);
  static Reply json_patch(std::string path, std::string patch);
  static Reply remove(std::string path, std::string options = {});
  // Fails the test unless it was created.
  static Reply must_post(std::string path, const Value& body);

  [[nodiscard]] std::string in_namespace(std::string_view plural, std::string_view name = {}) const;
  [[nodiscard]] std::string pods(std::string_view name = {}) const { return in_namespace("pods", name); }
  [[nodiscard]] std::string maps(std::string_view name = {}) const { return in_namespace("configmaps", name); }
  [[nodiscard]] std::string jobs(std::string_view name = {}) const;
  static std::string pools(std::string_view name = {});

  [[nodiscard]] static Value pod(std::string_view name);
  [[nodiscard]] static Value map(std::string_view name, std::string_view label = {});
  [[nodiscard]] Value job(std::string_view name) const;
  // A pool of a name that no other test uses.
  [[nodiscard]] Value pool(std::string_view name) const;
  [[nodiscard]] std::string own(std::string_view name) const { return ns + "-" + std::string(name); }
  void bind(std::string_view name, std::string_view node = "node-a") const;

  std::string ns;
};

}  // namespace reprise::contract
