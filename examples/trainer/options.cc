#include "examples/trainer/options.h"

#include <charconv>

namespace reprise::example {
namespace {

bool number(const std::string& text, std::int64_t& into) {
  const auto [end, bad] = std::from_chars(text.data(), text.data() + text.size(), into);
  return bad == std::errc{} && end == text.data() + text.size() && into >= 0;
}

bool set(Options& options, const std::string& name, const std::string& value) {
  if (name == "--data") {
    options.data = value;
  } else if (name == "--dir") {
    options.dir = value;
  } else if (name == "--steps") {
    return number(value, options.steps);
  } else if (name == "--save-every") {
    return number(value, options.save_every);
  } else if (name == "--step-milliseconds") {
    return number(value, options.step_milliseconds);
  } else if (name == "--exit-code") {
    std::int64_t code = 0;
    if (!number(value, code) || code > 255) return false;
    options.exit_code = static_cast<int>(code);
  } else if (name == "--on-sigterm") {
    if (value == "save")
      options.on_sigterm = OnTerm::Save;
    else if (value == "exit")
      options.on_sigterm = OnTerm::Exit;
    else if (value == "ignore")
      options.on_sigterm = OnTerm::Ignore;
    else
      return false;
  } else {
    return false;
  }
  return true;
}

}  // namespace

std::optional<Options> read_options(const std::vector<std::string>& words, std::string& problem) {
  Options options;
  for (std::size_t i = 0; i < words.size(); i += 2) {
    if (i + 1 == words.size() || !set(options, words[i], words[i + 1])) {
      problem = "cannot understand " + words[i] + (i + 1 < words.size() ? " " + words[i + 1] : "");
      return std::nullopt;
    }
  }
  if (options.data.empty() || options.dir.empty() || options.steps <= 0) {
    problem = "--data, --dir and --steps are needed";
    return std::nullopt;
  }
  return options;
}

}  // namespace reprise::example
