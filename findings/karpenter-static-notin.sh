#!/usr/bin/env bash
# Karpenter 1.14.1 (sigs.k8s.io/karpenter, the newest that builds with Go 1.26.8): a NodePool with replicas (static capacity).
#
# A NodePool asks for machines with GPUs, but for none with 8 of them: "Gt 0" and "NotIn 8" on the same label. Karpenter joins both into
# one requirement, by which 8 is out. When it writes the NodeClaim from it, it writes the bound alone: the exclusion is gone and 8 is
# allowed again. The NodeClaim of a static pool has no list of instance types either that would keep the machine out, so the cloud
# provider is free to buy the one that was excluded. With the exclusion alone, or with "In", the NodeClaim says the same as the pool.
#
# Seen on 2026-11-30:
#   NotIn: pool allows 8: false; NodeClaim: [NotIn [8]], allows 8: false, instance types listed: 0
#   In: pool allows 8: false; NodeClaim: [In [1 4]], allows 8: false, instance types listed: 0
#   Gt and NotIn: pool allows 8: false; NodeClaim: [Gte [1]], allows 8: true, instance types listed: 0
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
	"sort"

	core "k8s.io/api/core/v1"
	karpenter "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/controllers/provisioning/scheduling"
	requirements "sigs.k8s.io/karpenter/pkg/scheduling"
)

const count = "karpenter.k8s.aws/instance-gpu-count"

func main() {
	karpenter.WellKnownLabels.Insert(count) // as the provider for AWS does
	type asked = karpenter.NodeSelectorRequirementWithMinValues
	more := asked{Key: count, Operator: core.NodeSelectorOpGt, Values: []string{"0"}}
	not8 := asked{Key: count, Operator: core.NodeSelectorOpNotIn, Values: []string{"8"}}
	either := asked{Key: count, Operator: core.NodeSelectorOpIn, Values: []string{"1", "4"}}
	for _, pool := range []struct {
		name string
		asks []asked
	}{{"NotIn", []asked{not8}}, {"In", []asked{either}}, {"Gt and NotIn", []asked{more, not8}}} {
		var made karpenter.NodePool
		made.Name = "gpus"
		made.Spec.Replicas = new(int64(2))
		made.Spec.Template.Spec.NodeClassRef = &karpenter.NodeClassReference{Group: "karpenter.k8s.aws", Kind: "EC2NodeClass", Name: "gpus"}
		made.Spec.Template.Spec.Requirements = pool.asks
		claim := scheduling.NewNodeClaimTemplate(&made).ToNodeClaim()
		written, types := []string{}, 0
		for _, one := range claim.Spec.Requirements {
			if one.Key == count {
				written = append(written, fmt.Sprint(one.Operator, " ", one.Values))
			}
			if one.Key == core.LabelInstanceTypeStable {
				types += len(one.Values)
			}
		}
		sort.Strings(written)
		allows := func(all []asked) bool {
			return requirements.NewNodeSelectorRequirementsWithMinValues(all...).Get(count).Has("8")
		}
		fmt.Printf("%s: pool allows 8: %v; NodeClaim: %v, allows 8: %v, instance types listed: %d\n",
			pool.name, allows(pool.asks), written, allows(claim.Spec.Requirements), types)
	}
}
G
{
  go mod init pool
  go get sigs.k8s.io/karpenter@v1.14.1
  go mod tidy
} >log 2>&1 || { cat log >&2; exit 2; }

seen=$(go run .)
echo "$seen"
[ "$seen" = "NotIn: pool allows 8: false; NodeClaim: [NotIn [8]], allows 8: false, instance types listed: 0
In: pool allows 8: false; NodeClaim: [In [1 4]], allows 8: false, instance types listed: 0
Gt and NotIn: pool allows 8: false; NodeClaim: [Gte [1]], allows 8: true, instance types listed: 0" ] || {
  echo "it is otherwise by now" >&2
  exit 1
}
