// The load of bench/operator: creates nodes and jobs of any kind and interrupts them.
//
//	load --kubeconfig FILE [flags] COMMAND
//
//	nodes FIRST N       create nodes; with --pools P nodes that carry the label of one of P pools
//	start FIRST N       create jobs from --manifest; until all their pods run
//	one-by-one FIRST N  delete a pod of one job after the other; until the job runs again
//	at-once FIRST N     delete a pod of each of N jobs at once; until all run again
//
// Each prints one JSON object on standard output.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"syscall"

	"reprise.dev/bench/load/trials"
)

func main() {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	var gangs trials.Gangs
	kubeconfig := flag.String("kubeconfig", os.Getenv("KUBECONFIG"), "file that names the API server and the user")
	clients := flag.Int("clients", 16, "requests under way at once")
	pools := flag.Int("pools", 0, "over how many pools `nodes` are spread")
	manifest := flag.String("manifest", "", "file with a job in JSON; NAME in it becomes its name")
	flag.StringVar(&gangs.Path, "path", "", "where jobs are created, e.g. /apis/GROUP/VERSION/namespaces/NAMESPACE/PLURAL")
	flag.StringVar(&gangs.Namespace, "namespace", "bench", "where the jobs' pods are")
	flag.StringVar(&gangs.Label, "label", "", "label of a pod that holds the name of its job")
	flag.StringVar(&gangs.Required, "required", "", "a pod without this label is not one of a job's ranks")
	flag.IntVar(&gangs.Ranks, "ranks", 1, "pods of a job")
	flag.Parse()
	if flag.NArg() != 3 {
		return errors.New("nodes, start, one-by-one or at-once is expected, with two numbers: first and how many")
	}
	first, err := strconv.Atoi(flag.Arg(1))
	if err != nil {
		return err
	}
	count, err := strconv.Atoi(flag.Arg(2))
	if err != nil {
		return err
	}
	if gangs.Clients, err = trials.Connect(*kubeconfig, *clients); err != nil {
		return err
	}
	if *manifest != "" {
		if gangs.Manifest, err = os.ReadFile(*manifest); err != nil {
			return err
		}
	}
	var result any
	switch command := flag.Arg(0); command {
	case "nodes":
		result, err = gangs.Clients.PlainNodes(ctx, first, count, *pools)
	case "start":
		result, err = gangs.Start(ctx, first, count)
	case "one-by-one":
		result, err = gangs.OneByOne(ctx, first, count)
	case "at-once":
		result, err = gangs.AtOnce(ctx, first, count)
	default:
		err = fmt.Errorf("%q is no command: nodes, start, one-by-one or at-once", command)
	}
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(result)
}
