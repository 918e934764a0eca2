#!/usr/bin/env bash
# Kubernetes 1.37's custom resources (k8s.io/apiextensions-apiserver 0.37.2): a string of "format: duration" and a rule in CEL.
#
# The format lets days, weeks and fractions through, and a rule sees the field as a duration. The digits before the point are lost on the
# way: "1.5d" is five days to the rule, "0.5 hours" five hours and "2.25 weeks" 25 weeks. "1.5h", which Go's own parser knows, is right.
# A rule that checkpoints be kept for two days at least refuses "36h" and takes "1.5d", and one that a training may stand still for an
# hour at most refuses "0.5 hours". go-openapi/strfmt 0.27.4, where that code came from, reads the same text as it is meant, so an
# operator that parses its field with strfmt is at odds with the rules of its own resource.
#
# Seen on 2026-11-30:
#   36h: format ok, CEL sees 129600s, 48h at least: refused, 1h at most: refused; strfmt: 36h0m0s
#   1.5h: format ok, CEL sees 5400s, 48h at least: refused, 1h at most: refused; strfmt: 1h30m0s
#   1d: format ok, CEL sees 86400s, 48h at least: refused, 1h at most: refused; strfmt: 24h0m0s
#   1.5d: format ok, CEL sees 432000s, 48h at least: ok, 1h at most: refused; strfmt: 36h0m0s
#   0.5 hours: format ok, CEL sees 18000s, 48h at least: refused, 1h at most: refused; strfmt: 30m0s
#   2.25 weeks: format ok, CEL sees 15120000s, 48h at least: ok, 1h at most: refused; strfmt: 378h0m0s
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

	"github.com/go-openapi/strfmt"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	limits "k8s.io/apiserver/pkg/apis/cel"
)

// The message of the first rule that fails, or "" when the value is fine.
func refusal(text string, rules ...apiextensions.ValidationRule) string {
	field := apiextensions.JSONSchemaProps{Type: "string", Format: "duration", XValidations: rules}
	props := apiextensions.JSONSchemaProps{Type: "object", Properties: map[string]apiextensions.JSONSchemaProps{"field": field}}
	object := map[string]any{"field": text}
	structural, err := schema.NewStructural(&props)
	if err != nil {
		panic(err)
	}
	validator, _, err := validation.NewSchemaValidator(&props)
	if err != nil {
		panic(err)
	}
	found := validation.ValidateCustomResource(nil, object, validator)
	if len(rules) > 0 {
		byRule, _ := cel.NewValidator(structural, true, limits.PerCallLimit).
			Validate(context.Background(), nil, structural, object, nil, limits.RuntimeCELCostBudget)
		found = append(found, byRule...)
	}
	if len(found) == 0 {
		return ""
	}
	return found[0].Detail
}

func verdict(refused string) string {
	return map[bool]string{true: "ok", false: "refused"}[refused == ""]
}

func main() {
	for _, text := range []string{"36h", "1.5h", "1d", "1.5d", "0.5 hours", "2.25 weeks"} {
		inGo, err := strfmt.ParseDuration(text)
		if err != nil {
			panic(err)
		}
		fmt.Printf("%s: format %s, CEL sees %s, 48h at least: %s, 1h at most: %s; strfmt: %s\n", text, verdict(refusal(text)),
			refusal(text, apiextensions.ValidationRule{Rule: "self < duration('0s')", MessageExpression: "string(self)"}),
			verdict(refusal(text, apiextensions.ValidationRule{Rule: "self >= duration('48h')"})),
			verdict(refusal(text, apiextensions.ValidationRule{Rule: "self <= duration('1h')"})), inGo)
	}
}
G
{
  go mod init durations
  go get k8s.io/apiextensions-apiserver@v0.37.2 k8s.io/apiserver@v0.37.2 github.com/go-openapi/strfmt@v0.27.4
  go mod tidy
} >log 2>&1 || { cat log >&2; exit 2; }

seen=$(go run .)
echo "$seen"
[ "$seen" = "36h: format ok, CEL sees 129600s, 48h at least: refused, 1h at most: refused; strfmt: 36h0m0s
1.5h: format ok, CEL sees 5400s, 48h at least: refused, 1h at most: refused; strfmt: 1h30m0s
1d: format ok, CEL sees 86400s, 48h at least: refused, 1h at most: refused; strfmt: 24h0m0s
1.5d: format ok, CEL sees 432000s, 48h at least: ok, 1h at most: refused; strfmt: 36h0m0s
0.5 hours: format ok, CEL sees 18000s, 48h at least: refused, 1h at most: refused; strfmt: 30m0s
2.25 weeks: format ok, CEL sees 15120000s, 48h at least: ok, 1h at most: refused; strfmt: 378h0m0s" ] || {
  echo "it is otherwise by now" >&2
  exit 1
}
