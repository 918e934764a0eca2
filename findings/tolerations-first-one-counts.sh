#!/usr/bin/env bash
# Kubernetes 1.37.2 (k8s.io/kubernetes, its controller for evictions by taints, with client-go's fake client): the order of tolerations.
#
# A training's pod tolerates every taint forever ("operator: Exists"), and it has another toleration for unreachable nodes, with a limit,
# as a template or an admission hook adds one. When its node is unreachable, the first toleration in the pod's list that matches the
# taint decides, and the others are not looked at. With the limit first, the pod is evicted at the limit, though it tolerates the taint
# forever one entry below; with the limit last, the limit means nothing and the pod stays on a lost node. Of two limits, neither
# the longer nor the shorter counts, but the first. So a longer toleration for a training, put behind the short one of the template,
# gives it no second more to save, and a tool that sorts the list or puts its own entry in front changes when pods are evicted.
#
# Seen on 2026-11-30 (a node with the taint node.kubernetes.io/unreachable:NoExecute, watched for 9 seconds):
#   forever, then 2 s: not evicted
#   2 s, then forever: evicted after 2 s
#   6 s, then 2 s: evicted after 6 s
#   2 s, then 6 s: evicted after 2 s
#
# Needs Go 1.26.8 or newer; the first build takes some minutes. Exit code 1 when it is otherwise.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

cat >main.go <<'G'
package main

import (
	"context"
	"fmt"
	"time"

	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/kubernetes/pkg/controller/tainteviction"
)

func evicted(tolerations ...core.Toleration) string {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	node := &core.Node{ObjectMeta: meta.ObjectMeta{Name: "gpu"}}
	node.Spec.Taints = []core.Taint{{Key: core.TaintNodeUnreachable, Effect: core.TaintEffectNoExecute}}
	pod := &core.Pod{ObjectMeta: meta.ObjectMeta{Name: "training", Namespace: "default"}}
	pod.Spec = core.PodSpec{NodeName: "gpu", Tolerations: tolerations}

	client := fake.NewClientset(node, pod)
	factory := informers.NewSharedInformerFactory(client, 0)
	controller, err := tainteviction.New(ctx, client, factory.Core().V1().Pods(), factory.Core().V1().Nodes(), "evictions")
	if err != nil {
		panic(err)
	}
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	go controller.Run(ctx)
	for start := time.Now(); time.Since(start) < 9*time.Second; time.Sleep(50 * time.Millisecond) {
		if _, err := client.CoreV1().Pods("default").Get(ctx, "training", meta.GetOptions{}); err != nil {
			return map[bool]string{true: "evicted after 2 s", false: "evicted after 6 s"}[time.Since(start) < 6*time.Second]
		}
	}
	return "not evicted"
}

func limit(seconds int64) core.Toleration {
	return core.Toleration{Key: core.TaintNodeUnreachable, Operator: core.TolerationOpExists, TolerationSeconds: &seconds,
		Effect: core.TaintEffectNoExecute}
}

func main() {
	forever := core.Toleration{Operator: core.TolerationOpExists}
	fmt.Println("forever, then 2 s:", evicted(forever, limit(2)))
	fmt.Println("2 s, then forever:", evicted(limit(2), forever))
	fmt.Println("6 s, then 2 s:", evicted(limit(6), limit(2)))
	fmt.Println("2 s, then 6 s:", evicted(limit(2), limit(6)))
}
G
{
  go mod init tolerations
  go mod download k8s.io/kubernetes@v1.37.2
  sed -n 's/^\t\(k8s.io[^ ]*\) => .*/-replace=\1=\1@v0.37.2/p' "$(go env GOMODCACHE)/cache/download/k8s.io/kubernetes/@v/v1.37.2.mod" |
    xargs go mod edit
  go mod edit -require k8s.io/kubernetes@v1.37.2
  go mod tidy
  go build -o tolerations .
} >log 2>&1 || { cat log >&2; exit 2; }

seen=$(./tolerations 2>>log)
echo "$seen"
[ "$seen" = "forever, then 2 s: not evicted
2 s, then forever: evicted after 2 s
6 s, then 2 s: evicted after 6 s
2 s, then 6 s: evicted after 2 s" ] || {
  echo "it is otherwise by now" >&2
  exit 1
}
