#include "runtime/base/log.h"

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/ansicolor_sink.h>
#include <spdlog/spdlog.h>

#include <array>
#include <cstdio>

namespace reprise::runtime {
namespace {

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          std::array<char, 8> buffer{};
          std::snprintf(buffer.data(), buffer.size(), "\\u%04x", static_cast<unsigned>(c));
          out += buffer.data();
        } else {
          out += c;
        }
    }
  }
  out += '"';
}

std::string json_payload(std::string_view message, std::initializer_list<LogField> fields) {
  std::string out = "\"msg\":";
  append_json_string(out, message);
  for (const LogField& field : fields) {
    out += ',';
    append_json_string(out, field.key);
    out += ':';
    append_json_string(out, field.value);
  }
  return out;
}

std::string text_payload(std::string_view message, std::initializer_list<LogField> fields) {
  std::string out(message);
  for (const LogField& field : fields) {
    out += ' ';
    out += field.key;
    out += '=';
    if (field.value.find_first_of(" \"\n=") == std::string::npos && !field.value.empty()) {
      out += field.value;
    } else {
      append_json_string(out, field.value);
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
    const std::string line = format_ == LogFormat::Json ? json_payload(message, fields) : text_payload(message, fields);
    logger_.log(to_spdlog(level), spdlog::string_view_t(line.data(), line.size()));
  }

  [[nodiscard]] bool enabled(LogLevel level) const override { return logger_.should_log(to_spdlog(level)); }

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

std::unique_ptr<Logger> make_stderr_logger(LogLevel level, LogFormat format) {
  return std::make_unique<StderrLogger>(level, format);
}

std::unique_ptr<Logger> make_null_logger() {
  return std::make_unique<NullLogger>();
}

}  // namespace reprise::runtime
