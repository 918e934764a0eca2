package benchjob

import (
	"maps"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

func (in *BenchJob) DeepCopyInto(out *BenchJob) {
	*out = *in
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	out.Spec.Parameters = maps.Clone(in.Spec.Parameters)
	out.Status = in.Status.DeepCopy()
}

func (in *BenchJob) DeepCopy() *BenchJob {
	if in == nil {
		return nil
	}
	out := new(BenchJob)
	in.DeepCopyInto(out)
	return out
}

func (in *BenchJob) DeepCopyObject() runtime.Object { return in.DeepCopy() }

func (in *Status) DeepCopy() *Status {
	if in == nil {
		return nil
	}
	out := *in
	if in.Conditions != nil {
		out.Conditions = make([]metav1.Condition, len(in.Conditions))
		for i := range in.Conditions {
			in.Conditions[i].DeepCopyInto(&out.Conditions[i])
		}
	}
	return &out
}

func (in *BenchJobList) DeepCopyObject() runtime.Object {
	out := &BenchJobList{TypeMeta: in.TypeMeta}
	in.ListMeta.DeepCopyInto(&out.ListMeta)
	if in.Items != nil {
		out.Items = make([]BenchJob, len(in.Items))
		for i := range in.Items {
			in.Items[i].DeepCopyInto(&out.Items[i])
		}
	}
	return out
}
