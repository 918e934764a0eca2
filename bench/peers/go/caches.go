package main

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func cacheOptions(variant string) (cache.Options, error) {
	strip := cache.TransformStripManagedFields()
	switch variant {
	case "default":
		return cache.Options{}, nil
	case "stripped":
		return cache.Options{DefaultTransform: strip}, nil
	case "slim":
		return cache.Options{
			DefaultTransform: strip,
			ByObject:         map[client.Object]cache.ByObject{&corev1.Pod{}: {Transform: slimPod(strip)}},
		}, nil
	}
	return cache.Options{}, fmt.Errorf("--variant %q is unknown: default, stripped or slim is expected", variant)
}

// slimPod keeps what the reconciler reads: metadata, node, phase and conditions.
func slimPod(strip toolscache.TransformFunc) toolscache.TransformFunc {
	return func(in any) (any, error) {
		out, err := strip(in)
		if pod, ok := out.(*corev1.Pod); ok {
			pod.Spec = corev1.PodSpec{NodeName: pod.Spec.NodeName}
			pod.Status = corev1.PodStatus{Phase: pod.Status.Phase, Conditions: pod.Status.Conditions}
		}
		return out, err
	}
}
