#include "controllers/metrics/table.h"

#include <algorithm>
#include <array>

namespace reprise::controllers::metrics {
namespace {

using enum Type;
using enum Stability;

constexpr std::array kTable{
    Info{kInterruptions, Counter, Beta, "pool, reason",
         "Interruptions of jobs. Reasons are those of docs/reference/reasons.md; others read Other."},
    Info{kNoticeSeconds, Histogram, Alpha, "pool", "How much notice an interruption gave, where the node said so."},
    Info{
        kRecoverySeconds, Histogram, Beta, "pool, phase",
        "Seconds from when an interruption was noticed to: ended (the last container, as kubelets say), proven (every "
        "rank has ended), begun (the next attempt), placed (the first of its ranks has a node), running (all ranks are "
        "ready), training (a step is passed, as trainers report); noticed counts to there, from the signal's own "
        "time. What does not tell its time is not counted."},
    Info{kRecoveryPending, Gauge, Beta, "pool",
         "Seconds since the oldest interruption from which a job has not recovered; 0: none."},
    Info{kSaves, Counter, Beta, "pool, result",
         "Interrupted attempts that ended, by whether a newer checkpoint was saved on the notice: saved, not_saved, "
         "unknown (no record of a rank was seen)."},
    Info{kSaveSeconds, Histogram, Alpha, "pool",
         "Seconds from an interruption to the checkpoint that was saved on its notice."},
    Info{kLostSeconds, Counter, Beta, "pool",
         "Seconds of training that had to be done again: from the newest checkpoint to the end of its attempt."},
    Info{kCheckpointAgeAtEnd, Histogram, Alpha, "pool",
         "How old the newest checkpoint was when its attempt was ended."},
    Info{kCheckpointsOverdue, Counter, Beta, "pool",
         "Attempts whose newest checkpoint was older than twice spec.checkpoint.periodSeconds when they were ended."},
    Info{kCheckpointKnownAge, Gauge, Alpha, "pool",
         "Age of the oldest of the newest checkpoints of unfinished jobs. Of a running attempt that does not report it "
         "is known at its end."},
    Info{kCheckpointsOverdueNow, Gauge, Alpha, "pool",
         "Running jobs, of those whose ranks report, that have trained for longer than three times "
         "spec.checkpoint.periodSeconds without a newer checkpoint."},
    Info{
        kCheckpointSaveSeconds, Histogram, Alpha, "pool",
        "How long a save took, from its first file to its durability, of the checkpoints that running jobs report: the "
        "newest within 30 s."},
    Info{kAttemptsBegun, Counter, Beta, "pool", "Attempts begun."},
    Info{kAttemptsEnded, Counter, Beta, "cause, pool", "Attempts closed, every rank proven to have ended, by cause."},
    Info{kFailures, Counter, Beta, "pool", "Failures that count against spec.backoffLimit."},
    Info{kJobs, Gauge, Beta, "pool, state",
         "ResumableJobs by state: Waiting, Starting, Running, Recovering, Suspended, Stalled, Complete, Failed."},
    Info{kNotFencedBegun, Counter, Beta, "pool", "Times that a job began to wait with WriterNotFenced."},
    Info{kNotFencedNow, Gauge, Beta, "pool", "Jobs that wait with WriterNotFenced now."},
    Info{kStuckNodeClaims, Counter, Beta, "pool",
         "NodeClaims of machines that were paid for and ended before they were useful, by the pool or by others."},
    Info{kJobCheckpointAge, Gauge, Alpha, "namespace, resumablejob",
         "Age of the newest checkpoint of a job that is not suspended, as records and live reports tell."},
    Info{kJobCheckpointStep, Gauge, Alpha, "namespace, resumablejob", "Step of the newest checkpoint of a job."},
    Info{kJobProgressStep, Gauge, Alpha, "namespace, resumablejob",
         "Step that a job had passed when it last told of its progress."},
    Info{kJobInterruptions, Gauge, Alpha, "namespace, resumablejob",
         "Interruptions of a job that was interrupted, whatever for: reprise_interruptions_total has reasons."},
    Info{kJobLostSeconds, Gauge, Alpha, "namespace, resumablejob", "Seconds of training that a job had to do again."},
    Info{kJobSaveSeconds, Gauge, Alpha, "namespace, resumablejob",
         "How long the last save took of which a job's ranks report."},
    Info{kJobRestoreSeconds, Gauge, Alpha, "namespace, resumablejob",
         "How long a job took after its last interruption from when all ranks were ready until a step was passed, as "
         "trainers report."},
    Info{kJobMetricsLeftOut, Gauge, Alpha, "",
         "Unfinished jobs that are not shown one by one: --job-metrics-limit is reached."},
    Info{kPoolNodes, Gauge, Beta, "capacity_type, pool", "Nodes of a pool."},
    Info{kPoolGpus, Gauge, Beta, "capacity_type, pool, state", "GPUs of a pool: used, idle."},
    Info{kPoolGpusLimit, Gauge, Beta, "capacity_type, pool", "GPUs that a pool may have, where it says so."},
    Info{kPoolUnits, Gauge, Beta, "pool, state", "Units of a pool, a slice or a whole GPU: used, idle."},
    Info{kPoolCost, Gauge, Beta, "pool", "What the nodes of a pool cost, an estimate."},
    Info{kPoolIdleCost, Gauge, Beta, "pool", "What nodes cost on which nothing runs, an estimate."},
    Info{kPoolOnDemandCost, Gauge, Beta, "pool", "What the same nodes would cost on demand, an estimate."},
    Info{kPoolNeverUseful, Gauge, Beta, "pool",
         "Machines that were paid for and never became useful since the last one of their NodePool that did."},
    Info{kReports, Counter, Beta, "code",
         "Live reports of ranks, by the status code with which they were answered: 204 are taken."},
    Info{kConditionCount, Gauge, Beta, "kind, reason, status, type", "Objects by what their conditions say."},
    Info{kConditionCurrent, Gauge, Alpha, "kind, reason, status, type",
         "For how long the condition has had this status, of the object that has had it longest."},
    Info{kConditionTransitions, Counter, Beta, "kind, status, type", "Conditions that came to have this status."},
    Info{kConditionSeconds, Histogram, Alpha, "kind, status, type",
         "How long a condition had had this status when it changed."},
};

}  // namespace

std::span<const Info> all() {
  return kTable;
}

const Info& info(std::string_view name) {
  return *std::ranges::find_if(kTable, [&](const Info& each) { return name == each.name; });
}

}  // namespace reprise::controllers::metrics
