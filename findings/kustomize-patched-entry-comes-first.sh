#!/usr/bin/env bash
# Kustomize (sigs.k8s.io/kustomize/api 0.21.2, the newest that builds with Go 1.26.8) and Kubernetes 1.37.2: a patch of one variable.
#
# A pod sets RUN, and after it CHECKPOINTS to /data/$(RUN). A patch for a cluster with a faster disk changes one value: CHECKPOINTS is
# /fast/$(RUN) there. Kustomize puts each entry that a patch names in front of those it does not name, also an entry that was there
# before. Kubernetes fills in a reference to a variable that stands earlier in the list, and leaves any other as it is, so that the
# training gets "/fast/$(RUN)", letter by letter. So does each run of that cluster, and they all save to one folder and resume from one
# another. Init containers move likewise: the one whose image is patched runs first, so the restore comes before the mount that it reads
# from. "kubectl patch" with the same patch leaves every entry at its place. A patch that names all that comes before as well is right.
#
# Seen on 2026-12-01:
#   kubectl patch: RUN CHECKPOINTS, the training saves to /fast/r7; init containers: mount restore
#   kustomize: CHECKPOINTS RUN, the training saves to /fast/$(RUN); init containers: restore mount
#   kustomize, all named: RUN CHECKPOINTS, the training saves to /fast/r7; init containers: mount restore
#
# Needs Go 1.26.8 or newer; the first build takes some minutes. Exit code 1 when it is otherwise.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

cat >main.go <<'G'
package main

import (
	"fmt"
	"strings"

	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/kubernetes/third_party/forked/golang/expansion"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"
)

const head = `
apiVersion: v1
kind: Pod
metadata: {name: training}
spec:
`
const pod = head + `
  initContainers: [{name: mount, image: mount:1}, {name: restore, image: restore:1}]
  containers:
  - name: training
    image: training:1
    env: [{name: RUN, value: r7}, {name: CHECKPOINTS, value: /data/$(RUN)}]
`
const patch = head + `
  initContainers: [{name: restore, image: restore:2}]
  containers:
  - name: training
    env: [{name: CHECKPOINTS, value: /fast/$(RUN)}]
`
const named = head + `
  initContainers: [{name: mount}, {name: restore, image: restore:2}]
  containers:
  - name: training
    env: [{name: RUN, value: r7}, {name: CHECKPOINTS, value: /fast/$(RUN)}]
`

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func kustomized(patch string) []byte {
	files := filesys.MakeFsInMemory()
	for name, text := range map[string]string{
		"pod.yaml": pod, "patch.yaml": patch, "kustomization.yaml": "resources: [pod.yaml]\npatches: [{path: patch.yaml}]\n",
	} {
		if err := files.WriteFile("/fast/"+name, []byte(text)); err != nil {
			panic(err)
		}
	}
	return must(must(krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(files, "/fast")).AsYaml())
}

func shown(what string, text []byte) {
	var made core.Pod
	if err := yaml.UnmarshalStrict(text, &made); err != nil {
		panic(err)
	}
	var names, first []string
	known := map[string]string{}
	for _, one := range made.Spec.Containers[0].Env { // as the kubelet goes through them
		known[one.Name] = expansion.Expand(one.Value, expansion.MappingFuncFor(known))
		names = append(names, one.Name)
	}
	for _, one := range made.Spec.InitContainers {
		first = append(first, one.Name)
	}
	fmt.Printf("%s: %s, the training saves to %s; init containers: %s\n",
		what, strings.Join(names, " "), known["CHECKPOINTS"], strings.Join(first, " "))
}

func main() {
	before, change := must(yaml.YAMLToJSON([]byte(pod))), must(yaml.YAMLToJSON([]byte(patch)))
	shown("kubectl patch", must(strategicpatch.StrategicMergePatch(before, change, core.Pod{})))
	shown("kustomize", kustomized(patch))
	shown("kustomize, all named", kustomized(named))
}
G
{
  go mod init patch
  go mod download k8s.io/kubernetes@v1.37.2
  sed -n 's/^\t\(k8s.io[^ ]*\) => .*/-replace=\1=\1@v0.37.2/p' "$(go env GOMODCACHE)/cache/download/k8s.io/kubernetes/@v/v1.37.2.mod" |
    xargs go mod edit
  go mod edit -require k8s.io/kubernetes@v1.37.2 -require sigs.k8s.io/kustomize/api@v0.21.2 -require sigs.k8s.io/kustomize/kyaml@v0.21.2
  go mod tidy
  go build -o patch .
} >log 2>&1 || { cat log >&2; exit 2; }

seen=$(./patch)
echo "$seen"
# shellcheck disable=SC2016 # the reference stays as it is
[ "$seen" = 'kubectl patch: RUN CHECKPOINTS, the training saves to /fast/r7; init containers: mount restore
kustomize: CHECKPOINTS RUN, the training saves to /fast/$(RUN); init containers: restore mount
kustomize, all named: RUN CHECKPOINTS, the training saves to /fast/r7; init containers: mount restore' ] || {
  echo "it is otherwise by now" >&2
  exit 1
}
