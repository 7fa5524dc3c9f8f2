package main

import (
	"bytes"
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/remotecommand"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"keelson/interop/outcomes"
)

const noted = "interop.example.com/hostname"

// Asks each pod that runs for its hostname, and notes it on the pod.
type reconciler struct {
	client.Client
	program *program
}

func (r *reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	var found corev1.Pod
	if err := r.Get(ctx, request.NamespacedName, &found); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if found.Status.Phase != corev1.PodRunning || found.Annotations[noted] != "" {
		return ctrl.Result{}, nil
	}
	var out bytes.Buffer
	options := &corev1.PodExecOptions{Command: []string{"hostname"}, Stdout: true}
	if err := r.program.run(ctx, r.program.fallback, options, remotecommand.StreamOptions{Stdout: &out}); err != nil {
		return ctrl.Result{}, err
	}
	before := found.DeepCopy()
	metav1.SetMetaDataAnnotation(&found.ObjectMeta, noted, out.String())
	return ctrl.Result{}, r.Patch(ctx, &found, client.MergeFrom(before))
}

func (p *program) reconcile(ctx context.Context) error {
	mgr, err := ctrl.NewManager(p.config, manager.Options{
		Metrics:                server.Options{BindAddress: "0"},
		HealthProbeBindAddress: "0",
		Cache:                  cache.Options{DefaultNamespaces: map[string]cache.Config{p.namespace: {}}},
	})
	if err != nil {
		return err
	}
	if err := ctrl.NewControllerManagedBy(mgr).For(&corev1.Pod{}).Complete(&reconciler{Client: mgr.GetClient(), program: p}); err != nil {
		return err
	}
	running, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- mgr.Start(running) }()
	err = outcomes.Eventually(ctx, func() error {
		found, err := p.client.CoreV1().Pods(p.namespace).Get(ctx, pod, metav1.GetOptions{})
		if err == nil && found.Annotations[noted] != pod+"\n" {
			err = fmt.Errorf("it noted %q", found.Annotations[noted])
		}
		return err
	})
	stop()
	if failure := <-ended; failure != nil {
		return failure
	}
	return err
}
