// Package benchjob is the kind BenchJob in Go.
package benchjob

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

const (
	JobLabel      = "bench.reprise.dev/job"
	AttemptLabel  = "bench.reprise.dev/attempt"
	InterruptedBy = "bench.reprise.dev/interrupted"
	NodesHealthy  = "NodesHealthy"
)

var GroupVersion = schema.GroupVersion{Group: "bench.reprise.dev", Version: "v1"}

type BenchJob struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   Spec    `json:"spec,omitempty"`
	Status *Status `json:"status,omitempty"`
}

type Spec struct {
	Image      string            `json:"image,omitempty"`
	Workers    int32             `json:"workers,omitempty"`
	Parameters map[string]string `json:"parameters,omitempty"`
}

type Status struct {
	Attempt    int32              `json:"attempt"`
	Pods       int32              `json:"pods"`
	Ready      int32              `json:"ready"`
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

type BenchJobList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []BenchJob `json:"items"`
}

// Attempt is the attempt that the status names: 0 when there is none yet.
func (j *BenchJob) Attempt() int32 {
	if j.Status == nil {
		return 0
	}
	return j.Status.Attempt
}

func AddToScheme(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(GroupVersion, &BenchJob{}, &BenchJobList{})
	metav1.AddToGroupVersion(scheme, GroupVersion)
	return nil
}
