package trials

import (
	"slices"
	"time"
)

// Spread describes many durations, in milliseconds.
type Spread struct {
	Min float64 `json:"min"`
	P50 float64 `json:"p50"`
	P99 float64 `json:"p99"`
	Max float64 `json:"max"`
}

func spreadOf(durations []time.Duration) Spread {
	slices.Sort(durations)
	at := func(share float64) float64 {
		index := min(int(share*float64(len(durations))), len(durations)-1)
		return float64(durations[index]) / float64(time.Millisecond)
	}
	return Spread{Min: at(0), P50: at(0.5), P99: at(0.99), Max: at(1)}
}
