// A logger that adds fields to everything it passes on.
#pragma once

#include <string>
#include <utility>

#include "runtime/base/log.h"
#include "runtime/base/object_key.h"

namespace reprise::runtime {

// The fields, under controller-runtime's keys, that every line of a reconcile carries.
class FieldLogger final : public Logger {
 public:
  FieldLogger(Logger& inner, std::string controller, ObjectKey object, std::string reconcile_id)
      : inner_(inner),
        controller_(std::move(controller)),
        object_(std::move(object)),
        reconcile_id_(std::move(reconcile_id)) {}

  void log(LogLevel level, std::string_view message, std::initializer_list<LogField> fields) override;
  [[nodiscard]] bool enabled(LogLevel level) const override { return inner_.enabled(level); }
  bool set_level(LogLevel level) override { return inner_.set_level(level); }

 private:
  Logger& inner_;
  std::string controller_;
  ObjectKey object_;
  std::string reconcile_id_;
};

}  // namespace reprise::runtime
