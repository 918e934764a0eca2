// The load generator: creates the data of a benchmark and does the trials.
//
//	load --kubeconfig FILE [--first N] [--clients N] COMMAND
//
//	data NODES JOBS         create nodes and BenchJobs with their pods, Jobs and statuses;
//	                        --first-node and --first go on from earlier ones
//	throughput N            create N BenchJobs; until each has its Job and status
//	stream RATE SECONDS     change pods at a rate in a way that causes no write; --jobs N BenchJobs are there
//	reaction pods N         mark a pod of N BenchJobs, 10 a second; until each has its next Job
//	reaction nodes N        taint N nodes (from --first on), 10 a second; until the statuses say so
//	storm N                 mark a pod of N BenchJobs at once; until each has its next Job and status
//	reset                   bring the data back to how `data` made it (no operator may run)
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
	"time"

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
	kubeconfig := flag.String("kubeconfig", os.Getenv("KUBECONFIG"), "file that names the API server and the user")
	first := flag.Int("first", 0, "number of the first BenchJob (for nodes: node) that a command touches")
	firstNode := flag.Int("first-node", 0, "number of the first node that `data` creates")
	jobs := flag.Int("jobs", 1, "how many BenchJobs `stream` goes round")
	clients := flag.Int("clients", 16, "requests under way at once")
	flag.Parse()
	connection, err := trials.Connect(*kubeconfig, *clients)
	if err != nil {
		return err
	}
	arguments, numbers, err := split(flag.Args())
	if err != nil {
		return err
	}
	var result any
	switch command := fmt.Sprint(arguments, len(numbers)); command {
	case "[data] 2":
		result, err = connection.Data(ctx, *firstNode, numbers[0], *first, numbers[1])
	case "[throughput] 1":
		result, err = connection.Throughput(ctx, numbers[0])
	case "[stream] 2":
		result, err = connection.Stream(ctx, *first, *jobs, numbers[0], time.Duration(numbers[1])*time.Second)
	case "[reaction pods] 1":
		result, err = connection.ReactionPods(ctx, *first, numbers[0])
	case "[reaction nodes] 1":
		result, err = connection.ReactionNodes(ctx, *first, numbers[0])
	case "[storm] 1":
		result, err = connection.Storm(ctx, *first, numbers[0])
	case "[reset] 0":
		result, err = connection.Reset(ctx)
	default:
		return errors.New("a command is expected: data NODES JOBS, throughput N, stream RATE SECONDS, " +
			"reaction pods N, reaction nodes N, storm N or reset")
	}
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(result)
}

// split parts words from the numbers that follow them.
func split(arguments []string) (words []string, numbers []int, err error) {
	for i, argument := range arguments {
		number, err := strconv.Atoi(argument)
		if err != nil && len(numbers) > 0 {
			return nil, nil, fmt.Errorf("argument %d, %q, is no number", i+1, argument)
		}
		if err != nil {
			words = append(words, argument)
		} else {
			numbers = append(numbers, number)
		}
	}
	return words, numbers, nil
}
