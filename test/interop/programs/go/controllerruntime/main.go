// A small operator on controller-runtime: a ConfigMap with the label "wants=web" gets a Deployment.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/go-logr/logr"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"keelson/interop/outcomes"
)

func main() {
	kubeconfig := flag.Lookup("kubeconfig") // controller-runtime has this flag already
	namespace := flag.String("namespace", "interop-controller-runtime", "namespace to make and work in")
	flag.Parse()
	ctrl.SetLogger(logr.Discard())
	path := kubeconfig.Value.String()
	if path == "" {
		path = os.Getenv("KUBECONFIG")
	}
	restConfig, err := clientcmd.BuildConfigFromFlags("", path)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	direct, err := client.New(restConfig, client.Options{})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	s := &scenario{config: restConfig, direct: direct, namespace: *namespace}
	report := outcomes.New("controller-runtime operator", "sigs.k8s.io/controller-runtime")
	for _, step := range []struct {
		name string
		run  func(ctx context.Context) error
	}{
		{"create", s.create},
		{"list", s.list},
		{"lead", s.lead},
		{"reconcile", s.reconcile},
		{"watch", s.watch},
		{"merge patch", s.mergePatch},
		{"strategic patch", s.strategicPatch},
		{"apply", s.apply},
		{"delete", s.delete},
		{"hand over", s.handOver},
	} {
		report.Step(step.name, step.run)
	}
	s.cleanUp()
	report.Print()
}

// One replica of the operator, as a process of its own would run it.
func startOperator(restConfig *rest.Config, namespace string) (*operator, error) {
	lease, renew, retry := 15*time.Second, 10*time.Second, time.Second
	isNameTaken := true // two replicas share this process, and so the name of their controller
	mgr, err := ctrl.NewManager(restConfig, manager.Options{
		Metrics:                       server.Options{BindAddress: "0"},
		HealthProbeBindAddress:        "0",
		Cache:                         cache.Options{DefaultNamespaces: map[string]cache.Config{namespace: {}}},
		LeaderElection:                true,
		LeaderElectionID:              "operator",
		LeaderElectionNamespace:       namespace,
		LeaderElectionReleaseOnCancel: true,
		LeaseDuration:                 &lease,
		RenewDeadline:                 &renew,
		RetryPeriod:                   &retry,
		Controller:                    config.Controller{SkipNameValidation: &isNameTaken},
	})
	if err != nil {
		return nil, err
	}
	o := &operator{Client: mgr.GetClient(), recorder: mgr.GetEventRecorder("interop"), elected: mgr.Elected(), ended: make(chan error, 1)}
	if err := ctrl.NewControllerManagedBy(mgr).For(&corev1.ConfigMap{}).Owns(&appsv1.Deployment{}).Complete(o); err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	o.stop = stop
	go func() { o.ended <- mgr.Start(ctx) }()
	return o, nil
}
