// Command-line flags on Boost.Program_options, with one way to say what is wrong with them. Values are read as texts
// and checked here, so that every message names the flag, what was found and what is allowed.
#pragma once

#include <boost/program_options/options_description.hpp>
#include <boost/program_options/variables_map.hpp>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/common/usage_text.h"
#include "runtime/base/clock.h"

namespace reprise::apps::flags {

namespace po = boost::program_options;

// "a, b or c"
[[nodiscard]] std::string alternatives(const std::vector<std::string>& names);
// "unknown command 'lnt'; did you mean 'lint'? It must be demo, lint or help".
[[nodiscard]] std::string unknown_command(const std::string& name, const std::vector<std::string>& known);

// A bad argument, thrown by the code that reads flags.
struct Wrong {
  std::string text;
};
[[noreturn]] void wrong_value(std::string_view flag, std::string_view found, std::string_view allowed);
// `program`: "reprise demo".
[[nodiscard]] UsageText usage_error(const std::string& program, const std::string& text);

// Holds --help and --version.
[[nodiscard]] po::options_description described();
[[nodiscard]] po::typed_value<std::string>* one();
[[nodiscard]] po::typed_value<std::vector<std::string>>* many();  // given several times

// No guessing: --kube is not --kubeconfig. An unknown flag, a flag given twice and an extra argument are Wrong. The
// known flags of `in_order` are given by their place, without their names.
[[nodiscard]] po::variables_map parse(const po::options_description& known, const std::vector<std::string>& arguments,
                                      std::initializer_list<const char*> in_order = {});

// The same with any number of arguments that are no flags, in their order.
struct Given {
  po::variables_map flags;
  std::vector<std::string> words;
};
[[nodiscard]] Given parse_with_words(const po::options_description& known, const std::vector<std::string>& arguments);

// Empty when the flag was not given. Texts of no length are Wrong.
[[nodiscard]] std::optional<std::string> text(const po::variables_map& given, const char* flag);
// `allowed` ends the sentence "must be ...".
[[nodiscard]] std::optional<double> number(const po::variables_map& given, const char* flag, double least, double most,
                                           const char* allowed);
[[nodiscard]] std::optional<double> whole_number(const po::variables_map& given, const char* flag, double least,
                                                 double most, const char* allowed);
[[nodiscard]] std::optional<runtime::Duration> duration(const po::variables_map& given, const char* flag,
                                                        runtime::Duration least);
[[nodiscard]] bool is_set(const po::variables_map& given, const char* flag);  // for a po::bool_switch
// "a,b,c"; empty parts are left out.
[[nodiscard]] std::vector<std::string> split(const std::string& list);

// Takes one of the names; any other text is Wrong.
template <class Value>
[[nodiscard]] std::optional<Value> one_of(const po::variables_map& given, const char* flag,
                                          std::initializer_list<std::pair<std::string_view, Value>> names) {
  const auto found = text(given, flag);
  if (!found) return std::nullopt;
  std::string allowed;
  std::size_t left = names.size();
  for (const auto& [name, value] : names) {
    if (*found == name) return value;
    --left;
    allowed.append(name).append(left == 0 ? "" : left == 1 ? " or " : ", ");
  }
  wrong_value(flag, *found, allowed);
}

}  // namespace reprise::apps::flags
