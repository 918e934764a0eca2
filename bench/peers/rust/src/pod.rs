//! What the operator reads of a pod, whether the cache holds whole pods or slim ones.

use std::fmt::Debug;

use k8s_openapi::api::core::v1::{self, PodCondition};
use kube::{Resource, ResourceExt, api::ObjectMeta, runtime::reflector::ObjectRef};
use serde::{Deserialize, de::DeserializeOwned};

use crate::bench_job::{ATTEMPT_LABEL, BenchJob, JOB_LABEL};

pub trait Pod: Resource<DynamicType = ()> + Clone + Debug + DeserializeOwned + Send + Sync + 'static {
    fn node_name(&self) -> Option<&str>;
    fn conditions(&self) -> &[PodCondition];

    /// The BenchJob that its label names.
    fn job(&self) -> Option<ObjectRef<BenchJob>> {
        let name = self.labels().get(JOB_LABEL)?;
        Some(ObjectRef::new(name).within(self.meta().namespace.as_deref()?))
    }

    fn attempt(&self) -> Option<&str> {
        self.labels().get(ATTEMPT_LABEL).map(String::as_str)
    }

    fn has_condition(&self, kind: &str) -> bool {
        self.conditions().iter().any(|condition| condition.type_ == kind && condition.status == "True")
    }
}

impl Pod for v1::Pod {
    fn node_name(&self) -> Option<&str> {
        self.spec.as_ref()?.node_name.as_deref()
    }

    fn conditions(&self) -> &[PodCondition] {
        self.status.as_ref().and_then(|status| status.conditions.as_deref()).unwrap_or_default()
    }
}

/// A pod that never holds more than is declared here: what is left out is skipped while it is parsed, which
/// costs less than to parse all of it and cut it in `modify`.
#[derive(Clone, Debug, Deserialize, Resource)]
#[resource(inherit = "v1::Pod")]
pub struct SlimPod {
    metadata: ObjectMeta,
    #[serde(default)]
    spec: SlimSpec,
    #[serde(default)]
    status: SlimStatus,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct SlimSpec {
    node_name: Option<String>,
}

#[derive(Clone, Debug, Default, Deserialize)]
struct SlimStatus {
    #[allow(dead_code, reason = "the variant keeps the phase, though this reconciler does not read it")]
    phase: Option<String>,
    #[serde(default)]
    conditions: Vec<PodCondition>,
}

impl Pod for SlimPod {
    fn node_name(&self) -> Option<&str> {
        self.spec.node_name.as_deref()
    }

    fn conditions(&self) -> &[PodCondition] {
        &self.status.conditions
    }
}
