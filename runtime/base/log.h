// Structured logging: a sentence (capital letter, past tense, no period) and fields. Never put secrets, tokens or
// whole objects into a field. Error level means that an admin may have to act.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace reprise::runtime {

enum class LogLevel { Debug, Info, Warning, Error };
enum class LogFormat { Text, Json };

struct LogField {
  std::string_view key;
  std::string value;
};

// Callable from any thread.
class Logger {
 public:
  virtual ~Logger() = default;
  virtual void log(LogLevel level, std::string_view message, std::initializer_list<LogField> fields) = 0;
  [[nodiscard]] virtual bool enabled(LogLevel level) const = 0;

  void debug(std::string_view message, std::initializer_list<LogField> fields = {}) {
    if (enabled(LogLevel::Debug)) log(LogLevel::Debug, message, fields);
  }
  void info(std::string_view message, std::initializer_list<LogField> fields = {}) {
    log(LogLevel::Info, message, fields);
  }
  void warning(std::string_view message, std::initializer_list<LogField> fields = {}) {
    log(LogLevel::Warning, message, fields);
  }
  void error(std::string_view message, std::initializer_list<LogField> fields = {}) {
    log(LogLevel::Error, message, fields);
  }
};

// Writes lines to standard error; drops what is below `level`.
[[nodiscard]] std::unique_ptr<Logger> make_stderr_logger(LogLevel level, LogFormat format);
// Swallows everything: for tests.
[[nodiscard]] std::unique_ptr<Logger> make_null_logger();

}  // namespace reprise::runtime
