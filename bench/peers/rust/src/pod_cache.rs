//! Pods with an index by BenchJob and one by node: the stores of kube-rs have none.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;
use std::sync::{Arc, RwLock};

use kube::runtime::reflector::{Lookup, ObjectRef, Store, store::Writer};
use kube::runtime::watcher::Event;

use crate::bench_job::BenchJob;
use crate::pod::Pod;

/// The reading side. Cheap to clone.
#[derive(Clone)]
pub struct PodCache<P: Pod> {
    store: Store<P>,
    index: Arc<RwLock<Index>>,
}

/// The writing side, fed with every event of the watcher.
pub struct PodCacheWriter<P: Pod> {
    writer: Writer<P>,
    cache: PodCache<P>,
}

/// Namespace and name.
type Key = (Box<str>, Box<str>);

#[derive(Default)]
struct Index {
    pods_of_job: HashMap<Key, HashSet<Box<str>>>,
    pods_on_node: HashMap<Box<str>, HashSet<Key>>,
}

impl<P: Pod> PodCache<P> {
    pub fn new() -> (Self, PodCacheWriter<P>) {
        let writer = Writer::<P>::default();
        let cache = Self { store: writer.as_reader(), index: Arc::default() };
        (cache.clone(), PodCacheWriter { writer, cache })
    }

    pub fn of_job(&self, namespace: &str, name: &str) -> Vec<Arc<P>> {
        let index = self.index.read().unwrap();
        let pods = index.pods_of_job.get(&key(namespace, name));
        pods.into_iter().flatten().filter_map(|pod| self.store.get(&ObjectRef::new(pod).within(namespace))).collect()
    }

    /// The BenchJobs of the pods on a node, each once.
    pub fn jobs_on_node(&self, node: &str) -> HashSet<ObjectRef<BenchJob>> {
        let index = self.index.read().unwrap();
        let pods = index.pods_on_node.get(node);
        pods.into_iter()
            .flatten()
            .filter_map(|(namespace, name)| self.store.get(&ObjectRef::new(name).within(namespace))?.job())
            .collect()
    }
}

impl<P: Pod> PodCacheWriter<P> {
    pub fn apply(&mut self, event: &Event<P>) {
        match event {
            Event::Apply(pod) => {
                let before = self.cache.store.get(&pod.to_object_ref(()));
                self.writer.apply_watcher_event(event);
                let mut index = self.cache.index.write().unwrap();
                if let Some(before) = before {
                    index.remove(&*before);
                }
                index.insert(pod);
            }
            Event::Delete(pod) => {
                let before = self.cache.store.get(&pod.to_object_ref(()));
                self.writer.apply_watcher_event(event);
                if let Some(before) = before {
                    self.cache.index.write().unwrap().remove(&*before);
                }
            }
            Event::Init | Event::InitApply(_) => self.writer.apply_watcher_event(event),
            Event::InitDone => {
                self.writer.apply_watcher_event(event);
                let mut fresh = Index::default();
                for pod in self.cache.store.state() {
                    fresh.insert(&*pod);
                }
                *self.cache.index.write().unwrap() = fresh;
            }
        }
    }
}

impl Index {
    fn insert(&mut self, pod: &impl Pod) {
        let (namespace, name) = pod_key(pod);
        if let Some(job) = pod.job() {
            self.pods_of_job.entry(key(&namespace, &job.name)).or_default().insert(name.clone());
        }
        if let Some(node) = pod.node_name() {
            self.pods_on_node.entry(node.into()).or_default().insert((namespace, name));
        }
    }

    fn remove(&mut self, pod: &impl Pod) {
        let (namespace, name) = pod_key(pod);
        if let Some(job) = pod.job() {
            remove_from(&mut self.pods_of_job, &key(&namespace, &job.name), &name);
        }
        if let Some(node) = pod.node_name() {
            remove_from(&mut self.pods_on_node, &node.into(), &(namespace, name));
        }
    }
}

fn remove_from<K: Eq + Hash, V: Eq + Hash>(sets: &mut HashMap<K, HashSet<V>>, key: &K, value: &V) {
    if let Some(set) = sets.get_mut(key) {
        set.remove(value);
        if set.is_empty() {
            sets.remove(key);
        }
    }
}

fn key(namespace: &str, name: &str) -> Key {
    (namespace.into(), name.into())
}

fn pod_key(pod: &impl Pod) -> Key {
    let meta = pod.meta();
    key(meta.namespace.as_deref().unwrap_or_default(), meta.name.as_deref().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::pod::SlimPod;

    fn pod(name: &str, job: &str, node: &str) -> SlimPod {
        let labels = json!({"bench.reprise.dev/job": job});
        let metadata = json!({"name": name, "namespace": "n", "labels": labels});
        serde_json::from_value(json!({"metadata": metadata, "spec": {"nodeName": node}})).unwrap()
    }

    fn names(cache: &PodCache<SlimPod>, job: &str) -> Vec<String> {
        let mut names: Vec<_> = cache.of_job("n", job).iter().map(|pod| pod_key(&**pod).1.into()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_changed_pod_is_found_where_it_is_now() {
        let (cache, mut writer) = PodCache::new();
        writer.apply(&Event::Apply(pod("p", "a", "x")));
        writer.apply(&Event::Apply(pod("p", "b", "y")));
        assert_eq!((names(&cache, "a"), names(&cache, "b")), (vec![], vec!["p".to_owned()]));
        assert!(cache.jobs_on_node("x").is_empty());
        assert_eq!(cache.jobs_on_node("y"), HashSet::from([ObjectRef::new("b").within("n")]));
    }

    #[test]
    fn a_deleted_pod_leaves_nothing_behind() {
        let (cache, mut writer) = PodCache::new();
        writer.apply(&Event::Apply(pod("p", "a", "x")));
        writer.apply(&Event::Delete(pod("p", "a", "x")));
        let index = cache.index.read().unwrap();
        assert!(index.pods_of_job.is_empty() && index.pods_on_node.is_empty());
    }

    #[test]
    fn a_list_replaces_everything_once_it_is_complete() {
        let (cache, mut writer) = PodCache::new();
        writer.apply(&Event::Apply(pod("old", "a", "x")));
        writer.apply(&Event::Init);
        writer.apply(&Event::InitApply(pod("new", "a", "y")));
        assert_eq!(names(&cache, "a"), ["old"]);
        writer.apply(&Event::InitDone);
        assert_eq!(names(&cache, "a"), ["new"]);
        assert!(cache.jobs_on_node("x").is_empty());
    }
}
