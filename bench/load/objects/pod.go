package objects

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"reprise.dev/bench/benchjob"
)

const image = "registry.example.com/team/trainer:2026.11.3"

// Pod is a training pod of the size that clusters have: about 9.9 KB of JSON once it has run.
func Pod(job, number int) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: JobNamespace(job), Name: PodName(job, number),
			Labels: map[string]string{
				benchjob.JobLabel: JobName(job), benchjob.AttemptLabel: "0",
				"app.kubernetes.io/name": "training", "app.kubernetes.io/component": "worker",
				"batch.kubernetes.io/job-completion-index": fmt.Sprint(number),
				"batch.kubernetes.io/job-name":             JobName(job) + "-0",
			},
			Annotations: map[string]string{
				"batch.kubernetes.io/job-completion-index": fmt.Sprint(number),
				"karpenter.sh/do-not-disrupt":              "true",
			},
		},
		Spec: podSpec(job, number),
	}
}

func podSpec(job, number int) corev1.PodSpec {
	no, grace := false, int64(90)
	return corev1.PodSpec{
		NodeName: NodeName(NodeOf(job)), RestartPolicy: corev1.RestartPolicyNever,
		ServiceAccountName: "training", AutomountServiceAccountToken: &no, EnableServiceLinks: &no,
		TerminationGracePeriodSeconds: &grace, Subdomain: JobName(job),
		Hostname:     fmt.Sprintf("%s-%d", JobName(job), number),
		NodeSelector: map[string]string{"karpenter.sh/capacity-type": "spot"},
		Tolerations: []corev1.Toleration{
			{Key: "nvidia.com/gpu", Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoSchedule}},
		InitContainers: []corev1.Container{{Name: "prepare", Image: image, Args: []string{"prepare"},
			Resources: resources("500m", "1Gi", ""), VolumeMounts: mounts()}},
		Containers: []corev1.Container{trainer(job, number), {Name: "agent", Image: image,
			Args: []string{"agent", "--port=9090"}, Resources: resources("50m", "64Mi", ""), VolumeMounts: mounts(),
			Ports: []corev1.ContainerPort{{Name: "metrics", ContainerPort: 9090}}}},
		Volumes: []corev1.Volume{
			{Name: "checkpoints", VolumeSource: corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{
				ClaimName: JobName(job)}}},
			{Name: "shared-memory", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{
				Medium: corev1.StorageMediumMemory}}},
		},
	}
}

func trainer(job, number int) corev1.Container {
	variables := []corev1.EnvVar{
		{Name: "RANK", Value: fmt.Sprint(number)}, {Name: "WORLD_SIZE", Value: fmt.Sprint(PodsPerJob)},
		{Name: "MASTER_ADDR", Value: fmt.Sprintf("%s-0.%s", JobName(job), JobName(job))},
		{Name: "NODE", ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: "spec.nodeName"}}},
	}
	for _, name := range []string{"NCCL_DEBUG", "LOG_LEVEL"} {
		variables = append(variables, corev1.EnvVar{Name: name, Value: "value-of-" + name})
	}
	probe := &corev1.Probe{PeriodSeconds: 10, TimeoutSeconds: 2, ProbeHandler: corev1.ProbeHandler{
		HTTPGet: &corev1.HTTPGetAction{Path: "/ready", Port: intstr.FromInt32(8080)}}}
	return corev1.Container{Name: "trainer", Image: image, Env: variables, VolumeMounts: mounts(),
		Args:      []string{"--config=/etc/training/config.yaml", "--checkpoint-directory=/checkpoints"},
		Resources: resources("4", "24Gi", "1"), ReadinessProbe: probe,
		Ports: []corev1.ContainerPort{{Name: "rendezvous", ContainerPort: 29500}}}
}

func resources(cpu, memory, gpus string) corev1.ResourceRequirements {
	list := corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu), corev1.ResourceMemory: resource.MustParse(memory)}
	limits := corev1.ResourceList{corev1.ResourceMemory: resource.MustParse(memory)}
	if gpus != "" {
		list["nvidia.com/gpu"], limits["nvidia.com/gpu"] = resource.MustParse(gpus), resource.MustParse(gpus)
	}
	return corev1.ResourceRequirements{Requests: list, Limits: limits}
}

func mounts() []corev1.VolumeMount {
	return []corev1.VolumeMount{{Name: "checkpoints", MountPath: "/checkpoints"},
		{Name: "shared-memory", MountPath: "/dev/shm"}}
}

// RunningStatus is what a kubelet writes about a pod that is running well.
func RunningStatus(job, number int) corev1.PodStatus {
	started := metav1.NewTime(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	address := fmt.Sprintf("10.%d.%d.%d", 64+job/4096, job/16%256, job%16*PodsPerJob+number+1)
	status := corev1.PodStatus{Phase: corev1.PodRunning, HostIP: "10.0.0.1", PodIP: address, StartTime: &started,
		HostIPs: []corev1.HostIP{{IP: "10.0.0.1"}}, PodIPs: []corev1.PodIP{{IP: address}},
		QOSClass: corev1.PodQOSBurstable}
	for _, kind := range []corev1.PodConditionType{corev1.PodReadyToStartContainers, corev1.PodInitialized,
		corev1.PodReady, corev1.ContainersReady, corev1.PodScheduled} {
		status.Conditions = append(status.Conditions, corev1.PodCondition{Type: kind, Status: corev1.ConditionTrue,
			LastTransitionTime: started})
	}
	yes := true
	for index, name := range []string{"trainer", "agent"} {
		status.ContainerStatuses = append(status.ContainerStatuses, corev1.ContainerStatus{Name: name, Ready: true,
			Started: &yes, Image: image, ImageID: imageID(), ContainerID: containerID(job, number, index),
			State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: started}}})
	}
	status.InitContainerStatuses = []corev1.ContainerStatus{{Name: "prepare", Ready: true, Started: new(bool), Image: image,
		ImageID: imageID(), ContainerID: containerID(job, number, 2),
		State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{Reason: "Completed",
			StartedAt: started, FinishedAt: started, ContainerID: containerID(job, number, 2)}}}}
	return status
}

func imageID() string {
	return "registry.example.com/team/trainer@sha256:" + fmt.Sprintf("%064x", 0x5eed)
}

func containerID(job, number, container int) string {
	return "containerd://" + fmt.Sprintf("%064x", (job*PodsPerJob+number)*4+container+1)
}
