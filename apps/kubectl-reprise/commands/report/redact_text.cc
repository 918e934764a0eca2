#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "apps/kubectl-reprise/commands/report/redact.h"

namespace reprise::plugin {
namespace {

struct Pattern {
  const char* expression;
  const char* replacement;
};
// Applied in this order: longer patterns first, and before them those of several lines.
constexpr std::size_t kOfSeveralLines = 2;
constexpr std::array kPatterns = {
    // People write manifests, and may put secrets anywhere in them.
    Pattern{R"((?s)(^|\n)(apiVersion: [^\n]*\nkind: |kind: [^\n]*\napiVersion: ).*)", "\\1[redacted]"},
    Pattern{R"((?s)-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(-----END [A-Z ]*PRIVATE KEY-----|$))", "[redacted]"},
    // gzip in base64, and JSON in base64: a JWT, the file of an image pull secret.
    Pattern{R"(\bH4sI[A-Za-z0-9+/_-]{8,}=*)", "[redacted]"},
    Pattern{R"(\beyJ[A-Za-z0-9+/_-]{8,}=*(\.[A-Za-z0-9_-]*)*)", "[redacted]"},
    Pattern{R"((?i)\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{6,})", "\\1 [redacted]"},
    Pattern{R"((?i)\b(token|password|passwd)\s+[A-Za-z+/_=-]*[0-9][A-Za-z0-9+/_=.-]{7,})", "\\1 [redacted]"},
    Pattern{R"(://[^/\s"']*@)", "://[redacted]@"},
    Pattern{R"(\b(AKIA|ASIA)[0-9A-Z]{16}\b)", "[redacted]"},
    Pattern{R"(\b(hf_|ghp_|gho_|ghs_|github_pat_|glpat-|xox[abpr]-|sk-|wandb_)[A-Za-z0-9_-]{16,})", "[redacted]"},
    Pattern{
        R"((?i)([?&][^=&\s"']*(?:key|sig|signature|token|secret|pass|pwd|auth|credential|code)[^=&\s"']*=)[^\s&"']+)",
        "\\1[redacted]"},
    // Values of environment variables, in JSON and in YAML, and of image pull secrets.
    Pattern{R"((?i)(["'](?:value|auth)["']\s*:\s*)("(?:[^"\\]|\\.)*"|'[^']*'))", "\\1[redacted]"},
    Pattern{R"((?m)^( *(?:- )?value: +).+$)", "\\1[redacted]"},
    Pattern{
        R"((?i)([A-Za-z0-9_.-]*(token|secret|password|passwd|passphrase|api_?-?key|credential|access_?-?key|account_?-?key|private_?-?key|dockerc)[A-Za-z0-9_.-]*["']?\s*[=:]\s*)("(?:[^"\\]|\\.)*"|'[^']*'|[^\s,;&"']+))",
        "\\1[redacted]"},
    Pattern{
        R"((?i)(--[a-z0-9_-]*(token|secret|password|passwd|passphrase|api-?key|credential|access-?key)[a-z0-9_-]*\s+)("(?:[^"\\]|\\.)*"|'[^']*'|[^\s,;&"'-][^\s,;&"']*))",
        "\\1[redacted]"},
};

// Compiled once in the life of the program: a log has thousands of lines.
const std::vector<std::unique_ptr<RE2>>& expressions() {
  static const std::vector<std::unique_ptr<RE2>> all = [] {
    std::vector<std::unique_ptr<RE2>> made;
    RE2::Options options;
    options.set_log_errors(false);
    for (const Pattern& each : kPatterns) made.push_back(std::make_unique<RE2>(each.expression, options));
    return made;
  }();
  return all;
}

enum class Sign { Small, Large, Digit, Other };

Sign sign_of(char each) {
  if (each >= 'a' && each <= 'z') return Sign::Small;
  if (each >= 'A' && each <= 'Z') return Sign::Large;
  return each >= '0' && each <= '9' ? Sign::Digit : Sign::Other;
}

// Names and paths are words; in a token small letters, large ones and digits take turns. A digest or uid has no large
// ones and stays.
bool looks_random(std::string_view run) {
  constexpr std::size_t kShortest = 24;
  std::array<std::size_t, 4> count{};
  std::size_t turns = 0;
  for (std::size_t i = 0; i < run.size(); ++i) {
    ++count.at(static_cast<std::size_t>(sign_of(run[i])));
    const Sign before = i > 0 ? sign_of(run[i - 1]) : Sign::Other;
    turns += before != Sign::Other && sign_of(run[i]) != Sign::Other && sign_of(run[i]) != before ? 1 : 0;
  }
  return run.size() >= kShortest && count[0] > 0 && count[1] > 0 && count[2] > 0 && turns * 5 >= run.size() * 2;
}

std::string without_random_runs(std::string_view text) {
  const auto is_of_token = [](char each) {
    return sign_of(each) != Sign::Other || each == '+' || each == '/' || each == '_' || each == '-' || each == '=';
  };
  std::string safe;
  while (!text.empty()) {
    const auto* const begin = std::ranges::find_if(text, is_of_token);
    const auto* const end = std::find_if_not(begin, text.end(), is_of_token);
    const std::string_view run(begin, static_cast<std::size_t>(end - begin));
    safe += text.substr(0, static_cast<std::size_t>(begin - text.begin()));
    safe += looks_random(run) ? kRedacted : run;
    text.remove_prefix(static_cast<std::size_t>(end - text.begin()));
  }
  return safe;
}

std::string without_patterns(std::string text, std::size_t first, std::size_t last) {
  for (std::size_t i = first; i < last; ++i) {
    // A text that cannot be searched does not leave the cluster.
    if (!expressions()[i]->ok()) return std::string(kRedacted);
    RE2::GlobalReplace(&text, *expressions()[i], kPatterns.at(i).replacement);
  }
  return text;
}

std::string matched(std::string text) {
  return without_random_runs(without_patterns(std::move(text), 0, kPatterns.size()));
}

// Undoes the escaping of a text that was put into another one as a JSON string.
std::string unescaped(const std::string& text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool escapes = text[i] == '\\' && i + 1 < text.size();
    if (escapes && (text[i + 1] == '"' || text[i + 1] == '\\' || text[i + 1] == '/')) {
      plain += text[++i];
    } else if (escapes && text[i + 1] == 'n') {
      plain += '\n';
      ++i;
    } else if (const std::string_view rest = std::string_view(text).substr(i); rest.starts_with("\\u0026")) {
      plain += '&';
      i += 5;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

std::optional<Json> json_in(std::string_view text) {
  const auto first = text.find_first_not_of(" \n\r\t");
  const bool may_be = first != std::string_view::npos && text.find_first_of("{[\"", first) == first;
  return may_be ? parse_json(text) : std::nullopt;
}

std::string redacted_line(const std::string& line) {
  constexpr int kMostWraps = 4;
  if (const auto whole = json_in(line)) return compact_json(redacted(*whole));
  std::string plain = line;
  for (int wraps = 0; wraps < kMostWraps; ++wraps) {
    const std::string inner = unescaped(plain);
    if (inner == plain) break;
    if (matched(inner) != inner) return redacted_text(inner);
    plain = inner;
  }
  return matched(line);
}

}  // namespace

std::string redacted_text(std::string text) {
  if (const auto whole = json_in(text)) return compact_json(redacted(*whole));
  text = without_patterns(std::move(text), 0, kOfSeveralLines);
  std::string safe;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    safe += redacted_line(text.substr(at, end - at));
    if (end < text.size()) safe += '\n';
    at = end + 1;
  }
  return safe;
}

}  // namespace reprise::plugin
