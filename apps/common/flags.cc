#include "apps/common/flags.h"

#include <boost/program_options/parsers.hpp>
#include <charconv>
#include <cmath>
#include <sstream>

#include "apps/common/duration_text.h"
#include "apps/common/nearest.h"

namespace reprise::apps::flags {

void wrong_value(std::string_view flag, std::string_view found, std::string_view allowed) {
  throw Wrong{"--" + std::string(flag) + ": found '" + std::string(found) + "', must be " + std::string(allowed)};
}

UsageText usage_error(const std::string& program, const std::string& text) {
  return {program + ": " + text + "\nSee '" + program + " --help'.\n", true};
}

po::options_description described() {
  constexpr unsigned width = 110, description = 70;
  po::options_description known("Flags", width, description);
  known.add_options()("help,h", "show this text")("version", "print the version");
  return known;
}

po::typed_value<std::string>* one() {
  return po::value<std::string>();
}

po::typed_value<std::vector<std::string>>* many() {
  return po::value<std::vector<std::string>>()->composing();
}

namespace {

constexpr const char* kWords = "extra arguments";

po::variables_map stored(const po::options_description& known, const std::vector<std::string>& arguments,
                         std::initializer_list<const char*> in_order) {
  po::options_description all;
  all.add(known).add_options()(kWords, po::value<std::vector<std::string>>());
  po::positional_options_description words;
  for (const char* flag : in_order) words.add(flag, 1);
  words.add(kWords, -1);
  po::variables_map given;
  const int style = po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
  try {
    po::store(po::command_line_parser(arguments).options(all).positional(words).style(style).run(), given);
  } catch (const po::unknown_option& problem) {
    throw Wrong{"unknown flag '" + problem.get_option_name() + "'"};
  } catch (const po::error& problem) {
    throw Wrong{problem.what()};
  }
  return given;
}

}  // namespace

po::variables_map parse(const po::options_description& known, const std::vector<std::string>& arguments,
                        std::initializer_list<const char*> in_order) {
  po::variables_map given = stored(known, arguments, in_order);
  if (given.contains(kWords))
    throw Wrong{"unknown argument '" + given[kWords].as<std::vector<std::string>>().front() + "'"};
  return given;
}

Given parse_with_words(const po::options_description& known, const std::vector<std::string>& arguments) {
  Given given{stored(known, arguments, {}), {}};
  if (given.flags.contains(kWords)) given.words = given.flags[kWords].as<std::vector<std::string>>();
  return given;
}

std::optional<std::string> text(const po::variables_map& given, const char* flag) {
  if (!given.contains(flag)) return std::nullopt;
  auto value = given[flag].as<std::string>();
  if (value.empty()) throw Wrong{"--" + std::string(flag) + ": a value is missing"};
  return value;
}

std::optional<double> number(const po::variables_map& given, const char* flag, double least, double most,
                             const char* allowed) {
  const auto value = text(given, flag);
  if (!value) return std::nullopt;
  double parsed = 0;
  const auto [end, problem] = std::from_chars(value->data(), value->data() + value->size(), parsed);
  const bool read = problem == std::errc() && end == value->data() + value->size() && std::isfinite(parsed);
  if (!read || parsed < least || parsed > most) wrong_value(flag, *value, allowed);
  return parsed;
}

std::optional<double> whole_number(const po::variables_map& given, const char* flag, double least, double most,
                                   const char* allowed) {
  const auto value = number(given, flag, least, most, allowed);
  if (value && *value != std::floor(*value)) wrong_value(flag, *text(given, flag), allowed);
  return value;
}

std::optional<runtime::Duration> duration(const po::variables_map& given, const char* flag, runtime::Duration least) {
  const auto value = text(given, flag);
  if (!value) return std::nullopt;
  const auto parsed = parse_duration(*value);
  if (parsed && *parsed >= least) return parsed;
  wrong_value(flag, *value, "a duration such as 30s, 10m or 1h, at least " + std::to_string(least.count()) + "ms");
}

bool is_set(const po::variables_map& given, const char* flag) {
  return given[flag].as<bool>();
}

std::string alternatives(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "" : i + 1 == names.size() ? " or " : ", ") + names[i];
  return text;
}

std::string unknown_command(const std::string& name, const std::vector<std::string>& known) {
  const auto meant = nearest(name, known);
  return "unknown command '" + name + "'; " + (meant ? "did you mean '" + *meant + "'? It " : std::string()) +
         "must be " + alternatives(known);
}

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> parts;
  std::istringstream stream(list);
  for (std::string part; std::getline(stream, part, ',');) {
    if (!part.empty()) parts.push_back(part);
  }
  return parts;
}

}  // namespace reprise::apps::flags
