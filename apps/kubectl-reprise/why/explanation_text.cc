#include "apps/kubectl-reprise/why/explanation_text.h"

#include <fmt/format.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <iterator>

namespace reprise::plugin::why {
namespace {

struct Look {
  std::string_view sign, colour;
};
Look look_of(Mark mark) {
  switch (mark) {
    case Mark::Ok:
      return {"ok", "\033[32m"};
    case Mark::Waits:
      return {"waits", "\033[33m"};
    case Mark::Blocks:
      return {"BLOCKS", "\033[31m"};
    case Mark::Unseen:
      return {"unseen", "\033[2m"};
  }
  return {};
}

std::string in_colour(std::string_view text, std::string_view colour, bool coloured) {
  return coloured ? fmt::format("{}{}\033[0m", colour, text) : std::string(text);
}

boost::json::object object_json(const ObjectRef& object) {
  boost::json::object out{{"kind", object.kind}};
  if (!object.namespace_.empty()) out["namespace"] = object.namespace_;
  out["name"] = object.name;
  return out;
}

}  // namespace

std::string explanation_text(const Explanation& explanation, bool coloured) {
  std::string text;
  const auto out = std::back_inserter(text);
  for (const Step& step : explanation.chain) {
    const Look look = look_of(step.mark);
    fmt::format_to(out, "{}{} {}{}{}\n", in_colour(look.sign, look.colour, coloured),
                   std::string(7 - look.sign.size(), ' '), step.looked_at, step.said.empty() ? "" : ": ", step.said);
  }
  fmt::format_to(out, "\n{}\n", explanation.summary);
  if (!explanation.finding) return text;
  const Finding& finding = *explanation.finding;
  const CauseText& cause = text_of(finding.cause);
  const Look look = look_of(explanation.blocked() ? Mark::Blocks : Mark::Waits);
  fmt::format_to(out, "\n{}: {}\n  object: {}\n  found:  {}\n", in_colour(cause.name, look.colour, coloured),
                 cause.means, finding.object.text(), finding.found);
  fmt::format_to(out, "\nWhat to do: {}\n", cause.to_do);
  for (const std::string& each : finding.to_do) fmt::format_to(out, "  {}\n", each);
  return text;
}

boost::json::value explanation_json(const Explanation& explanation) {
  boost::json::object out{{"subject", object_json(explanation.subject)},
                          {"summary", explanation.summary},
                          {"blocked", explanation.blocked()}};
  if (explanation.finding) {
    const CauseText& cause = text_of(explanation.finding->cause);
    out["cause"] = cause.name;
    out["means"] = cause.means;
    out["object"] = object_json(explanation.finding->object);
    out["found"] = explanation.finding->found;
    boost::json::array to_do;
    for (const std::string& each : explanation.finding->to_do) to_do.emplace_back(each);
    out["toDo"] = std::move(to_do);
  }
  boost::json::array chain;
  for (const Step& step : explanation.chain) {
    chain.push_back(boost::json::object{{"lookedAt", step.looked_at}, {"mark", name(step.mark)}, {"said", step.said}});
  }
  out["chain"] = std::move(chain);
  return out;
}

}  // namespace reprise::plugin::why
