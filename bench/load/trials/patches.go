package trials

import (
	"context"
	"encoding/json"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"reprise.dev/bench/benchjob"
	"reprise.dev/bench/load/objects"
)

type object = map[string]any

func (c *Clients) patchStatus(ctx context.Context, namespace, name string, status *benchjob.Status) error {
	body, err := json.Marshal(object{"status": status})
	if err != nil {
		return err
	}
	return c.BenchJobs.Patch(types.MergePatchType).Namespace(namespace).Resource("benchjobs").Name(name).
		SubResource("status").Param("fieldManager", "operator").Body(body).Do(ctx).Error()
}

// patchPod merges a status into that of a pod, as its kubelet does.
func (c *Clients) patchPod(ctx context.Context, namespace, name string, status object) error {
	body, err := json.Marshal(object{"status": status})
	if err != nil {
		return err
	}
	_, err = c.Core.CoreV1().Pods(namespace).Patch(ctx, name, types.StrategicMergePatchType, body,
		metav1.PatchOptions{FieldManager: "kubelet"}, "status")
	return err
}

// interruptPod marks the first pod of a BenchJob as about to be disrupted.
func (c *Clients) interruptPod(ctx context.Context, job int) error {
	return c.patchPod(ctx, objects.JobNamespace(job), objects.PodName(job, 0), object{"conditions": []object{{
		"type": corev1.DisruptionTarget, "status": "True", "reason": "TerminationByKubelet", "message": "",
		"lastTransitionTime": time.Now().UTC().Format(time.RFC3339)}}})
}

func (c *Clients) setTaints(ctx context.Context, node string, taints ...corev1.Taint) error {
	body, err := json.Marshal(object{"spec": object{"taints": taints}})
	if err != nil {
		return err
	}
	_, err = c.Core.CoreV1().Nodes().Patch(ctx, node, types.MergePatchType, body, metav1.PatchOptions{FieldManager: "bench-load"})
	return err
}
