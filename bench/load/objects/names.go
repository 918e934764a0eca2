// Package objects makes the objects that a benchmark runs over: their names say which belong
// together, so that trials find them without asking the API server.
package objects

import "fmt"

const (
	PodsPerJob  = 3
	JobsPerNode = 10

	namespaces = 10
	// Throughput is the namespace in which a trial creates BenchJobs of its own.
	Throughput = "throughput"
)

func Namespaces() []string {
	names := []string{Throughput}
	for i := range namespaces {
		names = append(names, fmt.Sprintf("bench-%d", i))
	}
	return names
}

func JobName(job int) string      { return fmt.Sprintf("job-%05d", job) }
func JobNamespace(job int) string { return fmt.Sprintf("bench-%d", job%namespaces) }
func NodeName(node int) string    { return fmt.Sprintf("node-%04d.compute.internal", node) }
func NodeOf(job int) int          { return job / JobsPerNode }

func PodName(job, pod int) string { return fmt.Sprintf("%s-0-%d", JobName(job), pod) }

// JobsOn are the BenchJobs whose pods are on a node.
func JobsOn(node int) []int {
	jobs := make([]int, JobsPerNode)
	for i := range jobs {
		jobs[i] = node*JobsPerNode + i
	}
	return jobs
}
