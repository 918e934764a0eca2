// Structured logging: a sentence (capital letter, past tense, no period) and fields. Never put secrets, tokens or
// whole objects into a field; what looks like a token is left out all the same. Error level means that an admin may
// have to act. Keys are those of the ecosystem: controller, namespace, name, reconcileID, error.
#pragma once

#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace reprise::runtime {

enum class LogLevel { Debug, Info, Warning, Error };
[[nodiscard]] std::string_view name(LogLevel level);
// "debug", "info", "warning", "error".
[[nodiscard]] std::optional<LogLevel> parse_log_level(std::string_view text);
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
  // From now on; false: this logger has no level of its own.
  virtual bool set_level(LogLevel) { return false; }

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

// Writes lines to standard error; drops those below `level`.
[[nodiscard]] std::unique_ptr<Logger> make_stderr_logger(LogLevel level, LogFormat format);
// One line as make_stderr_logger writes it behind time and level: fields in order, tokens left out.
[[nodiscard]] std::string format_log_line(LogFormat format, std::string_view message,
                                          std::initializer_list<LogField> fields);
// The text with "Bearer ..." and JSON Web Tokens replaced by "<token>".
[[nodiscard]] std::string without_tokens(std::string text);
// Swallows everything: for tests.
[[nodiscard]] std::unique_ptr<Logger> make_null_logger();

}  // namespace reprise::runtime
