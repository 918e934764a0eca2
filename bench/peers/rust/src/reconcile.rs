//! From what the caches hold to at most two writes: a Job and a status.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::batch::v1::Job;
use k8s_openapi::api::core::v1::Node;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{OwnerReference, Time};
use k8s_openapi::jiff::Timestamp;
use kube::api::{Patch, PatchParams, PostParams};
use kube::runtime::controller::Action;
use kube::runtime::reflector::{ObjectRef, Store};
use kube::{Api, Client, Resource, ResourceExt};

use crate::bench_job::{BenchJob, INTERRUPTED_TAINT};
use crate::pod::Pod;
use crate::pod_cache::PodCache;
use crate::progress::Progress;
use crate::status::{next_attempt, status_of};

const RETRY_AFTER: Duration = Duration::from_secs(1);

pub struct Context<P: Pod> {
    pub client: Client,
    pub pods: PodCache<P>,
    pub nodes: Store<Node>,
    pub jobs: Store<Job>,
    pub template: Job,
    pub progress: Arc<Progress>,
}

pub async fn reconcile<P: Pod>(bench_job: Arc<BenchJob>, context: Arc<Context<P>>) -> kube::Result<Action> {
    context.progress.caches_filled().await;
    let namespace = bench_job.namespace().unwrap_or_default();
    let pods = context.pods.of_job(&namespace, &bench_job.name_any());
    let pods = || pods.iter().map(|pod| &**pod);

    let current = bench_job.status.as_ref().map_or(0, |status| status.attempt);
    let attempt = next_attempt(current, pods());
    context.ensure_job(&bench_job, &namespace, attempt).await?;

    let tainted = context.any_node_tainted(pods());
    let wanted = status_of(&bench_job, attempt, pods(), tainted, Time(Timestamp::now()));
    if bench_job.status.as_ref() != Some(&wanted) {
        let api = Api::<BenchJob>::namespaced(context.client.clone(), &namespace);
        let patch = serde_json::json!({ "status": wanted });
        api.patch_status(&bench_job.name_any(), &PatchParams::default(), &Patch::Merge(patch)).await?;
    }
    Ok(Action::await_change())
}

pub fn retry<P: Pod>(bench_job: Arc<BenchJob>, error: &kube::Error, _: Arc<Context<P>>) -> Action {
    eprintln!("bench-peer-rust: {}: {error}", ObjectRef::from_obj(&*bench_job));
    Action::requeue(RETRY_AFTER)
}

impl<P: Pod> Context<P> {
    fn any_node_tainted<'a>(&self, pods: impl Iterator<Item = &'a P>) -> bool {
        let names: HashSet<&str> = pods.filter_map(Pod::node_name).collect();
        names.into_iter().filter_map(|name| self.nodes.get(&ObjectRef::new(name))).any(|node| {
            let taints = node.spec.as_ref().and_then(|spec| spec.taints.as_deref()).unwrap_or_default();
            taints.iter().any(|taint| taint.key == INTERRUPTED_TAINT)
        })
    }

    async fn ensure_job(&self, owner: &BenchJob, namespace: &str, attempt: i32) -> kube::Result<()> {
        let name = format!("{}-{attempt}", owner.name_any());
        if self.jobs.get(&ObjectRef::new(&name).within(namespace)).is_some() {
            return Ok(());
        }
        let mut wanted = self.template.clone();
        wanted.metadata.name = Some(name);
        wanted.metadata.namespace = Some(namespace.into());
        wanted.metadata.owner_references = owner
            .controller_owner_ref(&())
            .map(|reference| vec![OwnerReference { block_owner_deletion: Some(true), ..reference }]);
        let api = Api::<Job>::namespaced(self.client.clone(), namespace);
        match api.create(&PostParams::default(), &wanted).await {
            // It is there, and the cache will show it.
            Err(kube::Error::Api(status)) if status.is_already_exists() => Ok(()),
            result => result.map(drop),
        }
    }
}
