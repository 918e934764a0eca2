#include "rehearsal/report/story_json.h"

#include <fmt/format.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <cmath>

#include "rehearsal/report/escape.h"
#include "rehearsal/report/summary.h"
#include "rehearsal/report/words.h"

namespace reprise::simulator {
namespace {

namespace json = boost::json;

json::value text(std::string_view from) {
  return json::value(printable(from));
}

json::value word(std::string_view from) {
  return json::value(from);
}

// Whole seconds stay whole numbers.
json::value seconds(runtime::Duration duration) {
  if (duration.count() % 1000 == 0) return duration.count() / 1000;
  return static_cast<double>(duration.count()) / 1000;
}

json::value seconds(const std::optional<runtime::Duration>& duration) {
  return duration ? seconds(*duration) : json::value(nullptr);
}

json::value step(const std::optional<std::int64_t>& number) {
  return number ? json::value(*number) : json::value(nullptr);
}

json::array texts(const std::vector<std::string>& from) {
  json::array list;
  for (const std::string& one : from) list.push_back(text(one));
  return list;
}

json::object figures(const StorySums& sums) {
  return {{"interruptions", sums.interruptions},
          {"survived", sums.survived},
          {"saved", sums.saved},
          {"stepsLost", sums.steps_unknown == 0 ? json::value(sums.steps_lost) : json::value(nullptr)},
          {"trainingLostSeconds", seconds(sums.training_lost)},
          {"slowestSaveSeconds", sums.saved > 0 ? seconds(sums.slowest_save) : json::value(nullptr)},
          {"medianWayBackSeconds", seconds(sums.median_way_back)},
          {"longestWayBackSeconds", seconds(sums.longest_way_back)},
          {"percentSaved", sums.percent_saved ? json::value(*sums.percent_saved) : json::value(nullptr)}};
}

json::object interruption(const StoryInterruption& one) {
  return {{"job", text(one.job)},
          {"machine", text(one.machine)},
          {"atSeconds", seconds(one.at)},
          {"noticeSeconds", seconds(one.notice)},
          {"saved", one.saved},
          {"saveSeconds", one.saved ? seconds(one.save_took) : json::value(nullptr)},
          {"stepAtNotice", one.step_at_notice},
          {"stepSaved", step(one.step_saved)},
          {"stepResumed", step(one.step_resumed)},
          {"stepsLost", step(one.steps_lost)},
          {"trainingLostSeconds", seconds(one.training_lost)},
          {"resumedAfterSeconds", seconds(one.resumed_after)},
          {"survived", one.survived},
          {"lastLines", texts(one.last_lines)}};
}

json::object lane(const StoryLane& from) {
  json::array spans, marks;
  for (const StorySpan& span : from.spans)
    spans.push_back(json::object{{"from", seconds(span.from)},
                                 {"to", seconds(span.to)},
                                 {"state", word(name_of(span.state))},
                                 {"label", text(span.label)}});
  for (const StoryMark& mark : from.marks)
    marks.push_back(json::object{{"at", seconds(mark.at)},
                                 {"kind", word(name_of(mark.kind))},
                                 {"label", text(mark.label)},
                                 {"step", mark.step >= 0 ? json::value(mark.step) : json::value(nullptr)}});
  return {{"kind", word(name_of(from.kind))}, {"name", text(from.name)}, {"spans", spans}, {"marks", marks}};
}

// The library's own way to write 4.2 is 4.2E0.
std::string compact(const json::value& value) {
  if (const double* number = value.if_double()) return std::isfinite(*number) ? fmt::format("{}", *number) : "null";
  std::string out;
  if (const json::array* list = value.if_array()) {
    for (const json::value& one : *list) out += (out.empty() ? "" : ", ") + compact(one);
    return "[" + out + "]";
  }
  if (const json::object* object = value.if_object()) {
    for (const auto& [key, one] : *object)
      out += (out.empty() ? "" : ", ") + json::serialize(json::value(key)) + ": " + compact(one);
    return "{" + out + "}";
  }
  return json::serialize(value);
}

// A member of the whole a line, an element of its lists a line: so a person can read it and compare two.
std::string written(const json::object& story) {
  std::string out = "{\n";
  for (auto member = story.begin(); member != story.end(); ++member) {
    out += "  " + json::serialize(json::value(member->key())) + ": ";
    const json::array* list = member->value().if_array();
    if (list == nullptr || list->empty()) {
      out += compact(member->value());
    } else {
      out += "[";
      for (std::size_t i = 0; i < list->size(); ++i) out += (i == 0 ? "\n    " : ",\n    ") + compact((*list)[i]);
      out += "\n  ]";
    }
    out += member + 1 == story.end() ? "\n" : ",\n";
  }
  return out + "}\n";
}

}  // namespace

std::string story_json(const Story& story) {
  const StorySums sums = sums_of(story);
  json::array facts, interruptions, lanes;
  for (const StoryFact& fact : story.facts)
    facts.push_back(json::object{{"label", text(fact.label)},
                                 {"value", text(fact.value)},
                                 {"good", fact.judgement ? json::value(fact.good) : json::value(nullptr)}});
  for (const StoryInterruption& one : story.interruptions) interruptions.push_back(interruption(one));
  for (const StoryLane& one : story.lanes) lanes.push_back(lane(one));
  json::value cost = nullptr;
  if (story.cost) cost = json::object{{"spentUsd", story.cost->spent}, {"onDemandUsd", story.cost->on_demand}};
  return written({{"version", 1},
                  {"title", text(story.title)},
                  {"subtitle", text(story.subtitle)},
                  {"survived", story.survived},
                  {"shown", story.shown},
                  {"verdict", text(verdict_of(story))},
                  {"reasons", texts(story.reasons)},
                  {"lengthSeconds", seconds(story.length)},
                  {"speed", story.speed},
                  {"sums", figures(sums)},
                  {"cost", cost},
                  {"facts", facts},
                  {"interruptions", interruptions},
                  {"lanes", lanes},
                  {"lines", texts(story.lines)}});
}

}  // namespace reprise::simulator
