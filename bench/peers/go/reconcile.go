package main

import (
	"context"
	"fmt"
	"strconv"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"reprise.dev/bench/benchjob"
)

type reconciler struct {
	client   client.Client
	template batchv1.Job
	progress *progress
}

func (r *reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	var job benchjob.BenchJob
	if err := r.client.Get(ctx, request.NamespacedName, &job); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	var pods corev1.PodList
	if err := r.client.List(ctx, &pods, client.InNamespace(job.Namespace),
		client.MatchingFields{podsByJob: job.Name}); err != nil {
		return ctrl.Result{}, err
	}
	tainted, err := r.anyNodeTainted(ctx, pods.Items)
	if err != nil {
		return ctrl.Result{}, err
	}
	attempt := nextAttempt(job.Attempt(), pods.Items)
	if err := r.ensureJob(ctx, &job, attempt); err != nil {
		return ctrl.Result{}, err
	}
	if err := r.ensureStatus(ctx, &job, statusOf(&job, attempt, pods.Items, tainted)); err != nil {
		return ctrl.Result{}, err
	}
	r.progress.reconciled(request.NamespacedName)
	return ctrl.Result{}, nil
}

func (r *reconciler) anyNodeTainted(ctx context.Context, pods []corev1.Pod) (bool, error) {
	names := map[string]bool{}
	for i := range pods {
		name := pods[i].Spec.NodeName
		if name == "" || names[name] {
			continue
		}
		names[name] = true
		var node corev1.Node
		if err := r.client.Get(ctx, client.ObjectKey{Name: name}, &node); apierrors.IsNotFound(err) {
			continue
		} else if err != nil {
			return false, err
		}
		for _, taint := range node.Spec.Taints {
			if taint.Key == benchjob.InterruptedBy {
				return true, nil
			}
		}
	}
	return false, nil
}

func (r *reconciler) ensureJob(ctx context.Context, owner *benchjob.BenchJob, attempt int32) error {
	key := client.ObjectKey{Namespace: owner.Namespace, Name: fmt.Sprintf("%s-%d", owner.Name, attempt)}
	var existing batchv1.Job
	if err := r.client.Get(ctx, key, &existing); !apierrors.IsNotFound(err) {
		return err
	}
	wanted := r.template.DeepCopy()
	wanted.Namespace, wanted.Name = key.Namespace, key.Name
	wanted.OwnerReferences = []metav1.OwnerReference{
		*metav1.NewControllerRef(owner, benchjob.GroupVersion.WithKind("BenchJob"))}
	if err := r.client.Create(ctx, wanted); !apierrors.IsAlreadyExists(err) {
		return err
	}
	return nil
}

func (r *reconciler) ensureStatus(ctx context.Context, job *benchjob.BenchJob, wanted *benchjob.Status) error {
	if equality.Semantic.DeepEqual(job.Status, wanted) {
		return nil
	}
	before := job.DeepCopy()
	job.Status = wanted
	return r.client.Status().Patch(ctx, job, client.MergeFrom(before))
}

func nextAttempt(current int32, pods []corev1.Pod) int32 {
	label := strconv.Itoa(int(current))
	for i := range pods {
		if pods[i].Labels[benchjob.AttemptLabel] == label && hasCondition(&pods[i], corev1.DisruptionTarget) {
			return current + 1
		}
	}
	return current
}

func statusOf(job *benchjob.BenchJob, attempt int32, pods []corev1.Pod, tainted bool) *benchjob.Status {
	status := job.Status.DeepCopy()
	if status == nil {
		status = &benchjob.Status{}
	}
	status.Attempt, status.Pods, status.Ready = attempt, int32(len(pods)), 0
	for i := range pods {
		if hasCondition(&pods[i], corev1.PodReady) {
			status.Ready++
		}
	}
	condition := metav1.Condition{Type: benchjob.NodesHealthy, Status: metav1.ConditionTrue, Reason: "Healthy",
		ObservedGeneration: job.Generation}
	if tainted {
		condition.Status, condition.Reason = metav1.ConditionFalse, "Tainted"
	}
	apimeta.SetStatusCondition(&status.Conditions, condition)
	return status
}

func hasCondition(pod *corev1.Pod, kind corev1.PodConditionType) bool {
	for _, condition := range pod.Status.Conditions {
		if condition.Type == kind {
			return condition.Status == corev1.ConditionTrue
		}
	}
	return false
}
