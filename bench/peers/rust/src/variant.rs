//! How much of each object the caches keep.

use kube::Resource;

#[derive(Clone, Copy, PartialEq, clap::ValueEnum)]
pub enum Variant {
    /// Whole objects
    Default,
    /// Without managedFields
    Stripped,
    /// Pods also cut to metadata, nodeName, phase and conditions
    Slim,
}

impl Variant {
    pub fn trim<K: Resource>(self, object: &mut K) {
        match self {
            Variant::Default => {}
            Variant::Stripped | Variant::Slim => object.meta_mut().managed_fields = None,
        }
    }
}
