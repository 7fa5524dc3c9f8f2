package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

type rateResult struct {
	PerSecond float64 `json:"perSecond"`
	P50Ms     float64 `json:"p50Ms"`
	P99Ms     float64 `json:"p99Ms"`
}

const made = "client-go-made"

// sendRequests sends requests of one verb by all clients.
func sendRequests(ctx context.Context, o *options, tell func(any)) error {
	clients, err := newClients(ctx, o, o.clients)
	if err != nil {
		return err
	}
	if err := makeStanding(ctx, clients[0]); err != nil {
		return err
	}
	if err := makeNamespace(ctx, clients[0], made); err != nil {
		return err
	}
	workers := make([]*worker, 0, o.clients*o.streams)
	for index := range o.clients * o.streams {
		workers = append(workers, newWorker(clients[index%o.clients], made, index))
		if o.verb == "update" {
			if err := workers[index].makeOwn(ctx); err != nil {
				return err
			}
		}
	}
	act, isKnown := map[string]func(*worker, context.Context, int) error{
		"get": (*worker).get, "create": (*worker).create, "update": (*worker).update, "list": (*worker).list,
	}[o.verb]
	if !isKnown {
		return fmt.Errorf("unknown verb %q", o.verb)
	}
	tell(struct{}{})
	result, err := measureRate(workers, o.requests, func(w *worker, turn int) error { return act(w, ctx, turn) })
	if err != nil {
		return err
	}
	tell(result)
	return nil
}

// A worker sends one request after the other.
type worker struct {
	client *kubernetes.Clientset
	// Where its objects are, and what is in their names.
	namespace string
	name      string
	own       *corev1.ConfigMap
	took      latencies
}

func newWorker(client *kubernetes.Clientset, namespace string, index int) *worker {
	return &worker{client: client, namespace: namespace, name: fmt.Sprintf("%d-%d", os.Getpid(), index)}
}

// makeOwn creates the object that only this client updates.
func (w *worker) makeOwn(ctx context.Context) (err error) {
	w.own, err = w.client.CoreV1().ConfigMaps(w.namespace).Create(ctx, configMap("own-"+w.name), metav1.CreateOptions{})
	return err
}

func (w *worker) get(ctx context.Context, _ int) error {
	name := standingName(rand.IntN(standingCount))
	_, err := w.client.CoreV1().ConfigMaps(standing).Get(ctx, name, metav1.GetOptions{})
	return err
}

func (w *worker) create(ctx context.Context, turn int) error {
	object := configMap(fmt.Sprintf("made-%s-%d", w.name, turn))
	stamp(object)
	_, err := w.client.CoreV1().ConfigMaps(w.namespace).Create(ctx, object, metav1.CreateOptions{})
	return err
}

func (w *worker) update(ctx context.Context, turn int) error {
	w.own.Data["turn"] = fmt.Sprint(turn)
	stamp(w.own)
	stored, err := w.client.CoreV1().ConfigMaps(w.namespace).Update(ctx, w.own, metav1.UpdateOptions{})
	w.own = stored
	return err
}

func (w *worker) list(ctx context.Context, _ int) error {
	found, err := w.client.CoreV1().ConfigMaps(standing).List(ctx, metav1.ListOptions{Limit: standingCount})
	if err == nil && len(found.Items) != standingCount {
		return fmt.Errorf("a list had %d objects instead of %d", len(found.Items), standingCount)
	}
	return err
}

// measureRate lets the workers take turns until all are taken.
func measureRate(workers []*worker, turns int, act func(w *worker, turn int) error) (*rateResult, error) {
	var next atomic.Int64
	var failure atomic.Pointer[error]
	var running sync.WaitGroup
	started := time.Now()
	for _, w := range workers {
		running.Go(func() {
			for turn := int(next.Add(1)); turn <= turns && failure.Load() == nil; turn = int(next.Add(1)) {
				before := time.Now()
				if err := act(w, turn); err != nil {
					failure.CompareAndSwap(nil, &err)
					return
				}
				w.took = append(w.took, time.Since(before))
			}
		})
	}
	running.Wait()
	elapsed := time.Since(started)
	if err := failure.Load(); err != nil {
		return nil, *err
	}
	var all latencies
	for _, w := range workers {
		all = append(all, w.took...)
	}
	return &rateResult{
		PerSecond: float64(turns) / elapsed.Seconds(),
		P50Ms:     all.quantile(0.5),
		P99Ms:     all.quantile(0.99),
	}, nil
}
