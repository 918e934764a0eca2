// Package bench holds the files that every sample operator and the load generator share.
package bench

import _ "embed"

// JobTemplate is the Job that a BenchJob asks for, without name, namespace and owner.
//
//go:embed job.json
var JobTemplate []byte

// CRD declares the kind BenchJob.
//
//go:embed crd.json
var CRD []byte
