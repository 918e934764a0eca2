package objects

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Node is a GPU node of about 7.4 KB of JSON, as its kubelet registers it.
func Node(number int) *corev1.Node {
	name := NodeName(number)
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{
			"kubernetes.io/hostname": name, "kubernetes.io/arch": "amd64", "kubernetes.io/os": "linux",
			"node.kubernetes.io/instance-type": "g6.2xlarge", "karpenter.sh/capacity-type": "spot",
			"karpenter.sh/nodepool": "gpu", "topology.kubernetes.io/region": "test-region",
			"topology.kubernetes.io/zone":           fmt.Sprintf("test-zone-%c", 'a'+number%3),
			"karpenter.k8s.aws/instance-gpu-name":   "l4",
			"karpenter.k8s.aws/instance-gpu-count":  "1",
			"nvidia.com/gpu.count":                  "1",
			"nvidia.com/gpu.product":                "NVIDIA-L4",
			"karpenter.k8s.aws/instance-memory":     "32768",
			"karpenter.k8s.aws/instance-family":     "g6",
			"karpenter.k8s.aws/instance-cpu":        "8",
			"karpenter.k8s.aws/instance-generation": "6",
			"karpenter.k8s.aws/instance-size":       "2xlarge",
			"karpenter.sh/initialized":              "true",
			"karpenter.sh/registered":               "true",
			"nvidia.com/gpu.family":                 "ada-lovelace",
			"nvidia.com/gpu.memory":                 "23034",
		}, Annotations: map[string]string{
			"node.alpha.kubernetes.io/ttl":                           "0",
			"volumes.kubernetes.io/controller-managed-attach-detach": "true",
			"karpenter.sh/nodepool-hash":                             "1234567890123456789",
		}},
		Spec:   corev1.NodeSpec{ProviderID: fmt.Sprintf("aws:///test-zone-a/i-%017x", number)},
		Status: nodeStatus(number),
	}
}

func nodeStatus(number int) corev1.NodeStatus {
	list := corev1.ResourceList{}
	for name, amount := range map[corev1.ResourceName]string{"cpu": "8", "memory": "32Gi", "pods": "110",
		"ephemeral-storage": "200Gi", "nvidia.com/gpu": "1", "hugepages-1Gi": "0", "hugepages-2Mi": "0"} {
		list[name] = resource.MustParse(amount)
	}
	status := corev1.NodeStatus{Capacity: list, Allocatable: list,
		Addresses: []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: fmt.Sprintf("10.0.%d.%d", number/250, number%250)},
			{Type: corev1.NodeHostName, Address: NodeName(number)}},
		NodeInfo: corev1.NodeSystemInfo{MachineID: fmt.Sprintf("%032x", number), SystemUUID: fmt.Sprintf("%032x", number),
			BootID: fmt.Sprintf("%032x", number), KernelVersion: "6.1.0", OSImage: "Linux", KubeletVersion: "v1.35.4",
			ContainerRuntimeVersion: "containerd://2.0.0", OperatingSystem: "linux", Architecture: "amd64"}}
	at := metav1.NewTime(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	for _, kind := range []corev1.NodeConditionType{corev1.NodeMemoryPressure, corev1.NodeDiskPressure,
		corev1.NodePIDPressure, corev1.NodeReady} {
		state, reason := corev1.ConditionFalse, "KubeletHasNo"+string(kind)
		if kind == corev1.NodeReady {
			state, reason = corev1.ConditionTrue, "KubeletReady"
		}
		status.Conditions = append(status.Conditions, corev1.NodeCondition{Type: kind, Status: state, Reason: reason,
			Message: "kubelet says " + reason, LastHeartbeatTime: at, LastTransitionTime: at})
	}
	for i := range 17 {
		repository := fmt.Sprintf("registry.example.com/team/image-%02d", i)
		status.Images = append(status.Images, corev1.ContainerImage{SizeBytes: int64(i+1) << 24,
			Names: []string{fmt.Sprintf("%s@sha256:%064x", repository, i), repository + ":2026.11.3"}})
	}
	return status
}
