#include "apps/reprise/lint/output.h"

#include <boost/json/serialize.hpp>
#include <set>

#include "simulator/base/json.h"

namespace reprise::apps::lint {
namespace {

using simulator::JsonArray;
using simulator::JsonObject;

std::string_view name(Severity severity) {
  switch (severity) {
    case Severity::Error:
      return "error";
    case Severity::Warning:
      return "warning";
    case Severity::Advice:
      return "advice";
  }
  return "";
}

// `advice`: another tool's word for advice.
std::string_view level(Severity severity, std::string_view advice) {
  return severity == Severity::Advice ? advice : name(severity);
}

std::string as_text(const std::vector<Finding>& findings) {
  std::string out;
  for (const Finding& each : findings) {
    out += each.file + ":" + std::to_string(each.at.line) + ":" + std::to_string(each.at.column) + ": " +
           std::string(name(each.severity)) + ": " + (each.object.empty() ? "" : each.object + ": ") +
           (each.field.empty() ? "" : each.field + ": ") + each.message + " [" + each.rule + "]" +
           (each.mend.empty() ? "" : " (--fix)") + "\n";
  }
  return out;
}

std::string as_json(const std::vector<Finding>& findings) {
  JsonArray out;
  for (const Finding& each : findings) {
    JsonArray edits;
    for (const Edit& edit : each.mend)
      edits.push_back(JsonObject{{"line", edit.begin.line},
                                 {"column", edit.begin.column},
                                 {"endLine", edit.end.line},
                                 {"endColumn", edit.end.column},
                                 {"text", edit.text}});
    out.push_back(JsonObject{{"severity", name(each.severity)},
                             {"rule", each.rule},
                             {"file", each.file},
                             {"line", each.at.line},
                             {"column", each.at.column},
                             {"object", each.object},
                             {"field", each.field},
                             {"message", each.message},
                             {"mend", std::move(edits)}});
  }
  return boost::json::serialize(JsonObject{{"findings", std::move(out)}}) + "\n";
}

std::string escaped(std::string_view text, bool property) {
  std::string out;
  for (const char c : text) {
    if (c == '%')
      out += "%25";
    else if (c == '\n')
      out += "%0A";
    else if (c == '\r')
      out += "%0D";
    else if (property && c == ':')
      out += "%3A";
    else if (property && c == ',')
      out += "%2C";
    else
      out += c;
  }
  return out;
}

std::string as_annotations(const std::vector<Finding>& findings) {
  std::string out;
  for (const Finding& each : findings)
    out += "::" + std::string(level(each.severity, "notice")) + " file=" + escaped(each.file, true) +
           ",line=" + std::to_string(each.at.line) + ",col=" + std::to_string(each.at.column) +
           ",title=" + escaped("reprise lint " + each.rule, true) +
           "::" + escaped(each.object + ": " + each.field + ": " + each.message, false) + "\n";
  return out;
}

std::string as_sarif(const std::vector<Finding>& findings) {
  JsonArray results;
  JsonArray rules;
  std::set<std::string> known;
  for (const Finding& each : findings) {
    if (known.insert(each.rule).second) rules.push_back(JsonObject{{"id", each.rule}});
    const JsonObject place{{"physicalLocation", JsonObject{{"artifactLocation", JsonObject{{"uri", each.file}}},
                                                           {"region", JsonObject{{"startLine", each.at.line},
                                                                                 {"startColumn", each.at.column}}}}}};
    results.push_back(
        JsonObject{{"ruleId", each.rule},
                   {"level", level(each.severity, "note")},
                   {"message", JsonObject{{"text", each.object + ": " + each.field + ": " + each.message}}},
                   {"locations", JsonArray{place}}});
  }
  const JsonObject driver{{"name", "reprise lint"}, {"rules", std::move(rules)}};
  const JsonObject run{{"tool", JsonObject{{"driver", driver}}}, {"results", std::move(results)}};
  return boost::json::serialize(JsonObject{{"version", "2.1.0"},
                                           {"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                                           {"runs", JsonArray{run}}}) +
         "\n";
}

}  // namespace

Counts count(const std::vector<Finding>& findings) {
  Counts counts;
  for (const Finding& each : findings)
    ++(each.severity == Severity::Error     ? counts.errors
       : each.severity == Severity::Warning ? counts.warnings
                                            : counts.advice);
  return counts;
}

std::string show(const std::vector<Finding>& findings, Format format) {
  switch (format) {
    case Format::Text:
      return as_text(findings);
    case Format::Json:
      return as_json(findings);
    case Format::GitHub:
      return as_annotations(findings);
    case Format::Sarif:
      return as_sarif(findings);
  }
  return {};
}

}  // namespace reprise::apps::lint
