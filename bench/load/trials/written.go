package trials

import (
	"context"
	"fmt"
	"time"

	batchv1 "k8s.io/api/batch/v1"

	"reprise.dev/bench/benchjob"
	"reprise.dev/bench/load/objects"
)

// WrittenResult says how long an operator took to write what a trial asked for.
type WrittenResult struct {
	Trial string `json:"trial"`
	Count int    `json:"count"`
	// AskedSeconds is when the last request of ours was answered, WrittenSeconds when the last
	// Job and the last status of the operator were seen by a watch, both since the first request.
	AskedSeconds   float64 `json:"askedSeconds"`
	WrittenSeconds float64 `json:"writtenSeconds"`
}

// Throughput creates BenchJobs and waits until each has its Job and its status.
func (c *Clients) Throughput(ctx context.Context, count int) (*WrittenResult, error) {
	if err := c.Prepare(ctx); err != nil {
		return nil, err
	}
	name := func(number int) string { return fmt.Sprintf("new-%05d", number) }
	return c.untilWritten(ctx, "throughput", 0, count,
		func(job *batchv1.Job) bool { return job.Namespace == objects.Throughput },
		func(job *benchjob.BenchJob) bool { return job.Namespace == objects.Throughput && job.Status != nil },
		func(ctx context.Context, number int) error {
			_, err := c.createBenchJob(ctx, objects.BenchJob(objects.Throughput, name(number)))
			return err
		})
}

// Storm marks a pod of each of count BenchJobs and waits until each has the Job and the status
// of its second attempt.
func (c *Clients) Storm(ctx context.Context, first, count int) (*WrittenResult, error) {
	return c.untilWritten(ctx, "storm", first, count,
		isSecond,
		func(job *benchjob.BenchJob) bool { return job.Attempt() == 1 },
		c.interruptPod)
}

func (c *Clients) untilWritten(ctx context.Context, trial string, first, count int, jobCounts func(*batchv1.Job) bool,
	statusCounts func(*benchjob.BenchJob) bool, ask func(context.Context, int) error) (*WrittenResult, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	jobs, statuses := newSightings(count), newSightings(count)
	ctx, err := c.watchJobs(ctx, func(job *batchv1.Job) {
		if jobCounts(job) {
			jobs.add(job.Namespace + "/" + job.Name)
		}
	})
	if err != nil {
		return nil, err
	}
	ctx, err = c.watchBenchJobs(ctx, func(job *benchjob.BenchJob) {
		if statusCounts(job) {
			statuses.add(job.Namespace + "/" + job.Name)
		}
	})
	if err != nil {
		return nil, err
	}
	result := &WrittenResult{Trial: trial, Count: count}
	started := time.Now()
	if err := c.each(ctx, first, count, ask); err != nil {
		return nil, err
	}
	result.AskedSeconds = time.Since(started).Seconds()
	if err := jobs.await(ctx, "Jobs"); err != nil {
		return nil, err
	}
	if err := statuses.await(ctx, "statuses"); err != nil {
		return nil, err
	}
	result.WrittenSeconds = time.Since(started).Seconds()
	return result, nil
}
