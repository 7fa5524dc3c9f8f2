package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"

	"keelson/interop/outcomes"
)

// Counts what an informer's handler was told about one object.
type told struct {
	sync.Mutex
	added, updated, deleted int
}

func (t *told) handler(name string) cache.ResourceEventHandlerFuncs {
	count := func(object any, counter *int) {
		if tombstone, ok := object.(cache.DeletedFinalStateUnknown); ok {
			object = tombstone.Obj
		}
		if configMap, ok := object.(*corev1.ConfigMap); ok && configMap.Name == name {
			t.Lock()
			defer t.Unlock()
			*counter++
		}
	}
	return cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { count(object, &t.added) },
		UpdateFunc: func(_, object any) { count(object, &t.updated) },
		DeleteFunc: func(object any) { count(object, &t.deleted) },
	}
}

func (t *told) says(added, updated, deleted int) error {
	t.Lock()
	defer t.Unlock()
	if t.added == added && t.updated == updated && t.deleted == deleted {
		return nil
	}
	return fmt.Errorf("told of %d adds, %d updates, %d deletes", t.added, t.updated, t.deleted)
}

// Informers of four kinds; one object goes through its life, and the cache ends up as the server has it.
func (p *program) watch(ctx context.Context) error {
	factory := informers.NewSharedInformerFactoryWithOptions(p.client, 10*time.Minute, informers.WithNamespace(p.namespace))
	configMaps := factory.Core().V1().ConfigMaps()
	factory.Core().V1().Pods().Informer()
	factory.Apps().V1().Deployments().Informer()
	factory.Coordination().V1().Leases().Informer()
	seen := &told{}
	if _, err := configMaps.Informer().AddEventHandler(seen.handler("lively")); err != nil {
		return err
	}
	factory.StartWithContext(ctx)
	for kind, isSynced := range factory.WaitForCacheSync(ctx.Done()) {
		if !isSynced {
			return fmt.Errorf("the cache of %v was never filled", kind)
		}
	}
	api := p.client.CoreV1().ConfigMaps(p.namespace)
	lively, err := api.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "lively"}}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	if err := outcomes.Eventually(ctx, func() error { return seen.says(1, 0, 0) }); err != nil {
		return err
	}
	for i := range 3 {
		lively.Data = map[string]string{"round": fmt.Sprint(i)}
		if lively, err = api.Update(ctx, lively, metav1.UpdateOptions{}); err != nil {
			return err
		}
	}
	if err := outcomes.Eventually(ctx, func() error { return seen.says(1, 3, 0) }); err != nil {
		return err
	}
	if err := api.Delete(ctx, "lively", metav1.DeleteOptions{}); err != nil {
		return err
	}
	if err := outcomes.Eventually(ctx, func() error { return seen.says(1, 3, 1) }); err != nil {
		return err
	}
	listed, err := api.List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for _, item := range listed.Items {
		cached, err := configMaps.Lister().ConfigMaps(p.namespace).Get(item.Name)
		if err != nil {
			return err
		}
		if cached.ResourceVersion != item.ResourceVersion {
			return fmt.Errorf("%s is cached as of %s, not %s", item.Name, cached.ResourceVersion, item.ResourceVersion)
		}
	}
	cached, err := configMaps.Lister().List(labels.Everything())
	if err == nil && len(cached) != len(listed.Items) {
		err = fmt.Errorf("%d in the cache, %d on the server", len(cached), len(listed.Items))
	}
	return err
}
