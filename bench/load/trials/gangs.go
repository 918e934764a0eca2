package trials

import (
	"bytes"
	"context"
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// Gangs are jobs of any kind that own pods; what a contender's look like is said by whoever calls.
type Gangs struct {
	Clients   *Clients
	Manifest  []byte // an object in JSON; NAME in it becomes the job's name
	Path      string // where such objects are created, e.g. /apis/GROUP/VERSION/namespaces/NAMESPACE/PLURAL
	Namespace string
	Label     string // label of a pod that holds the name of its job
	Required  string // a pod without this label is not one of the job's ranks
	Ranks     int
}

// GangName is the name of the job of that number.
func GangName(number int) string { return fmt.Sprintf("job-%05d", number) }

// Started tells how long jobs took from the answer to their creation.
type Started struct {
	Exist   Spread  `json:"exist"`   // until all their pods exist, ms
	Run     Spread  `json:"run"`     // until all their pods run, ms
	Seconds float64 `json:"seconds"` // from the first creation until all run
}

// Replaced tells how long jobs took from the end of a pod that was deleted.
type Replaced struct {
	Exist   Spread  `json:"exist"`   // until all their new pods exist, ms
	Run     Spread  `json:"run"`     // until all their new pods run, ms
	Seconds float64 `json:"seconds"` // from the first deletion until all run again
}

// Start creates jobs, Clients.Number requests at once, and returns when all their pods run.
func (g *Gangs) Start(ctx context.Context, first, count int) (*Started, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	pods, ctx, err := g.follow(ctx)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	created := make([]time.Time, count)
	err = g.Clients.each(ctx, first, count, func(ctx context.Context, number int) error {
		err := g.create(ctx, GangName(number))
		created[number-first] = time.Now()
		return err
	})
	if err != nil {
		return nil, err
	}
	var exist, run []time.Duration
	for i := range count {
		states, err := pods.await(ctx, GangName(first+i), nil)
		if err != nil {
			return nil, err
		}
		exist = append(exist, states.existed.Sub(created[i]))
		run = append(run, states.ran.Sub(created[i]))
	}
	return &Started{spreadOf(exist), spreadOf(run), time.Since(began).Seconds()}, nil
}

// OneByOne deletes a pod of one job after the other and waits until the job runs again.
func (g *Gangs) OneByOne(ctx context.Context, first, count int) (*Replaced, error) {
	return g.interrupt(ctx, first, count, 1)
}

// AtOnce deletes a pod of each job, Clients.Number requests at once, and waits until all run again.
func (g *Gangs) AtOnce(ctx context.Context, first, count int) (*Replaced, error) {
	return g.interrupt(ctx, first, count, count)
}

func (g *Gangs) interrupt(ctx context.Context, first, count, together int) (*Replaced, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	pods, ctx, err := g.follow(ctx)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	var exist, run []time.Duration
	for start := 0; start < count; start += together {
		before := make([]map[string]bool, together)
		err := g.Clients.each(ctx, 0, together, func(ctx context.Context, i int) error {
			job := GangName(first + start + i)
			victim, all, err := pods.running(job)
			if err != nil {
				return err
			}
			before[i] = all
			return g.Clients.Core.CoreV1().Pods(g.Namespace).Delete(ctx, victim, metav1.DeleteOptions{})
		})
		if err != nil {
			return nil, err
		}
		for i := range together {
			states, err := pods.await(ctx, GangName(first+start+i), before[i])
			if err != nil {
				return nil, err
			}
			exist = append(exist, states.existed.Sub(states.ended))
			run = append(run, states.ran.Sub(states.ended))
		}
	}
	return &Replaced{spreadOf(exist), spreadOf(run), time.Since(began).Seconds()}, nil
}

func (g *Gangs) create(ctx context.Context, name string) error {
	body := bytes.ReplaceAll(g.Manifest, []byte("NAME"), []byte(name))
	return g.Clients.BenchJobs.Post().AbsPath(g.Path).SetHeader("Content-Type", "application/json").Body(body).Do(ctx).Error()
}

// gangPods is what a watch has shown of the jobs' pods. Safe for use by many goroutines.
type gangPods struct {
	gangs   *Gangs
	mutex   sync.Mutex
	changed *sync.Cond
	events  int
	byJob   map[string]map[string]*gangPod // job, pod's UID
}

type gangPod struct {
	name                string
	existed, ran, ended time.Time
}

func (g *Gangs) follow(ctx context.Context) (*gangPods, context.Context, error) {
	pods := &gangPods{gangs: g, byJob: map[string]map[string]*gangPod{}}
	pods.changed = sync.NewCond(&pods.mutex)
	client := g.Clients.Core.CoreV1().Pods(g.Namespace)
	list, err := client.List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, nil, err
	}
	for i := range list.Items {
		pods.see(watch.Added, &list.Items[i])
	}
	watched, err := follow(ctx, list.ResourceVersion, client.Watch, func(event watch.Event) {
		if pod, ok := event.Object.(*corev1.Pod); ok {
			pods.see(event.Type, pod)
		}
	})
	if err != nil {
		return nil, nil, err
	}
	context.AfterFunc(watched, pods.changed.Broadcast)
	return pods, watched, nil
}

func (p *gangPods) see(kind watch.EventType, pod *corev1.Pod) {
	job := pod.Labels[p.gangs.Label]
	if _, rank := pod.Labels[p.gangs.Required]; job == "" || !rank {
		return
	}
	now := time.Now()
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.events++
	known := p.byJob[job]
	if known == nil {
		known = map[string]*gangPod{}
		p.byJob[job] = known
	}
	state := known[string(pod.UID)]
	if state == nil {
		state = &gangPod{name: pod.Name, existed: now}
		known[string(pod.UID)] = state
	}
	finished := pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
	if state.ran.IsZero() && pod.Status.Phase == corev1.PodRunning {
		state.ran = now
	}
	if state.ended.IsZero() && (finished || kind == watch.Deleted) {
		state.ended = now
	}
	p.changed.Broadcast()
}

// running names a pod of the job to delete, and the UIDs of all that the job has now.
func (p *gangPods) running(job string) (string, map[string]bool, error) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	victim, all := "", map[string]bool{}
	for uid, pod := range p.byJob[job] {
		all[uid] = true
		if pod.ended.IsZero() && !pod.ran.IsZero() && (victim == "" || pod.name < victim) {
			victim = pod.name
		}
	}
	if victim == "" {
		return "", nil, fmt.Errorf("job %s has no running pod", job)
	}
	return victim, all, nil
}

const gangTimeout = 5 * time.Minute

// await returns once all ranks of a job run in pods that are not in before; ended is the first end among those.
func (p *gangPods) await(ctx context.Context, job string, before map[string]bool) (gangPod, error) {
	deadline := time.Now().Add(gangTimeout)
	stop := time.AfterFunc(gangTimeout, p.changed.Broadcast)
	defer stop.Stop()
	p.mutex.Lock()
	defer p.mutex.Unlock()
	for {
		found, new, seen := p.judge(job, before), 0, p.events
		if found != nil {
			return *found, nil
		}
		if ctx.Err() != nil {
			return gangPod{}, context.Cause(ctx)
		}
		if time.Now().After(deadline) {
			for uid := range p.byJob[job] {
				if !before[uid] {
					new++
				}
			}
			return gangPod{}, fmt.Errorf("job %s: %d of %d new pods after %v, %d events seen", job, new, p.gangs.Ranks, gangTimeout, seen)
		}
		p.changed.Wait()
	}
}

func (p *gangPods) judge(job string, before map[string]bool) *gangPod {
	result, running := gangPod{}, 0
	for uid, pod := range p.byJob[job] {
		if before[uid] {
			if !pod.ended.IsZero() && (result.ended.IsZero() || pod.ended.Before(result.ended)) {
				result.ended = pod.ended
			}
			continue
		}
		if pod.ended.IsZero() && !pod.ran.IsZero() {
			running++
			result.existed = latest(result.existed, pod.existed)
			result.ran = latest(result.ran, pod.ran)
		}
	}
	if running < p.gangs.Ranks {
		return nil
	}
	return &result
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
