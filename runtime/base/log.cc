#include "runtime/base/log.h"

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/ansicolor_sink.h>
#include <spdlog/spdlog.h>

#include "runtime/base/json_text.h"

namespace reprise::runtime {
namespace {

bool token_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("-_.~+/=").find(c) != std::string_view::npos;
}

std::size_t token_end(std::string_view text, std::size_t begin) {
  while (begin < text.size() && token_character(text[begin])) ++begin;
  return begin;
}

// Replaces the token at each `mark`, after the mark's first `keep` characters, if it is at least `shortest` long.
void leave_out(std::string& text, std::string_view mark, std::size_t keep, std::size_t shortest) {
  constexpr std::string_view instead = "<token>";
  for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + 1)) {
    const std::size_t begin = at + keep, end = token_end(text, begin);
    if (end - begin >= shortest) text.replace(begin, end - begin, instead);
  }
}

std::string json_payload(std::string_view message, std::initializer_list<LogField> fields) {
  std::string out = "\"msg\":";
  append_json_string(out, message);
  for (const LogField& field : fields) {
    out += ',';
    append_json_string(out, field.key);
    out += ':';
    append_json_string(out, without_tokens(field.value));
  }
  return out;
}

std::string text_payload(std::string_view message, std::initializer_list<LogField> fields) {
  std::string out(message);
  for (const LogField& field : fields) {
    out += ' ';
    out += field.key;
    out += '=';
    const std::string value = without_tokens(field.value);
    if (value.find_first_of(" \"\n\r\t=") == std::string::npos && !value.empty()) {
      out += value;
    } else {
      append_json_string(out, value);
    }
  }
  return out;
}

spdlog::level::level_enum to_spdlog(LogLevel level) {
  switch (level) {
    case LogLevel::Debug:
      return spdlog::level::debug;
    case LogLevel::Info:
      return spdlog::level::info;
    case LogLevel::Warning:
      return spdlog::level::warn;
    case LogLevel::Error:
      return spdlog::level::err;
  }
  return spdlog::level::info;
}

class StderrLogger final : public Logger {
 public:
  StderrLogger(LogLevel level, LogFormat format)
      : format_(format), logger_("reprise", std::make_shared<spdlog::sinks::ansicolor_stderr_sink_mt>()) {
    logger_.set_level(to_spdlog(level));
    const std::string pattern = format == LogFormat::Json ? R"({"ts":"%Y-%m-%dT%H:%M:%S.%eZ","level":"%l",%v})"
                                                          : "%Y-%m-%dT%H:%M:%S.%eZ %^%-7l%$ %v";
    logger_.set_formatter(std::make_unique<spdlog::pattern_formatter>(pattern, spdlog::pattern_time_type::utc));
  }

  void log(LogLevel level, std::string_view message, std::initializer_list<LogField> fields) override {
    if (!enabled(level)) return;
    const std::string line = format_log_line(format_, message, fields);
    logger_.log(to_spdlog(level), spdlog::string_view_t(line.data(), line.size()));
  }

  [[nodiscard]] bool enabled(LogLevel level) const override { return logger_.should_log(to_spdlog(level)); }
  bool set_level(LogLevel level) override {
    logger_.set_level(to_spdlog(level));
    return true;
  }

 private:
  LogFormat format_;
  spdlog::logger logger_;
};

class NullLogger final : public Logger {
 public:
  void log(LogLevel, std::string_view, std::initializer_list<LogField>) override {}
  [[nodiscard]] bool enabled(LogLevel) const override { return false; }
};

}  // namespace

std::string_view name(LogLevel level) {
  switch (level) {
    case LogLevel::Debug:
      return "debug";
    case LogLevel::Info:
      return "info";
    case LogLevel::Warning:
      return "warning";
    case LogLevel::Error:
      return "error";
  }
  return "";
}

std::optional<LogLevel> parse_log_level(std::string_view text) {
  for (const LogLevel level : {LogLevel::Debug, LogLevel::Info, LogLevel::Warning, LogLevel::Error}) {
    if (name(level) == text) return level;
  }
  return std::nullopt;
}

std::string without_tokens(std::string text) {
  constexpr std::string_view bearer = "Bearer ", web_token = "eyJ";
  constexpr std::size_t shortest_web_token = 30;
  leave_out(text, bearer, bearer.size(), 1);
  leave_out(text, web_token, 0, shortest_web_token);
  return text;
}

std::string format_log_line(LogFormat format, std::string_view message, std::initializer_list<LogField> fields) {
  return format == LogFormat::Json ? json_payload(message, fields) : text_payload(message, fields);
}

std::unique_ptr<Logger> make_stderr_logger(LogLevel level, LogFormat format) {
  return std::make_unique<StderrLogger>(level, format);
}

std::unique_ptr<Logger> make_null_logger() {
  return std::make_unique<NullLogger>();
}

}  // namespace reprise::runtime
