package main

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

type deliveryResult struct {
	// From the first write until every watcher had all of them: of all updates together, or the median of each alone.
	UntilAllMs float64 `json:"untilAllMs"`
	P50Ms      float64 `json:"p50Ms"`
	P99Ms      float64 `json:"p99Ms"`
}

const (
	watched      = "client-go-watched"
	watchedCount = 10
)

// informAll updates objects that informers watch: many at once, then one after the other.
func informAll(ctx context.Context, o *options, tell func(any)) error {
	clients, err := newClients(ctx, o, o.clients+1)
	if err != nil {
		return err
	}
	writer := clients[o.clients]
	if err := makeNamespace(ctx, writer, watched); err != nil {
		return err
	}
	objects := make([]*corev1.ConfigMap, watchedCount)
	for index := range objects {
		name := configMap(fmt.Sprintf("watched-%d-%d", time.Now().UnixNano(), index))
		if objects[index], err = writer.CoreV1().ConfigMaps(watched).Create(ctx, name, metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	watchers, err := startWatchers(ctx, clients[:o.clients], o.watches, watched)
	if err != nil {
		return err
	}
	write := func(index int) (err error) {
		stamp(objects[index])
		objects[index], err = writer.CoreV1().ConfigMaps(watched).Update(ctx, objects[index], metav1.UpdateOptions{})
		return err
	}
	if err := write(0); err != nil { // the first event of a watch costs more than the others
		return err
	}
	written := 1
	if err := watchers.await(ctx, written); err != nil {
		return err
	}
	watchers.take()
	tell(struct{}{})

	started := time.Now()
	each := (o.burst + watchedCount - 1) / watchedCount
	if err := inTurns(watchedCount, watchedCount, func(index int) error {
		for range each {
			if err := write(index); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		return err
	}
	written += each * watchedCount
	if err := watchers.await(ctx, written); err != nil {
		return err
	}
	untilAll := milliseconds(time.Since(started))
	took := watchers.take()
	tell(&deliveryResult{UntilAllMs: untilAll, P50Ms: took.quantile(0.5), P99Ms: took.quantile(0.99)})

	var spans latencies
	for turn := range o.singles {
		started := time.Now()
		if err := write(turn % watchedCount); err != nil {
			return err
		}
		written++
		if err := watchers.await(ctx, written); err != nil {
			return err
		}
		spans = append(spans, time.Since(started))
	}
	took = watchers.take()
	tell(&deliveryResult{UntilAllMs: spans.quantile(0.5), P50Ms: took.quantile(0.5), P99Ms: took.quantile(0.99)})
	return nil
}
