#include <re2/re2.h>

#include <algorithm>
#include <boost/json/serialize.hpp>

#include "apps/common/nearest.h"
#include "apps/reprise/lint/edits.h"
#include "apps/reprise/lint/rules/node_pool_schema.h"
#include "apps/reprise/lint/rules/rules.h"
#include "crds/embedded.h"
#include "simulator/api_server/schema/strict_fields.h"

namespace reprise::apps::lint {
namespace {

using simulator::Cause;
using simulator::text;
using simulator::Value;

struct Reading {
  std::string message;
  std::optional<Edit> mend;
};

std::vector<std::string> words_of(std::string_view list) {
  std::vector<std::string> words;
  static const re2::RE2 word(R"(([^\s,"]+))");
  re2::StringPiece rest(list.data(), list.size());
  std::string found;
  while (re2::RE2::FindAndConsume(&rest, word, &found)) words.push_back(found);
  return words;
}

bool same_text(const Node& a, const Node& b) {
  return a.kind == Node::Kind::Scalar && b.kind == Node::Kind::Scalar && a.text == b.text;
}

// Another member of the map that looks like the same field: the intended one is not known.
const Node* also_meant(const Node& map, const Node& node, const std::string& meant,
                       const std::vector<std::string>& known) {
  const auto found = std::ranges::find_if(map.children, [&](const Node& each) {
    return &each != &node && (each.key == meant ||
                              (std::ranges::find(known, each.key) == known.end() && nearest(each.key, known) == meant));
  });
  return found == map.children.end() ? nullptr : &*found;
}

Reading unknown_field(const Manifest& manifest, const Cause& cause, std::string_view allowed) {
  const std::string found = "found a field that is not known";
  const Trail trail = manifest.trail(cause.field);
  const std::vector<std::string> known = words_of(allowed);
  const bool there = trail.whole && trail.nodes.size() > 1;
  const auto meant = nearest(there ? trail.last().key : cause.field.substr(cause.field.rfind('.') + 1), known);
  if (!meant) return {found + "; allowed: " + std::string(allowed), {}};
  if (!there) return {found + "; write " + *meant, {}};
  const Node& node = trail.last();
  const Node* other = also_meant(*trail.nodes[trail.nodes.size() - 2], node, *meant, known);
  if (other == nullptr) return {found + "; write " + *meant, rename_key(manifest, cause.field, *meant)};
  if (other->key != *meant) return {found + ", as is " + other->key + "; write " + *meant + " once", {}};
  return {found + ", and " + *meant + " is there, too; remove one",
          same_text(node, *other) ? remove(manifest, cause.field) : std::nullopt};
}

Reading unsupported_value(const Manifest& manifest, const Cause& cause, const std::string& found,
                          const std::string& allowed) {
  std::string word = found;
  std::erase(word, '"');
  const auto meant = nearest(word, words_of(allowed));
  return {"found " + found + ", must be one of " + allowed,
          meant ? replace_value(manifest, cause.field, *meant) : std::nullopt};
}

// "5m" where seconds are wanted: 300.
std::optional<std::int64_t> seconds_of(const std::string& text) {
  static const re2::RE2 shape(R"((\d{1,9})\s*(s|sec|m|min|h|d)?)");
  std::int64_t count = 0;
  std::string unit;
  if (!re2::RE2::FullMatch(text, shape, &count, &unit)) return {};
  return count * (unit.starts_with("m") ? 60 : unit == "h" ? 3600 : unit == "d" ? 86400 : 1);
}

Reading wrong_type(const Manifest& manifest, const Cause& cause, const std::string& wanted, const std::string& found) {
  Reading reading{"found a value of type " + found + ", must be of type " + wanted, {}};
  const Node* node = manifest.find(cause.field);
  if (node == nullptr || node->kind != Node::Kind::Scalar) return reading;
  if (wanted == "string") reading.mend = replace_value(manifest, cause.field, in_quotes(node->text));
  if (wanted == "boolean") {
    const bool yes = node->text == "yes" || node->text == "on" || node->text == "1" || node->text == "true";
    const bool no = node->text == "no" || node->text == "off" || node->text == "0" || node->text == "false";
    if (yes || no) reading.mend = replace_value(manifest, cause.field, yes ? "true" : "false");
  }
  if (wanted == "integer" && found == "string") {
    const auto number = seconds_of(node->text);
    const bool plain = std::ranges::all_of(node->text, [](char c) { return c >= '0' && c <= '9'; });
    if (number && (plain || cause.field.ends_with("Seconds"))) {
      reading.mend = replace_value(manifest, cause.field, std::to_string(*number));
      reading.message += "; write " + std::to_string(*number);
    }
  }
  return reading;
}

// A duration or a word that is nearly right.
std::optional<std::string> fitting(const std::string& found) {
  static const re2::RE2 duration(R"(\s*(\d+)\s*(s|sec|secs|seconds|m|min|mins|minutes|h|hour|hours|d|days?)?\s*)");
  std::int64_t count = 0;
  std::string unit;
  if (!re2::RE2::FullMatch(found, duration, &count, &unit)) return {};
  if (unit.starts_with("d")) return std::to_string(count * 24) + "h";
  return std::to_string(count) + (unit.empty() ? "s" : unit.substr(0, 1));
}

Reading invalid_value(const Manifest& manifest, const Cause& cause, const std::string& found, const std::string& rule) {
  Reading reading{"found " + found + ", " + rule, {}};
  std::string bound;
  static const re2::RE2 bounded(R"(should be (?:greater|less) than or equal to (-?\d+))");
  if (re2::RE2::FullMatch(rule, bounded, &bound)) reading.mend = replace_value(manifest, cause.field, bound);
  if (rule.find(kDurationPattern) != std::string::npos) {
    std::string word = found;
    std::erase(word, '"');
    const bool never = word == "never" && rule.find("Never") != std::string::npos;
    if (const auto right = never ? std::optional<std::string>("Never") : fitting(word)) {
      reading.message += "; write " + *right;
      reading.mend = replace_value(manifest, cause.field, *right);
    }
  }
  return reading;
}

// Mends rules whose message says in so many words what to do.
std::optional<Edit> mend_of_rule(const Manifest& manifest, const Cause& cause) {
  const std::string_view message = cause.message;
  if (message.starts_with("must be set only when") || message.starts_with("must not be set when"))
    return remove(manifest, cause.field);
  if (message.starts_with("must be absent")) return remove(manifest, cause.field + ".nodeName");
  if (message.find("must not contain reprise.dev/pool") != std::string_view::npos)
    return remove(manifest, cause.field + ".reprise.dev/pool");
  if (message.starts_with("must contain ReadWriteMany")) return replace_value(manifest, cause.field, "[ReadWriteMany]");
  if (message.starts_with("values must not be set")) return {};
  if (message.starts_with("must not contain keys that start with reprise.dev/")) {
    const Node* map = manifest.find(cause.field);
    if (map == nullptr) return {};
    const auto own =
        std::ranges::find_if(map->children, [](const Node& c) { return c.key.starts_with("reprise.dev/"); });
    return own == map->children.end() ? std::nullopt : remove(manifest, cause.field + "." + own->key);
  }
  return {};
}

Reading reading_of(const Manifest& manifest, const Cause& cause) {
  std::string found;
  std::string rest;
  static const re2::RE2 unknown("unknown field; allowed: (.*)");
  static const re2::RE2 unsupported("Unsupported value: (.*): supported values: (.*)");
  static const re2::RE2 type(R"re(Invalid value: "([a-z]+)": \S+ in body must be of type ([a-z,]+): .*)re");
  static const re2::RE2 invalid(R"((?s)Invalid value: (.*): \S+ in body (.*))");
  if (re2::RE2::FullMatch(cause.message, unknown, &rest)) return unknown_field(manifest, cause, rest);
  if (re2::RE2::FullMatch(cause.message, unsupported, &found, &rest))
    return unsupported_value(manifest, cause, found, rest);
  if (re2::RE2::FullMatch(cause.message, type, &found, &rest)) return wrong_type(manifest, cause, rest, found);
  if (re2::RE2::FullMatch(cause.message, invalid, &found, &rest)) return invalid_value(manifest, cause, found, rest);
  if (cause.message == "Required value") return {"is missing", {}};
  static const re2::RE2 version("found '.*', must be ([^ ]+)");
  if (cause.field == "apiVersion" && re2::RE2::FullMatch(cause.message, version, &rest))
    return {cause.message, replace_value(manifest, "apiVersion", rest)};
  return {cause.message, mend_of_rule(manifest, cause)};
}

// Read once in the life of the program: the largest has thousands of lines.
const simulator::StrictDefinition* definition_of(std::string_view kind) {
  using simulator::StrictDefinition;
  static const auto pools = StrictDefinition::read(crds::gpu_pools());
  static const auto jobs = StrictDefinition::read(crds::resumable_jobs());
  static const auto node_pools = StrictDefinition::read(kNodePoolDefinition);
  const auto& found = kind == "GpuPool" ? pools : kind == "ResumableJob" ? jobs : node_pools;
  return found ? &*found : nullptr;
}

// The schema takes any text for a quantity; the object made from it would be rejected.
void look_at_quantities(const Manifest& manifest, Report& report) {
  static const re2::RE2 quantity(R"([+-]?(\d+(\.\d*)?|\.\d+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?\d+)?)");
  const auto look = [&](const std::string& path) {
    const Node* map = manifest.find(path);
    if (map == nullptr || map->kind != Node::Kind::Map) return;
    for (const Node& each : map->children) {
      if (each.kind != Node::Kind::Scalar || re2::RE2::FullMatch(each.text, quantity)) continue;
      std::string size = each.text;
      std::erase(size, ' ');
      if (size.ends_with("B")) size.pop_back();
      const bool mended = re2::RE2::FullMatch(size, quantity);
      const std::string field = path + "." + each.key;
      report.add(Severity::Error, "quantity", manifest, field,
                 "found '" + each.text + "', must be a quantity such as 10Gi" + (mended ? "; write " + size : ""),
                 {mended ? replace_value(manifest, field, size) : std::nullopt});
    }
  };
  look("spec.checkpoint.volume.claimTemplate.spec.resources.requests");
  look("spec.limits");
  const auto& containers = simulator::array(manifest.object, {"spec", "template", "spec", "containers"});
  for (std::size_t i = 0; i < containers.size(); ++i)
    for (const char* bound : {"limits", "requests"})
      look("spec.template.spec.containers[" + std::to_string(i) + "].resources." + bound);
}

}  // namespace

void schema_rules(const Manifest& manifest, const std::vector<Manifest>&, Report& report) {
  if (manifest.kind() == "Provisioner") return;  // Karpenter has no definition of it any more
  Value object = manifest.object;
  const bool node_pool = manifest.kind() == "NodePool";
  // Another rule reports earlier versions; their fields are checked as today's.
  if (node_pool) simulator::set(object, {"apiVersion"}, "karpenter.sh/v1");
  const bool nameless = manifest.name().empty();
  if (nameless && text(object, {"metadata", "generateName"}).empty())
    report.add(Severity::Error, "schema", manifest, "metadata.name", "is missing");
  if (nameless) simulator::set(object, {"metadata", "name"}, "a");
  const simulator::StrictDefinition* definition = definition_of(manifest.kind());
  if (definition == nullptr) return;
  for (const Cause& cause : definition->causes(std::move(object), simulator::CelRules::Checked)) {
    if (node_pool && report.has(manifest, cause.field)) continue;
    Reading reading = reading_of(manifest, cause);
    const bool unknown = reading.message.starts_with("found a field that is not known");
    report.add(Severity::Error, unknown ? "unknown-field" : "schema", manifest, cause.field, std::move(reading.message),
               {std::move(reading.mend)});
  }
  look_at_quantities(manifest, report);
}

}  // namespace reprise::apps::lint
