//! The sample operator on kube-rs. What it does is written in bench/README.md.

mod bench_job;
mod pod;
mod pod_cache;
mod progress;
mod reconcile;
mod status;
mod variant;
mod watch;

use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::Parser;
use futures::{FutureExt, StreamExt};
use k8s_openapi::api::{batch::v1::Job, core::v1, core::v1::Node};
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::runtime::controller::{self, Controller};
use kube::runtime::{WatchStreamExt, reflector};
use kube::{Client, Config, ResourceExt};
use tokio::signal::unix::{SignalKind, signal};

use crate::bench_job::BenchJob;
use crate::pod::{Pod, SlimPod};
use crate::pod_cache::PodCache;
use crate::progress::Progress;
use crate::reconcile::{Context, reconcile, retry};
use crate::variant::Variant;
use crate::watch::{on_own_task, watch};

const KINDS: usize = 4;
const CONCURRENCY: u16 = 8;
/// How long reconciles under way may take once the process was requested to end.
const DRAIN: Duration = Duration::from_secs(5);

#[derive(clap::Parser)]
struct Arguments {
    /// File that names the API server and the user
    #[arg(long)]
    kubeconfig: PathBuf,
    /// What the caches keep
    #[arg(long, value_enum, default_value = "default")]
    variant: Variant,
}

#[tokio::main]
async fn main() -> ExitCode {
    match start(Arguments::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench-peer-rust: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn start(arguments: Arguments) -> Result<(), Box<dyn Error>> {
    let kubeconfig = Kubeconfig::read_from(arguments.kubeconfig)?;
    let config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await?;
    let client = Client::try_from(config)?;
    match arguments.variant {
        Variant::Slim => run::<SlimPod>(client, arguments.variant).await,
        Variant::Default | Variant::Stripped => run::<v1::Pod>(client, arguments.variant).await,
    }
}

async fn run<P: Pod>(client: Client, variant: Variant) -> Result<(), Box<dyn Error>> {
    let template: Job = serde_json::from_str(include_str!("../../../job.json"))?;
    let (bench_jobs, mut bench_jobs_writer) = reflector::store::<BenchJob>();
    let (nodes, mut nodes_writer) = reflector::store::<Node>();
    let (jobs, mut jobs_writer) = reflector::store::<Job>();
    let (pods, mut pods_writer) = PodCache::<P>::new();
    let progress = Arc::new(Progress::new(KINDS, bench_jobs.clone()));
    let filled = || {
        let progress = progress.clone();
        move || progress.cache_filled()
    };

    let bench_job_events = watch(&client, variant, move |event| bench_jobs_writer.apply_watcher_event(event), filled());
    let node_events = watch(&client, variant, move |event| nodes_writer.apply_watcher_event(event), filled());
    let job_events = watch(&client, variant, move |event| jobs_writer.apply_watcher_event(event), filled());
    let pod_events = watch(&client, variant, move |event| pods_writer.apply(event), filled());

    let mut signals = signal(SignalKind::terminate())?;
    let terminated = async move {
        signals.recv().await;
    }
    .shared();
    let pods_of_nodes = pods.clone();
    let context = Context { client, pods, nodes, jobs, template, progress: progress.clone() };
    let controller = Controller::for_stream(on_own_task(bench_job_events.applied_objects()), bench_jobs)
        .with_config(controller::Config::default().concurrency(CONCURRENCY))
        .watches_stream(on_own_task(pod_events.touched_objects()), |pod| pod.job())
        .watches_stream(on_own_task(node_events.touched_objects()), move |node| {
            pods_of_nodes.jobs_on_node(&node.name_any())
        })
        .owns_stream(on_own_task(job_events.touched_objects()))
        .graceful_shutdown_on(terminated.clone())
        .run(reconcile, retry, Arc::new(context))
        .for_each(|result| {
            // A failure was reported by the error policy; an object that is gone needs nothing.
            if let Ok((bench_job, _)) = result {
                progress.reconciled(&bench_job);
            }
            std::future::ready(())
        });
    tokio::select! {
        () = controller => {}
        () = async { terminated.await; tokio::time::sleep(DRAIN).await } => {}
    }
    Ok(())
}
