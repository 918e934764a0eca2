package trials

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"

	"reprise.dev/bench"
	"reprise.dev/bench/benchjob"
	"reprise.dev/bench/load/objects"
)

// DataResult is what Data has created.
type DataResult struct {
	Nodes   int     `json:"nodes"`
	Jobs    int     `json:"jobs"`
	Pods    int     `json:"pods"`
	Seconds float64 `json:"seconds"`
}

// Prepare creates the kind and the namespaces, if they are missing.
func (c *Clients) Prepare(ctx context.Context) error {
	err := c.BenchJobs.Post().AbsPath("/apis/apiextensions.k8s.io/v1/customresourcedefinitions").
		SetHeader("Content-Type", "application/json").Body(bench.CRD).Do(ctx).Error()
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("creating the kind: %w", err)
	}
	for _, name := range objects.Namespaces() {
		namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
		_, err := c.Core.CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{})
		if err != nil && !apierrors.IsAlreadyExists(err) {
			return err
		}
	}
	return wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
		return c.BenchJobs.Get().Resource("benchjobs").Do(ctx).Error() == nil, nil
	})
}

// Data creates nodes and BenchJobs from the given numbers on. Each BenchJob comes with its
// pods, its Job and its status, as if an operator had reconciled it.
func (c *Clients) Data(ctx context.Context, firstNode, nodes, firstJob, jobs int) (*DataResult, error) {
	started := time.Now()
	if err := c.Prepare(ctx); err != nil {
		return nil, err
	}
	if err := c.each(ctx, firstNode, nodes, c.createNode); err != nil {
		return nil, err
	}
	if err := c.each(ctx, firstJob, jobs, c.createReconciled); err != nil {
		return nil, err
	}
	return &DataResult{nodes, jobs, jobs * objects.PodsPerJob, time.Since(started).Seconds()}, nil
}

func (c *Clients) createNode(ctx context.Context, number int) error {
	_, err := c.Core.CoreV1().Nodes().Create(ctx, objects.Node(number), metav1.CreateOptions{FieldManager: "kubelet"})
	return err
}

func (c *Clients) createReconciled(ctx context.Context, number int) error {
	created, err := c.createBenchJob(ctx, objects.BenchJob(objects.JobNamespace(number), objects.JobName(number)))
	if err != nil {
		return err
	}
	job, err := objects.Job(created)
	if err != nil {
		return err
	}
	if _, err := c.Core.BatchV1().Jobs(job.Namespace).Create(ctx, job, metav1.CreateOptions{FieldManager: "operator"}); err != nil {
		return err
	}
	for pod := range objects.PodsPerJob {
		if err := c.createRunning(ctx, number, pod); err != nil {
			return err
		}
	}
	return c.patchStatus(ctx, created.Namespace, created.Name, objects.ReconciledStatus(created))
}

func (c *Clients) createBenchJob(ctx context.Context, job *benchjob.BenchJob) (*benchjob.BenchJob, error) {
	created := &benchjob.BenchJob{}
	err := c.BenchJobs.Post().Namespace(job.Namespace).Resource("benchjobs").
		Param("fieldManager", "bench-load").Body(job).Do(ctx).Into(created)
	return created, err
}

func (c *Clients) createRunning(ctx context.Context, job, number int) error {
	pods := c.Core.CoreV1().Pods(objects.JobNamespace(job))
	pod, err := pods.Create(ctx, objects.Pod(job, number), metav1.CreateOptions{FieldManager: "kube-controller-manager"})
	if err != nil {
		return err
	}
	pod.Status = objects.RunningStatus(job, number)
	_, err = pods.UpdateStatus(ctx, pod, metav1.UpdateOptions{FieldManager: "kubelet"})
	return err
}
