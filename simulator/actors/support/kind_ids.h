// The kinds that actors read and write, looked up once.
#pragma once

#include "simulator/api_server/api_server.h"

namespace reprise::simulator {

struct KindIds {
  explicit KindIds(const ApiServer& api)
      : pods(api.resource("", "pods")),
        nodes(api.resource("", "nodes")),
        namespaces(api.resource("", "namespaces")),
        events(api.resource("", "events")),
        claims(api.resource("", "persistentvolumeclaims")),
        volumes(api.resource("", "persistentvolumes")),
        storage_classes(api.resource("storage.k8s.io", "storageclasses")),
        volume_attachments(api.resource("storage.k8s.io", "volumeattachments")),
        priority_classes(api.resource("scheduling.k8s.io", "priorityclasses")),
        node_pools(api.resource("karpenter.sh", "nodepools")),
        node_claims(api.resource("karpenter.sh", "nodeclaims")),
        node_overlays(api.resource("karpenter.sh", "nodeoverlays")) {}

  ResourceId pods, nodes, namespaces, events, claims, volumes, storage_classes, volume_attachments, priority_classes;
  ResourceId node_pools, node_claims, node_overlays;
};

}  // namespace reprise::simulator
