package main

import (
	"context"
	"fmt"
	"sync"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"reprise.dev/bench/benchjob"
)

// progress says on standard output when the caches are filled and when every BenchJob that
// was in them has been reconciled once.
type progress struct {
	client client.Client

	mutex  sync.Mutex
	synced bool
	done   map[types.NamespacedName]bool // reconciled before the caches' content was counted
	left   map[types.NamespacedName]bool
	count  int
}

func newProgress(client client.Client) *progress {
	return &progress{client: client, done: map[types.NamespacedName]bool{}}
}

// Start is called by the manager once the caches are filled.
func (p *progress) Start(ctx context.Context) error {
	var jobs benchjob.BenchJobList
	if err := p.client.List(ctx, &jobs, client.UnsafeDisableDeepCopy); err != nil {
		return err
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.synced, p.count = true, len(jobs.Items)
	say("synced", p.count)
	p.left = make(map[types.NamespacedName]bool, p.count)
	for i := range jobs.Items {
		key := client.ObjectKeyFromObject(&jobs.Items[i])
		if !p.done[key] {
			p.left[key] = true
		}
	}
	p.done = nil
	p.sayIfReconciled()
	return nil
}

func (p *progress) reconciled(key types.NamespacedName) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if !p.synced {
		p.done[key] = true
		return
	}
	if p.left != nil {
		delete(p.left, key)
		p.sayIfReconciled()
	}
}

func (p *progress) sayIfReconciled() {
	if len(p.left) == 0 {
		p.left = nil
		say("reconciled", p.count)
	}
}

func say(event string, count int) {
	fmt.Printf("{\"event\":%q,\"count\":%d}\n", event, count)
}
