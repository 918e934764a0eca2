// Package trials loads data into an API server and does to it what the benchmark measures.
package trials

import (
	"context"
	"sync"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"reprise.dev/bench/benchjob"
)

const protobuf = "application/vnd.kubernetes.protobuf"

// Clients speak protobuf where the API server does, and are not throttled.
type Clients struct {
	Core *kubernetes.Clientset
	// BenchJobs answers for the group of the kind BenchJob, and for raw paths.
	BenchJobs rest.Interface
	// Number is how many requests are under way at once.
	Number int
}

func Connect(kubeconfig string, number int) (*Clients, error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, err
	}
	config.QPS, config.UserAgent = -1, "bench-load"
	custom := rest.CopyConfig(config)

	config.ContentType, config.AcceptContentTypes = protobuf, protobuf+",application/json"
	core, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	scheme := runtime.NewScheme()
	if err := benchjob.AddToScheme(scheme); err != nil {
		return nil, err
	}
	custom.GroupVersion, custom.APIPath = &benchjob.GroupVersion, "/apis"
	custom.NegotiatedSerializer = serializer.NewCodecFactory(scheme).WithoutConversion()
	benchJobs, err := rest.RESTClientFor(custom)
	if err != nil {
		return nil, err
	}
	return &Clients{Core: core, BenchJobs: benchJobs, Number: number}, nil
}

// each calls work for the numbers from first on, Number at a time, and returns the first error.
func (c *Clients) each(ctx context.Context, first, count int, work func(context.Context, int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next atomic.Int64
	var workers sync.WaitGroup
	for range c.Number {
		workers.Go(func() {
			for ctx.Err() == nil {
				number := int(next.Add(1)) - 1
				if number >= count {
					return
				}
				if err := work(ctx, first+number); err != nil {
					cancel(err)
				}
			}
		})
	}
	workers.Wait()
	return context.Cause(ctx)
}
