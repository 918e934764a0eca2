// The sample operator on controller-runtime. What it does is written in bench/README.md.
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"reprise.dev/bench/benchjob"
)

func main() {
	// Not the global flags: controller-runtime has put its own --kubeconfig there.
	flags := flag.NewFlagSet(os.Args[0], flag.ExitOnError)
	kubeconfig := flags.String("kubeconfig", "", "file that names the API server and the user")
	variant := flags.String("variant", "default", "what the caches keep: default, stripped or slim")
	_ = flags.Parse(os.Args[1:]) // ends the process itself
	if err := run(*kubeconfig, *variant); err != nil {
		fmt.Fprintln(os.Stderr, "bench-peer-go:", err)
		os.Exit(1)
	}
}

func run(kubeconfig, variant string) error {
	logger := errorsOnly()
	ctrl.SetLogger(logger)
	klog.SetLogger(logger)

	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	config.QPS = -1
	options, err := cacheOptions(variant)
	if err != nil {
		return err
	}
	scheme := runtime.NewScheme()
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		return err
	}
	if err := benchjob.AddToScheme(scheme); err != nil {
		return err
	}
	manager, err := ctrl.NewManager(config, ctrl.Options{
		Scheme:  scheme,
		Cache:   options,
		Metrics: server.Options{BindAddress: "0"},
	})
	if err != nil {
		return err
	}
	ctx := ctrl.SetupSignalHandler()
	progress := newProgress(manager.GetClient())
	if err := setUp(ctx, manager, progress); err != nil {
		return err
	}
	if err := manager.Add(progress); err != nil {
		return err
	}
	return manager.Start(ctx)
}

func errorsOnly() logr.Logger {
	return funcr.New(func(prefix, arguments string) {
		fmt.Fprintln(os.Stderr, prefix, arguments)
	}, funcr.Options{Verbosity: -1})
}
