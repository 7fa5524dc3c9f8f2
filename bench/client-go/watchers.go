package main

import (
	"context"
	"errors"
	"strconv"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

// The time at which an object was sent, which its watchers read.
const sentAt = "sent-at"

func stamp(object *corev1.ConfigMap) {
	object.Annotations = map[string]string{sentAt: strconv.FormatInt(time.Now().UnixNano(), 10)}
}

// watchers are informers that report when all of them have seen a number of objects.
type watchers struct {
	all      []*watcher
	received atomic.Int64
	wanted   atomic.Int64
	reached  chan struct{}
}

type watcher struct {
	took latencies
	// Number of them that were taken already.
	taken int
}

// startWatchers starts informers on a namespace, the same number for each client, and waits until all are in sync.
func startWatchers(ctx context.Context, clients []*kubernetes.Clientset, each int, namespace string) (*watchers, error) {
	w := &watchers{reached: make(chan struct{}, 1)}
	controllers := make([]cache.Controller, 0, len(clients)*each)
	for _, client := range clients {
		for range each {
			one := &watcher{}
			w.all = append(w.all, one)
			source := cache.NewFilteredListWatchFromClient(client.CoreV1().RESTClient(), "configmaps", namespace, func(*metav1.ListOptions) {})
			_, controller := cache.NewInformerWithOptions(cache.InformerOptions{
				ListerWatcher: cache.ToListWatcherWithWatchListSemantics(source, client),
				ObjectType:    &corev1.ConfigMap{},
				Handler: cache.ResourceEventHandlerDetailedFuncs{
					AddFunc: func(object any, isInInitialList bool) {
						if !isInInitialList {
							w.receive(one, object)
						}
					},
					UpdateFunc: func(_, object any) { w.receive(one, object) },
				},
			})
			controllers = append(controllers, controller)
		}
	}
	err := inTurns(len(controllers), 128, func(index int) error {
		go controllers[index].RunWithContext(ctx)
		if !cache.WaitForCacheSync(ctx.Done(), controllers[index].HasSynced) {
			return errors.New("an informer did not become synchronous")
		}
		return nil
	})
	return w, err
}

func (w *watchers) receive(one *watcher, object any) {
	sent, err := strconv.ParseInt(object.(*corev1.ConfigMap).Annotations[sentAt], 10, 64)
	if err != nil {
		return // it was not written by this program
	}
	one.took = append(one.took, time.Duration(time.Now().UnixNano()-sent))
	if w.received.Add(1) == w.wanted.Load() {
		w.reached <- struct{}{}
	}
}

// await waits until every watcher has received this many objects since the start.
func (w *watchers) await(ctx context.Context, each int) error {
	select {
	case <-w.reached: // left over from a wait that was not needed
	default:
	}
	w.wanted.Store(int64(each * len(w.all)))
	if w.received.Load() >= w.wanted.Load() {
		return nil
	}
	select {
	case <-w.reached:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// take gives the latencies since it was called last.
func (w *watchers) take() latencies {
	var all latencies
	for _, one := range w.all {
		all = append(all, one.took[one.taken:]...)
		one.taken = len(one.took)
	}
	return all
}
