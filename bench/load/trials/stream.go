package trials

import (
	"context"
	"fmt"
	"time"

	"reprise.dev/bench/load/objects"
)

// StreamResult says how many events a stream has made.
type StreamResult struct {
	Trial   string  `json:"trial"`
	Events  int     `json:"events"`
	Seconds float64 `json:"seconds"`
	// Rate is what was reached, in events a second; below the wanted one when the API server was too slow.
	Rate float64 `json:"rate"`
}

// Stream changes the status of pods at a steady pace in a way that asks nothing of an operator.
// It goes round the pods of jobs BenchJobs from first on.
func (c *Clients) Stream(ctx context.Context, first, jobs, rate int, length time.Duration) (*StreamResult, error) {
	events := int(length.Seconds() * float64(rate))
	started := time.Now()
	err := c.each(ctx, 0, events, func(ctx context.Context, number int) error {
		time.Sleep(time.Until(started.Add(time.Duration(number) * time.Second / time.Duration(rate))))
		job, pod := first+number%jobs, number/jobs%objects.PodsPerJob
		return c.patchPod(ctx, objects.JobNamespace(job), objects.PodName(job, pod),
			object{"message": fmt.Sprintf("step %d", number)})
	})
	if err != nil {
		return nil, err
	}
	seconds := time.Since(started).Seconds()
	return &StreamResult{"stream", events, seconds, float64(events) / seconds}, nil
}
