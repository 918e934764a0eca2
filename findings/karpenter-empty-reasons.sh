#!/usr/bin/env bash
# Karpenter 1.14.1 (sigs.k8s.io/karpenter, the newest that builds with Go 1.26.8): a disruption budget of a NodePool with "reasons: []".
#
# A budget of 0 nodes without reasons keeps Karpenter from disrupting any node of the pool, for whatever reason. With an empty list of
# reasons, as a template renders a list that nobody filled, the same budget covers no reason at all. No other budget is there, so the
# number of nodes that may be disrupted at once is the largest that fits an integer of 32 bits. "reasons: null" still blocks. The schema
# of the CRD demands no entry in the list, so nothing turns the manifest away. A cluster that means to leave running trainings alone
# with this budget has no guard at all.
#
# Seen on 2026-11-30 (how many of 20 nodes may be disrupted, by reason):
#   no reasons: Underutilized 0, Empty 0, Drifted 0
#   reasons null: Underutilized 0, Empty 0, Drifted 0
#   reasons []: Underutilized 2147483647, Empty 2147483647, Drifted 2147483647
#   the schema's least number of reasons: none
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
	"time"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	clock "k8s.io/utils/clock/testing"
	"sigs.k8s.io/karpenter/pkg/apis"
	karpenter "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/yaml"
)

func main() {
	for _, budget := range []struct{ name, reasons string }{
		{"no reasons", ""}, {"reasons null", "reasons: null"}, {"reasons []", "reasons: []"},
	} {
		var pool karpenter.NodePool
		text := "spec: {disruption: {consolidateAfter: 1m, budgets: [{nodes: '0', " + budget.reasons + "}]}}"
		if err := yaml.UnmarshalStrict([]byte(text), &pool); err != nil {
			panic(err)
		}
		line := budget.name + ":"
		for at, reason := range []karpenter.DisruptionReason{"Underutilized", "Empty", "Drifted"} {
			allowed, err := pool.GetAllowedDisruptionsByReason(clock.NewFakeClock(time.Now()), 20, reason)
			if err != nil {
				panic(err)
			}
			line += fmt.Sprintf("%s %s %d", map[bool]string{true: ",", false: ""}[at > 0], reason, allowed)
		}
		fmt.Println(line)
	}
	for _, crd := range apis.CRDs {
		if crd.Spec.Names.Kind == "NodePool" {
			var at apiextensions.JSONSchemaProps = *crd.Spec.Versions[0].Schema.OpenAPIV3Schema
			for _, step := range []string{"spec", "disruption", "budgets"} {
				at = at.Properties[step]
			}
			least := "none"
			if min := at.Items.Schema.Properties["reasons"].MinItems; min != nil {
				least = fmt.Sprint(*min)
			}
			fmt.Println("the schema's least number of reasons:", least)
		}
	}
}
G
{
  go mod init budget
  go get sigs.k8s.io/karpenter@v1.14.1
  go mod tidy
} >log 2>&1 || { cat log >&2; exit 2; }

seen=$(go run .)
echo "$seen"
[ "$seen" = "no reasons: Underutilized 0, Empty 0, Drifted 0
reasons null: Underutilized 0, Empty 0, Drifted 0
reasons []: Underutilized 2147483647, Empty 2147483647, Drifted 2147483647
the schema's least number of reasons: none" ] || {
  echo "it is otherwise by now" >&2
  exit 1
}
