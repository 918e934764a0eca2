package trials

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// PlainNodes creates nodes that kwok plays, with room for 110 pods each. With pools, node i carries
// the label reprise.dev/pool=p<i modulo pools> and is nobody's to play: it is Ready once and for all.
func (c *Clients) PlainNodes(ctx context.Context, first, count, pools int) (int, error) {
	return count, c.each(ctx, first, count, func(ctx context.Context, number int) error {
		_, err := c.Core.CoreV1().Nodes().Create(ctx, plainNode(number, pools), metav1.CreateOptions{})
		if errors.IsAlreadyExists(err) {
			return nil
		}
		return err
	})
}

func plainNode(number, pools int) *corev1.Node {
	name := fmt.Sprintf("node-%05d", number)
	labels := map[string]string{"kubernetes.io/hostname": name, "kubernetes.io/arch": "amd64", "kubernetes.io/os": "linux",
		"topology.kubernetes.io/zone": fmt.Sprintf("test-zone-%c", 'a'+number%3)}
	capacity := corev1.ResourceList{"cpu": resource.MustParse("64"), "memory": resource.MustParse("512Gi"),
		"pods": resource.MustParse("110")}
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}}
	if pools == 0 {
		labels["kwok-partition"] = "a"
	} else {
		labels["reprise.dev/pool"] = fmt.Sprintf("p%d", number%pools)
		labels["node.kubernetes.io/instance-type"] = "g6.2xlarge"
		capacity["nvidia.com/gpu"] = resource.MustParse("1")
		node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue, Reason: "KubeletReady"}}
	}
	node.Status.Capacity, node.Status.Allocatable = capacity, capacity
	return node
}
