package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync/atomic"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

type mixedResult struct {
	rateResult
	DeliveryP99Ms float64 `json:"deliveryP99Ms"`
}

const (
	mixed = "client-go-mixed"
	// Number of clients whose connections the informers share.
	watchingClients = 10
)

// mix sends 80 % gets, 10 % updates, 5 % creates and 5 % lists with a selector, beside informers that see all writes.
func mix(ctx context.Context, o *options, tell func(any)) error {
	clients, err := newClients(ctx, o, o.clients+watchingClients)
	if err != nil {
		return err
	}
	if err := makeStanding(ctx, clients[0]); err != nil {
		return err
	}
	if err := makeNamespace(ctx, clients[0], mixed); err != nil {
		return err
	}
	workers := make([]*worker, o.clients*o.streams)
	for index := range workers {
		workers[index] = newWorker(clients[index%o.clients], mixed, index)
		if err := workers[index].makeOwn(ctx); err != nil {
			return err
		}
	}
	watchers, err := startWatchers(ctx, clients[o.clients:], o.watches/watchingClients, mixed)
	if err != nil {
		return err
	}
	tell(struct{}{})

	var writes atomic.Int64
	rate, err := measureRate(workers, o.requests, func(w *worker, turn int) error {
		switch share := turn * 37 % 100; { // the same mixture for every server
		case share < 80:
			return w.get(ctx, turn)
		case share < 90:
			writes.Add(1)
			return w.update(ctx, turn)
		case share < 95:
			writes.Add(1)
			return w.create(ctx, turn)
		default:
			group := fmt.Sprintf("group=g%d", rand.IntN(standingGroups))
			_, err := w.client.CoreV1().ConfigMaps(standing).List(ctx, metav1.ListOptions{LabelSelector: group})
			return err
		}
	})
	if err != nil {
		return err
	}
	if err := watchers.await(ctx, int(writes.Load())); err != nil {
		return err
	}
	tell(&mixedResult{rateResult: *rate, DeliveryP99Ms: watchers.take().quantile(0.99)})
	return nil
}
