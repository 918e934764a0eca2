// A report for programs. One object, keys always in this order; durations in seconds since the begin, in the cluster's
// time:
//
//   version              2; a key is only ever added while it stays
//   title, subtitle
//   survived             the verdict
//   shown                false: nothing was shown, neither that it survives nor that it does not
//   verdict              the same in words
//   reasons              list of text; empty when it survived
//   lengthSeconds, speed
//   sums                 {interruptions, survived, saved, stepsLost, trainingLostSeconds, slowestSaveSeconds,
//                        medianWayBackSeconds, longestWayBackSeconds, percentSaved}; the last three null when not
//                        known. sums.survived counts the interruptions whose `survived` is true
//   cost                 null, or {spentUsd, onDemandUsd}
//   facts                list of {label, value, good}; good is null where nothing is judged
//   interruptions        list of {job, node, atSeconds, noticeSeconds, saved, saveSeconds, stepAtNotice, stepSaved,
//                        stepResumed, stepsLost, trainingLostSeconds, resumedAfterSeconds, survived,
//                        lastLines}; resumedAfterSeconds null: never resumed; lastLines: of the trainer's output
//   lanes                list of {kind, name, spans, marks}; kind is zone, node, job or rank
//     spans              list of {from, to, state, label}; state as name_of() in words.h has it
//     marks              list of {at, kind, label, step}; step null when not known
//   lines                list of text: the event log
//
// The JSON is complete, however long the report is. Text that is not valid UTF-8 is made so.
#pragma once

#include <string>

#include "rehearsal/report/run_report.h"

namespace reprise::rehearsal {

[[nodiscard]] std::string report_json(const RunReport& report);

}  // namespace reprise::rehearsal
