package main

import (
	"context"
	"encoding/json"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"reprise.dev/bench"
	"reprise.dev/bench/benchjob"
)

// Names of the field indexes of pods.
const (
	podsByJob  = "job"
	podsByNode = "node"
)

func setUp(ctx context.Context, manager ctrl.Manager, progress *progress) error {
	reconciler := &reconciler{client: manager.GetClient(), progress: progress}
	if err := json.Unmarshal(bench.JobTemplate, &reconciler.template); err != nil {
		return err
	}
	indexer := manager.GetFieldIndexer()
	if err := indexer.IndexField(ctx, &corev1.Pod{}, podsByJob, func(pod client.Object) []string {
		if name := pod.GetLabels()[benchjob.JobLabel]; name != "" {
			return []string{name}
		}
		return nil
	}); err != nil {
		return err
	}
	if err := indexer.IndexField(ctx, &corev1.Pod{}, podsByNode, func(pod client.Object) []string {
		if name := pod.(*corev1.Pod).Spec.NodeName; name != "" {
			return []string{name}
		}
		return nil
	}); err != nil {
		return err
	}
	return ctrl.NewControllerManagedBy(manager).
		For(&benchjob.BenchJob{}).
		Owns(&batchv1.Job{}).
		Watches(&corev1.Pod{}, handler.EnqueueRequestsFromMapFunc(jobOfPod)).
		Watches(&corev1.Node{}, handler.EnqueueRequestsFromMapFunc(reconciler.jobsOnNode)).
		WithOptions(controller.Options{MaxConcurrentReconciles: 8}).
		Complete(reconciler)
}

func jobOfPod(_ context.Context, pod client.Object) []reconcile.Request {
	name := pod.GetLabels()[benchjob.JobLabel]
	if name == "" {
		return nil
	}
	return []reconcile.Request{{NamespacedName: types.NamespacedName{Namespace: pod.GetNamespace(), Name: name}}}
}

func (r *reconciler) jobsOnNode(ctx context.Context, node client.Object) []reconcile.Request {
	var pods corev1.PodList
	if err := r.client.List(ctx, &pods, client.MatchingFields{podsByNode: node.GetName()}); err != nil {
		ctrl.LoggerFrom(ctx).Error(err, "pods of a node could not be listed", "node", node.GetName())
		return nil
	}
	var requests []reconcile.Request
	for i := range pods.Items {
		requests = append(requests, jobOfPod(ctx, &pods.Items[i])...)
	}
	return requests
}
