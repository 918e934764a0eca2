//! Says on standard output when the caches are filled and when every BenchJob in them has been reconciled once.

use std::collections::HashSet;
use std::io::Write;
use std::sync::Mutex;

use kube::runtime::reflector::{ObjectRef, Store};
use tokio::sync::watch;

use crate::bench_job::BenchJob;

pub struct Progress {
    jobs: Store<BenchJob>,
    state: Mutex<State>,
    synced: watch::Sender<bool>,
}

struct State {
    caches_to_fill: usize,
    /// None once said.
    unreconciled: Option<HashSet<ObjectRef<BenchJob>>>,
    count: usize,
}

impl Progress {
    pub fn new(caches: usize, jobs: Store<BenchJob>) -> Self {
        let state = State { caches_to_fill: caches, unreconciled: None, count: 0 };
        Self { jobs, state: Mutex::new(state), synced: watch::Sender::new(false) }
    }

    /// To be called once for each cache.
    pub fn cache_filled(&self) {
        let mut state = self.state.lock().unwrap();
        state.caches_to_fill -= 1;
        if state.caches_to_fill > 0 {
            return;
        }
        let jobs: HashSet<_> = self.jobs.state().iter().map(|job| ObjectRef::from_obj(&**job)).collect();
        state.count = jobs.len();
        say("synced", state.count);
        state.unreconciled = Some(jobs);
        state.say_if_reconciled();
        self.synced.send_replace(true);
    }

    /// Ends when all caches are filled. Any number of tasks may wait: Store::wait_until_ready, in contrast, keeps
    /// the waker of the latest one only, and the controller itself already waits there.
    pub async fn caches_filled(&self) {
        // The sender lives as long as self does: there is no other way to fail.
        let _ = self.synced.subscribe().wait_for(|synced| *synced).await;
    }

    pub fn reconciled(&self, job: &ObjectRef<BenchJob>) {
        let mut state = self.state.lock().unwrap();
        if let Some(unreconciled) = &mut state.unreconciled {
            unreconciled.remove(job);
            state.say_if_reconciled();
        }
    }
}

impl State {
    fn say_if_reconciled(&mut self) {
        if self.unreconciled.as_ref().is_some_and(HashSet::is_empty) {
            self.unreconciled = None;
            say("reconciled", self.count);
        }
    }
}

fn say(event: &str, count: usize) {
    let mut out = std::io::stdout().lock();
    // Whoever started the operator may have stopped reading. That is no reason to end.
    let _ = writeln!(out, r#"{{"event":"{event}","count":{count}}}"#).and_then(|()| out.flush());
}
