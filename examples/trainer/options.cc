#include "examples/trainer/options.h"

#include <boost/program_options.hpp>
#include <limits>
#include <sstream>

namespace po = boost::program_options;

namespace reprise::example {

// Found by Boost.Program_options for values of this type.
void validate(boost::any& into, const std::vector<std::string>& words, OnTerm*, int) {
  const std::string& word = po::validators::get_single_string(words);
  if (word == "save")
    into = OnTerm::Save;
  else if (word == "exit")
    into = OnTerm::Exit;
  else if (word == "ignore")
    into = OnTerm::Ignore;
  else
    throw po::validation_error(po::validation_error::invalid_option_value, "", word);
}

namespace {

template <class Number>
po::typed_value<Number>* number(Number& into, Number least, Number most = std::numeric_limits<Number>::max()) {
  return po::value(&into)->notifier([least, most](Number found) {
    if (found < least || found > most)
      throw po::error(std::to_string(found) + " is not from " + std::to_string(least) + " to " + std::to_string(most));
  });
}

po::options_description known_flags(Options& into) {
  po::options_description known("Flags of trainer");
  known.add_options()("data", po::value(&into.data)->required(), "file of points")(
      "dir", po::value(&into.dir)->required(), "directory of checkpoints")(
      "steps", number<std::int64_t>(into.steps, 1)->required(), "to train")(
      "save-every", number<std::int64_t>(into.save_every, 0), "so many steps; unless given, only when asked")(
      "step-milliseconds", number<std::int64_t>(into.step_milliseconds, 0), "to wait after each step")(
      "on-sigterm", po::value(&into.on_sigterm), "save, exit or ignore")("exit-code", number(into.exit_code, 0, 255),
                                                                         "after SIGTERM; 143 unless given");
  return known;
}

}  // namespace

std::optional<Options> read_options(const std::vector<std::string>& words, std::string& problem) {
  Options options;
  const po::options_description known = known_flags(options);
  const int style = po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
  try {
    po::variables_map given;
    po::store(po::command_line_parser(words).options(known).style(style).run(), given);
    po::notify(given);
    return options;
  } catch (const po::error& wrong) {
    std::ostringstream text;
    text << wrong.what() << '\n' << known;
    problem = text.str();
    return std::nullopt;
  }
}

}  // namespace reprise::example
