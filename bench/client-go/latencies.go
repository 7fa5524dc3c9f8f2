package main

import (
	"slices"
	"time"
)

// latencies of requests or deliveries, in any order.
type latencies []time.Duration

// quantile sorts what it is called on.
func (l latencies) quantile(share float64) float64 {
	if len(l) == 0 {
		return 0
	}
	slices.Sort(l)
	return milliseconds(l[min(len(l)-1, int(float64(len(l))*share))])
}

func milliseconds(duration time.Duration) float64 {
	return float64(duration.Microseconds()) / 1000
}
