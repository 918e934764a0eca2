// Karpenter with kwok's provider, whose machines are Nodes: where one is being deleted, it says that there is no such machine.
// With KNOWN_INSTANCES=true a machine is known for as long as its NodeClaim is, as a cloud knows it (known_instances.go).
package main

import (
	"os"

	"sigs.k8s.io/controller-runtime/pkg/log"
	kwok "sigs.k8s.io/karpenter/kwok/cloudprovider"
	"sigs.k8s.io/karpenter/pkg/cloudprovider"
	"sigs.k8s.io/karpenter/pkg/cloudprovider/overlay"
	"sigs.k8s.io/karpenter/pkg/controllers"
	"sigs.k8s.io/karpenter/pkg/controllers/state"
	"sigs.k8s.io/karpenter/pkg/operator"
)

func main() {
	ctx, op := operator.NewOperator()
	types, err := kwok.ConstructInstanceTypes(ctx)
	if err != nil {
		log.FromContext(ctx).Error(err, "the instance types cannot be read")
		os.Exit(1)
	}
	var provider cloudprovider.CloudProvider = kwok.NewCloudProvider(ctx, op.GetClient(), types)
	if os.Getenv("KNOWN_INSTANCES") == "true" {
		provider = knownInstances{CloudProvider: provider, client: op.GetClient()}
	}
	decorated := overlay.Decorate(provider, op.GetClient(), op.InstanceTypeStore)
	cluster := state.NewCluster(op.Clock, op.GetClient(), decorated)
	op.WithControllers(ctx, controllers.NewControllers(ctx, op.Manager, op.Clock, op.GetClient(), op.EventRecorder, decorated,
		provider, cluster, op.InstanceTypeStore)...).Start(ctx)
}
