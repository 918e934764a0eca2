//! What a BenchJob's status ought to be, from what the caches hold.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};

use crate::bench_job::{BenchJob, BenchJobStatus, NODES_HEALTHY};
use crate::pod::Pod;

/// The attempt after the one the status names, if a pod of that one is being disrupted; else the same.
pub fn next_attempt<'a, P: Pod>(current: i32, mut pods: impl Iterator<Item = &'a P>) -> i32 {
    let label = current.to_string();
    let disrupted = pods.any(|pod| pod.attempt() == Some(&label) && pod.has_condition("DisruptionTarget"));
    current + i32::from(disrupted)
}

pub fn status_of<'a, P: Pod>(
    job: &BenchJob,
    attempt: i32,
    pods: impl Iterator<Item = &'a P>,
    tainted: bool,
    now: Time,
) -> BenchJobStatus {
    let mut status = job.status.clone().unwrap_or_default();
    (status.attempt, status.pods, status.ready) = (attempt, 0, 0);
    for pod in pods {
        status.pods += 1;
        status.ready += i32::from(pod.has_condition("Ready"));
    }
    let (value, reason) = if tainted { ("False", "Tainted") } else { ("True", "Healthy") };
    set_condition(
        &mut status.conditions,
        Condition {
            type_: NODES_HEALTHY.into(),
            status: value.into(),
            reason: reason.into(),
            message: String::new(),
            observed_generation: job.metadata.generation,
            last_transition_time: now,
        },
    );
    status
}

fn set_condition(conditions: &mut Vec<Condition>, mut wanted: Condition) {
    match conditions.iter_mut().find(|condition| condition.type_ == wanted.type_) {
        Some(existing) => {
            if existing.status == wanted.status {
                wanted.last_transition_time = existing.last_transition_time.clone();
            }
            *existing = wanted;
        }
        None => conditions.push(wanted),
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::Pod;
    use k8s_openapi::jiff::Timestamp;
    use serde_json::{Value, json};

    use super::*;

    fn pod(attempt: &str, conditions: Value) -> Pod {
        let labels = json!({"bench.reprise.dev/job": "a", "bench.reprise.dev/attempt": attempt});
        serde_json::from_value(json!({"metadata": {"labels": labels}, "status": {"conditions": conditions}})).unwrap()
    }

    fn bench_job(status: Value) -> BenchJob {
        let metadata = json!({"name": "a", "namespace": "n", "generation": 3});
        serde_json::from_value(json!({
            "apiVersion": "bench.reprise.dev/v1", "kind": "BenchJob", "metadata": metadata, "spec": {}, "status": status,
        }))
        .unwrap()
    }

    fn at(second: i64) -> Time {
        Time(Timestamp::from_second(second).unwrap())
    }

    #[test]
    fn only_a_disrupted_pod_of_the_current_attempt_starts_the_next() {
        let disrupted = json!([{"type": "DisruptionTarget", "status": "True"}]);
        let spared = json!([{"type": "DisruptionTarget", "status": "False"}]);
        assert_eq!(next_attempt(1, [pod("1", disrupted.clone())].iter()), 2);
        assert_eq!(next_attempt(1, [pod("0", disrupted), pod("1", spared)].iter()), 1);
    }

    #[test]
    fn a_status_counts_pods_and_those_that_are_ready() {
        let ready = pod("0", json!([{"type": "Ready", "status": "True"}]));
        let waiting = pod("0", json!([{"type": "Ready", "status": "False"}]));
        let status = status_of(&bench_job(Value::Null), 0, [ready, waiting].iter(), false, at(1));
        assert_eq!((status.attempt, status.pods, status.ready), (0, 2, 1));
        assert_eq!(status.conditions[0].observed_generation, Some(3));
    }

    #[test]
    fn a_transition_time_moves_with_the_conditions_status_only() {
        let healthy = status_of::<Pod>(&bench_job(Value::Null), 0, [].iter(), false, at(1));
        let job = bench_job(serde_json::to_value(&healthy).unwrap());
        assert_eq!(status_of::<Pod>(&job, 0, [].iter(), false, at(2)), healthy);
        let tainted = status_of::<Pod>(&job, 0, [].iter(), true, at(2));
        assert_eq!(tainted.conditions[0].last_transition_time, at(2));
        assert_eq!((&*tainted.conditions[0].status, &*tainted.conditions[0].reason), ("False", "Tainted"));
    }
}
