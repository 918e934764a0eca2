package trials

import (
	"context"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"reprise.dev/bench/benchjob"
	"reprise.dev/bench/load/objects"
)

// ResetResult counts what had to be brought back.
type ResetResult struct {
	Trial    string `json:"trial"`
	Nodes    int    `json:"nodes"`
	Pods     int    `json:"pods"`
	Jobs     int    `json:"jobs"`
	Statuses int    `json:"statuses"`
	Deleted  int    `json:"deleted"`
}

// Reset brings the data back to how Data made it. No operator may run meanwhile.
func (c *Clients) Reset(ctx context.Context) (*ResetResult, error) {
	result := &ResetResult{Trial: "reset"}
	for _, step := range []func(context.Context, *ResetResult) error{c.resetNodes, c.resetPods, c.resetJobs, c.resetBenchJobs} {
		if err := step(ctx, result); err != nil {
			return nil, err
		}
	}
	return result, nil
}

func (c *Clients) resetNodes(ctx context.Context, result *ResetResult) error {
	nodes, err := c.Core.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	var tainted []corev1.Node
	for _, node := range nodes.Items {
		if len(node.Spec.Taints) > 0 {
			tainted = append(tainted, node)
		}
	}
	result.Nodes = len(tainted)
	return c.each(ctx, 0, len(tainted), func(ctx context.Context, i int) error {
		return c.setTaints(ctx, tainted[i].Name)
	})
}

func (c *Clients) resetPods(ctx context.Context, result *ResetResult) error {
	pods, err := c.Core.CoreV1().Pods("").List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	var changed []corev1.Pod
	for _, pod := range pods.Items {
		if pod.Status.Message != "" || len(pod.Status.Conditions) != len(objects.RunningStatus(0, 0).Conditions) {
			changed = append(changed, pod)
		}
	}
	result.Pods = len(changed)
	return c.each(ctx, 0, len(changed), func(ctx context.Context, i int) error {
		return c.patchPod(ctx, changed[i].Namespace, changed[i].Name, object{"message": nil,
			"conditions": []object{{"$patch": "delete", "type": corev1.DisruptionTarget}}})
	})
}

func (c *Clients) resetJobs(ctx context.Context, result *ResetResult) error {
	jobs, err := c.Core.BatchV1().Jobs("").List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	var extra []batchv1.Job
	for _, job := range jobs.Items {
		if job.Namespace == objects.Throughput || !strings.HasSuffix(job.Name, "-0") {
			extra = append(extra, job)
		}
	}
	result.Jobs = len(extra)
	background := metav1.DeletePropagationBackground
	return c.each(ctx, 0, len(extra), func(ctx context.Context, i int) error {
		err := c.Core.BatchV1().Jobs(extra[i].Namespace).Delete(ctx, extra[i].Name, metav1.DeleteOptions{PropagationPolicy: &background})
		if apierrors.IsNotFound(err) {
			return nil
		}
		return err
	})
}

func (c *Clients) resetBenchJobs(ctx context.Context, result *ResetResult) error {
	var list benchjob.BenchJobList
	if err := c.BenchJobs.Get().Resource("benchjobs").Do(ctx).Into(&list); err != nil {
		return err
	}
	var changed []benchjob.BenchJob
	for _, job := range list.Items {
		if job.Namespace == objects.Throughput || !equality.Semantic.DeepEqual(job.Status, objects.ReconciledStatus(&job)) {
			changed = append(changed, job)
		}
	}
	for i := range changed {
		if changed[i].Namespace == objects.Throughput {
			result.Deleted++
		} else {
			result.Statuses++
		}
	}
	return c.each(ctx, 0, len(changed), func(ctx context.Context, i int) error {
		job := &changed[i]
		if job.Namespace == objects.Throughput {
			return c.BenchJobs.Delete().Namespace(job.Namespace).Resource("benchjobs").Name(job.Name).Do(ctx).Error()
		}
		return c.patchStatus(ctx, job.Namespace, job.Name, objects.ReconciledStatus(job))
	})
}
