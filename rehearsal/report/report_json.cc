#include "rehearsal/report/report_json.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "rehearsal/report/escape.h"
#include "rehearsal/report/readable_json.h"
#include "rehearsal/report/summary.h"
#include "rehearsal/report/words.h"

namespace reprise::rehearsal {
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

json::object figures(const ReportSums& sums) {
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

json::object interruption(const ReportInterruption& one) {
  return {{"job", text(one.job)},
          {"node", text(one.node)},
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

json::object lane(const ReportLane& from) {
  json::array spans, marks;
  for (const ReportSpan& span : from.spans)
    spans.push_back(json::object{{"from", seconds(span.from)},
                                 {"to", seconds(span.to)},
                                 {"state", word(name_of(span.state))},
                                 {"label", text(span.label)}});
  for (const ReportMark& mark : from.marks)
    marks.push_back(json::object{{"at", seconds(mark.at)},
                                 {"kind", word(name_of(mark.kind))},
                                 {"label", text(mark.label)},
                                 {"step", mark.step >= 0 ? json::value(mark.step) : json::value(nullptr)}});
  return {{"kind", word(name_of(from.kind))}, {"name", text(from.name)}, {"spans", spans}, {"marks", marks}};
}

}  // namespace

std::string report_json(const RunReport& report) {
  const ReportSums sums = sums_of(report);
  json::array facts, interruptions, lanes;
  for (const ReportFact& fact : report.facts)
    facts.push_back(json::object{{"label", text(fact.label)},
                                 {"value", text(fact.value)},
                                 {"good", fact.judgement ? json::value(fact.good) : json::value(nullptr)}});
  for (const ReportInterruption& one : report.interruptions) interruptions.push_back(interruption(one));
  for (const ReportLane& one : report.lanes) lanes.push_back(lane(one));
  json::value cost = nullptr;
  if (report.cost) cost = json::object{{"spentUsd", report.cost->spent}, {"onDemandUsd", report.cost->on_demand}};
  return readable_json(json::object{{"version", 2},
                                    {"title", text(report.title)},
                                    {"subtitle", text(report.subtitle)},
                                    {"survived", report.survived},
                                    {"shown", report.shown},
                                    {"verdict", text(verdict_of(report))},
                                    {"reasons", texts(report.reasons)},
                                    {"lengthSeconds", seconds(report.length)},
                                    {"speed", report.speed},
                                    {"sums", figures(sums)},
                                    {"cost", cost},
                                    {"facts", facts},
                                    {"interruptions", interruptions},
                                    {"lanes", lanes},
                                    {"lines", texts(report.lines)}});
}

}  // namespace reprise::rehearsal
