package objects

import (
	"encoding/json"
	"fmt"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"reprise.dev/bench"
	"reprise.dev/bench/benchjob"
)

func BenchJob(namespace, name string) *benchjob.BenchJob {
	parameters := map[string]string{}
	for _, key := range []string{"learning-rate", "warmup-steps", "batch-size", "sequence-length", "optimizer"} {
		parameters[key] = fmt.Sprintf("value-of-%s", key)
	}
	return &benchjob.BenchJob{
		TypeMeta: metav1.TypeMeta{APIVersion: benchjob.GroupVersion.String(), Kind: "BenchJob"},
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name,
			Labels: map[string]string{"app.kubernetes.io/name": "training", "team": "research"}},
		Spec: benchjob.Spec{Image: "registry.example.com/team/trainer:2026.11.3", Workers: PodsPerJob,
			Parameters: parameters},
	}
}

// ReconciledStatus is what an operator leaves on a BenchJob of the data, so that a start over
// such data has nothing to write.
func ReconciledStatus(job *benchjob.BenchJob) *benchjob.Status {
	return &benchjob.Status{Pods: PodsPerJob, Ready: PodsPerJob, Conditions: []metav1.Condition{{
		Type: benchjob.NodesHealthy, Status: metav1.ConditionTrue, Reason: "Healthy",
		ObservedGeneration: job.Generation,
		LastTransitionTime: metav1.NewTime(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)),
	}}}
}

// Job is the Job of a BenchJob's first attempt, as an operator creates it.
func Job(owner *benchjob.BenchJob) (*batchv1.Job, error) {
	var job batchv1.Job
	if err := json.Unmarshal(bench.JobTemplate, &job); err != nil {
		return nil, err
	}
	job.Namespace, job.Name = owner.Namespace, owner.Name+"-0"
	job.OwnerReferences = []metav1.OwnerReference{
		*metav1.NewControllerRef(owner, benchjob.GroupVersion.WithKind("BenchJob"))}
	return &job, nil
}
