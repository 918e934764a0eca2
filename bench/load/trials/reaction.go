package trials

import (
	"context"
	"strings"
	"sync"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"reprise.dev/bench/benchjob"
	"reprise.dev/bench/load/objects"
)

// ReactionResult says how long after the answer to our request a watch saw the operator's write.
// A watch may be quicker than an answer: times can be below 0.
type ReactionResult struct {
	Trial   string  `json:"trial"`
	Count   int     `json:"count"`
	Seconds float64 `json:"seconds"`
	// Request is how long our own requests took.
	Request Spread `json:"request"`
	// First and Last are the same where one write is awaited.
	First Spread `json:"first"`
	Last  Spread `json:"last"`
	// LastFromSend is Last counted from when our request was sent.
	LastFromSend Spread `json:"lastFromSend"`
}

const interval = 100 * time.Millisecond // 10 trials a second

// ReactionPods marks a pod of each BenchJob, 10 a second, and times the Job of the second attempt.
func (c *Clients) ReactionPods(ctx context.Context, first, count int) (*ReactionResult, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	jobs := newSightings(count)
	ctx, err := c.watchJobs(ctx, func(job *batchv1.Job) {
		if isSecond(job) {
			jobs.add(job.Namespace + "/" + strings.TrimSuffix(job.Name, "-1"))
		}
	})
	if err != nil {
		return nil, err
	}
	return c.react(ctx, "reaction-pods", first, count, jobs, c.interruptPod, func(job int) []int { return []int{job} })
}

// ReactionNodes taints nodes, 10 a second, and times the statuses of the BenchJobs on each.
func (c *Clients) ReactionNodes(ctx context.Context, first, count int) (*ReactionResult, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	statuses := newSightings(count * objects.JobsPerNode)
	ctx, err := c.watchBenchJobs(ctx, func(job *benchjob.BenchJob) {
		if job.Status != nil && apimeta.IsStatusConditionPresentAndEqual(job.Status.Conditions, benchjob.NodesHealthy, metav1.ConditionFalse) {
			statuses.add(job.Namespace + "/" + job.Name)
		}
	})
	if err != nil {
		return nil, err
	}
	taint := func(ctx context.Context, node int) error {
		return c.setTaints(ctx, objects.NodeName(node), corev1.Taint{Key: benchjob.InterruptedBy, Effect: corev1.TaintEffectNoSchedule})
	}
	return c.react(ctx, "reaction-nodes", first, count, statuses, taint, objects.JobsOn)
}

// react asks for something at a steady pace and evaluates when the jobs concerned were seen.
func (c *Clients) react(ctx context.Context, trial string, first, count int, seen *sightings,
	ask func(context.Context, int) error, concerned func(int) []int) (*ReactionResult, error) {
	sent, answered, failures := make([]time.Time, count), make([]time.Time, count), make([]error, count)
	started := time.Now()
	var requests sync.WaitGroup
	for i := range count {
		time.Sleep(time.Until(started.Add(time.Duration(i) * interval)))
		requests.Go(func() {
			sent[i] = time.Now()
			failures[i] = ask(ctx, first+i)
			answered[i] = time.Now()
		})
	}
	requests.Wait()
	for _, err := range failures {
		if err != nil {
			return nil, err
		}
	}
	if err := seen.await(ctx, "writes"); err != nil {
		return nil, err
	}
	result := &ReactionResult{Trial: trial, Count: count, Seconds: time.Since(started).Seconds()}
	var request, earliest, latest, fromSend []time.Duration
	for i := range count {
		var low, high time.Time
		for index, job := range concerned(first + i) {
			at := seen.at(objects.JobNamespace(job) + "/" + objects.JobName(job))
			if index == 0 || at.Before(low) {
				low = at
			}
			if at.After(high) {
				high = at
			}
		}
		request = append(request, answered[i].Sub(sent[i]))
		earliest = append(earliest, low.Sub(answered[i]))
		latest = append(latest, high.Sub(answered[i]))
		fromSend = append(fromSend, high.Sub(sent[i]))
	}
	result.Request, result.First, result.Last = spreadOf(request), spreadOf(earliest), spreadOf(latest)
	result.LastFromSend = spreadOf(fromSend)
	return result, nil
}

func isSecond(job *batchv1.Job) bool {
	return strings.HasPrefix(job.Name, "job-") && strings.HasSuffix(job.Name, "-1")
}
