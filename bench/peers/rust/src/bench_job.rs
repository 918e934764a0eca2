//! The kind BenchJob and the names it is known by.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use kube::CustomResource;
use serde::{Deserialize, Serialize};

pub const JOB_LABEL: &str = "bench.reprise.dev/job";
pub const ATTEMPT_LABEL: &str = "bench.reprise.dev/attempt";
pub const INTERRUPTED_TAINT: &str = "bench.reprise.dev/interrupted";
pub const NODES_HEALTHY: &str = "NodesHealthy";

#[derive(CustomResource, Clone, Debug, Default, Deserialize, Serialize)]
#[kube(
    group = "bench.reprise.dev",
    version = "v1",
    kind = "BenchJob",
    namespaced,
    status = "BenchJobStatus",
    schema = "disabled"
)]
pub struct BenchJobSpec {
    #[serde(default)]
    pub image: String,
    #[serde(default)]
    pub workers: i32,
    #[serde(default)]
    pub parameters: BTreeMap<String, String>,
}

#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct BenchJobStatus {
    #[serde(default)]
    pub attempt: i32,
    #[serde(default)]
    pub pods: i32,
    #[serde(default)]
    pub ready: i32,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
}
