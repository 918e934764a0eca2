package trials

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	toolswatch "k8s.io/client-go/tools/watch"

	"reprise.dev/bench/benchjob"
)

// sightings remembers when something awaited was first seen. Safe for use by many goroutines.
type sightings struct {
	mutex  sync.Mutex
	seen   map[string]time.Time
	wanted int
	all    chan struct{}
}

func newSightings(wanted int) *sightings {
	return &sightings{seen: map[string]time.Time{}, wanted: wanted, all: make(chan struct{})}
}

func (s *sightings) add(key string) {
	now := time.Now()
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if _, known := s.seen[key]; known {
		return
	}
	s.seen[key] = now
	if len(s.seen) == s.wanted {
		close(s.all)
	}
}

// at is when key was seen. Only to be asked once await has returned.
func (s *sightings) at(key string) time.Time {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.seen[key]
}

const timeout = 30 * time.Second

// await returns once everything wanted was seen. It gives up when nothing new was seen for long.
func (s *sightings) await(ctx context.Context, what string) error {
	for before := -1; ; {
		select {
		case <-s.all:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(timeout):
		}
		s.mutex.Lock()
		seen := len(s.seen)
		s.mutex.Unlock()
		if seen == before {
			return fmt.Errorf("%d of %d %s were seen, and no more of them for %v", seen, s.wanted, what, timeout)
		}
		before = seen
	}
}

// watchJobs calls seen for each Job that is there or comes to be after this call. A watch that
// breaks cancels the context it returns.
func (c *Clients) watchJobs(ctx context.Context, seen func(*batchv1.Job)) (context.Context, error) {
	list, err := c.Core.BatchV1().Jobs("").List(ctx, metav1.ListOptions{Limit: 1})
	if err != nil {
		return nil, err
	}
	return follow(ctx, list.ResourceVersion, c.Core.BatchV1().Jobs("").Watch, func(event watch.Event) {
		if job, ok := event.Object.(*batchv1.Job); ok && event.Type == watch.Added {
			seen(job)
		}
	})
}

// watchBenchJobs calls seen for each BenchJob that changes after this call.
func (c *Clients) watchBenchJobs(ctx context.Context, seen func(*benchjob.BenchJob)) (context.Context, error) {
	var list benchjob.BenchJobList
	if err := c.BenchJobs.Get().Resource("benchjobs").Param("limit", "1").Do(ctx).Into(&list); err != nil {
		return nil, err
	}
	return follow(ctx, list.ResourceVersion, c.openBenchJobs, func(event watch.Event) {
		if job, ok := event.Object.(*benchjob.BenchJob); ok {
			seen(job)
		}
	})
}

func (c *Clients) openBenchJobs(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
	return c.BenchJobs.Get().Resource("benchjobs").Param("watch", "true").
		Param("allowWatchBookmarks", "true").Param("resourceVersion", options.ResourceVersion).Watch(ctx)
}

// follow goes on where a watch ended: a busy API server closes the watches of who reads too slowly.
func follow(ctx context.Context, version string, open cache.WatchFuncWithContext,
	handle func(watch.Event)) (context.Context, error) {
	watcher, err := toolswatch.NewRetryWatcherWithContext(ctx, version, &cache.ListWatch{WatchFuncWithContext: open})
	if err != nil {
		return nil, err
	}
	watched, cancel := context.WithCancelCause(ctx)
	go func() {
		defer watcher.Stop()
		for event := range watcher.ResultChan() {
			if event.Type == watch.Error {
				cancel(fmt.Errorf("a watch broke: %v", event.Object))
				return
			}
			handle(event)
		}
		cancel(errors.New("a watch ended"))
	}()
	return watched, nil
}
